"""What is installed is whole: every file of the package, every extra that a document names."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from tests.conftest import Home

ROOT = Path(__file__).parents[1]
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), ROOT / "Dockerfile"]
PYTHON = Path(sys.executable)


def copied(text: str) -> list[str]:
    """What the Dockerfile's build may see, by .dockerignore."""
    return [line[1:] for line in text.splitlines() if line.startswith("!")]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built as the Dockerfile builds it, from what its build sees."""
    source = tmp_path_factory.mktemp("source")
    for name in copied((ROOT / ".dockerignore").read_text()):
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, source / name)
        else:
            shutil.copy(ROOT / name, source)
    built = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", built]
    subprocess.run([*command, source], check=True, capture_output=True, timeout=50)
    (found,) = built.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an environment that has this wheel; what it needs is borrowed from ours."""
    environment = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", environment], check=True, timeout=50)
    python = environment / "bin" / "python"
    command = [python, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", wheel]
    subprocess.run(command, check=True, capture_output=True, timeout=50)
    (packages,) = environment.glob("lib/python*/site-packages")
    borrowed = [
        path
        for path in Path(sysconfig.get_path("purelib")).iterdir()
        if "qmemd" not in path.name and path.suffix != ".pth"
    ]
    for path in borrowed:
        if not (packages / path.name).exists():
            (packages / path.name).symlink_to(path)
    return environment / "bin"


@pytest.mark.slow
def test_every_file_of_the_package_is_in_the_wheel(wheel: Path) -> None:
    there = set(zipfile.ZipFile(wheel).namelist())
    for path in (ROOT / "qmemd").rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            assert str(path.relative_to(ROOT)) in there


@pytest.mark.slow
def test_every_extra_that_is_named_can_be_installed(wheel: Path) -> None:
    (metadata,) = [name for name in zipfile.ZipFile(wheel).namelist() if name.endswith("/METADATA")]
    text = zipfile.ZipFile(wheel).read(metadata).decode()
    extras = set(re.findall(r"^Provides-Extra: (\S+)$", text, re.MULTILINE))
    named = {
        extra
        for page in PAGES
        for listed in re.findall(r"(?:qmemd|\.)\[([a-z,]+)\]", page.read_text())
        for extra in listed.split(",")
    }
    assert {"metrics", "semantic"} <= named <= extras


@pytest.mark.slow
def test_what_is_installed_works(installed: Path, home: Home) -> None:
    def run(*argv: str) -> str:
        environ = {key: value for key, value in home.environ.items() if key != "PYTHONPATH"}
        done = subprocess.run(
            [installed / "qmemd", *argv],
            cwd=home.workspace,
            env=environ | {"PATH": f"{installed}:{os.environ['PATH']}"},
            capture_output=True,
            text=True,
            check=False,
            timeout=40,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert all(one["ok"] for one in json.loads(run("doctor", "--json")))
    run("remember", "Builds run on two cores")
    try:
        assert "two cores" in run("list")
    finally:
        run("stop")


def test_the_containers_settings_are_settings() -> None:
    text = (ROOT / "Dockerfile").read_text()
    settings = (ROOT / "docs" / "settings.md").read_text()
    variables = set(re.findall(r"\b(Q[A-Z_]+)=", text))
    assert len(variables) == 4
    for variable in variables:
        assert f"`{variable}`" in settings
    for name in copied((ROOT / ".dockerignore").read_text()):
        assert (ROOT / name).exists(), name
