"""Programs of other people, fetched on demand; where they cannot run, tests say why."""

from __future__ import annotations

import fcntl
import importlib
import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
CACHE = HERE.parents[1] / ".interop"
"""Outside of version control; kept from run to run."""
SDK = "@qwen-code/sdk@0.1.14"
AXE = "axe-core@4.14.1"
OLDEST_NODE = 20


def node_version() -> int:
    """0 without Node."""
    node = shutil.which("node")
    if node is None or shutil.which("npm") is None:
        return 0
    version = subprocess.run([node, "--version"], check=True, capture_output=True, text=True)
    return int(version.stdout.strip().removeprefix("v").split(".")[0])


def install(package: str, cache: Path) -> None:
    """Into a directory aside first, so that half an installation is never taken for a whole."""
    shutil.rmtree(cache, ignore_errors=True)
    aside = cache.with_name(f"{cache.name}.new")
    shutil.rmtree(aside, ignore_errors=True)
    aside.mkdir()
    (aside / "package.json").write_text('{"private": true, "type": "module"}\n')
    flags = ["--no-audit", "--no-fund", "--ignore-scripts", "--omit=optional"]
    npm = ["npm", "install", *flags, package]
    try:
        subprocess.run(npm, cwd=aside, check=True, capture_output=True, timeout=600)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        pytest.skip(f"npm cannot install {package}: {error}")
    aside.rename(cache)


def installed(package: str) -> Path:
    """A directory from which Node finds the package; fetched the first time."""
    if node_version() < OLDEST_NODE:
        pytest.skip(f"Node {OLDEST_NODE} or later and npm are needed for {package}")
    name, _, version = package.rpartition("@")
    cache = CACHE / f"{name.replace('/', '-')}-{version}"
    CACHE.mkdir(exist_ok=True)
    with (CACHE / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # another run of the tests may be at it
        if not (cache / "node_modules" / name / "package.json").exists():
            install(package, cache)
    return cache


@pytest.fixture(scope="session")
def sdk() -> Path:
    """A directory from which Node finds the SDK."""
    cache = installed(SDK)
    shutil.copy(HERE / "drive.mjs", cache / "drive.mjs")
    return cache


@pytest.fixture(scope="session")
def axe() -> str:
    """The script of axe-core, which finds what people with other senses or hands cannot use."""
    return (installed(AXE) / "node_modules" / "axe-core" / "axe.min.js").read_text()


FLAGS = [
    *("--no-sandbox", "--disable-gpu"),
    # A tab behind another one would have a frame each second, and every click waits for some.
    *("--disable-frame-rate-limit", "--disable-gpu-vsync"),
]


@pytest.fixture(scope="package")
def browser() -> Iterator[Any]:
    """One process; what tests must not share is in a context of their own."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        pytest.skip("no chromium is installed; Debian's package will do")
    try:
        playwright = importlib.import_module("playwright.sync_api")
    except ImportError:
        pytest.skip("the extra `browser` is not installed")
    with playwright.sync_playwright() as driver:
        launched = driver.chromium.launch(executable_path=chromium, args=FLAGS)
        yield launched
        launched.close()


class Sdk:
    """Runs one scenario of ``drive.mjs`` against a daemon."""

    def __init__(self, directory: Path, port: int, token: str, workspace: str) -> None:
        self._directory = directory
        self._arguments = [f"http://127.0.0.1:{port}/", token, workspace]

    def run(self, scenario: str) -> Any:
        done = subprocess.run(
            [shutil.which("node") or "node", "drive.mjs", scenario, *self._arguments],
            cwd=self._directory,
            capture_output=True,
            text=True,
            timeout=50,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)
