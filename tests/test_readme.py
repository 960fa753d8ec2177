"""The README's commands and example do what it says."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from qmemd import Daemon
from qmemd.config.layers import layered
from qmemd.config.table import OPTIONS
from tests.conftest import Home

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
SETTINGS = (ROOT / "docs" / "settings.md").read_text()
API = (ROOT / "docs" / "api.md").read_text()
CURL = shutil.which("curl")


def block(language: str, holding: str, text: str = README) -> str:
    """The code block of a language that holds this."""
    blocks: list[str] = re.findall(rf"```{language}\n(.*?)```", text, flags=re.DOTALL)
    (found,) = [found for found in blocks if holding in found]
    return found


def bash(script: str, home: Home) -> str:
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],  # noqa: S607 — whichever bash there is
        capture_output=True,
        text=True,
        env=home.environ,
        check=True,
        timeout=30,
    )
    return done.stdout


@pytest.mark.slow
@pytest.mark.skipif(CURL is None, reason="the walk needs curl")
def test_the_walk_with_curl(home: Home) -> None:
    with Daemon(home.settings(token="secret")) as daemon:
        walk = block("sh", "daemon=http").replace("http://127.0.0.1:4170", daemon.url)
        walk = walk.replace("~/.qwen", str(home.base))
        commands = [line for line in walk.splitlines() if line and not line.startswith("#")]
        setting_up, steps = commands[:2], commands[2:]
        assert [step.split()[0] for step in steps] == ["api", "api", "cat", "api", "api"]
        task_id = ""
        for step in steps:
            polls = "remember-0c8d…" in step
            command = "\n".join([*setting_up, step.replace("remember-0c8d…", task_id)])
            shown = bash(command, home)
            while polls and json.loads(shown)["status"] in ("queued", "running"):
                time.sleep(0.01)
                shown = bash(command, home)
            if polls:
                assert json.loads(shown)["status"] == "completed"
            elif step.startswith("cat"):
                assert "dark mode" in shown
            else:
                assert json.loads(shown)["status"] == "queued"
                task_id = json.loads(shown)["taskId"]


@pytest.mark.slow
@pytest.mark.skipif(CURL is None, reason="the example needs curl")
def test_the_example_of_the_guide_to_the_api(home: Home) -> None:
    with Daemon(home.settings(token="secret")) as daemon:
        example = block("sh", "daemon=http", API).replace("http://127.0.0.1:4170", daemon.url)
        assert json.loads(bash(example, home))["status"] == "completed"


def test_the_example_of_embedding(home: Home) -> None:
    shown = subprocess.run(
        [sys.executable, "-c", block("python", "with Daemon")],
        capture_output=True,
        text=True,
        env=home.environ,
        cwd=home.workspace,
        check=True,
        timeout=30,
    ).stdout
    # The callback has a thread of its own, so either line may be the first.
    lines = sorted(shown.splitlines())
    assert lines[0].startswith("MemoryChanged(source='workspace_memory_remember'")
    assert lines[1].startswith("completed RememberResult(")


def test_every_script_that_is_named_is_there() -> None:
    for name in set(re.findall(r"\bscripts/[a-z_.]+", README)):
        path = ROOT / name.rstrip(".")
        assert path.exists(), name
        assert path.suffix == ".py" or os.access(path, os.X_OK), name


def test_every_flag_and_variable_of_the_table_is_known() -> None:
    helped = subprocess.run(
        [sys.executable, "-m", "qmemd", "serve", "--help"],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"COLUMNS": "200"},
    ).stdout
    for flag in set(re.findall(r"^\| .*`(--[a-z-]+)", SETTINGS, re.MULTILINE)):
        assert flag in helped, flag
    for flag in set(re.findall(r"(--[a-z-]+)", helped)) - {"--help"}:
        assert flag in SETTINGS, flag


def test_the_table_of_settings_names_every_variable() -> None:
    for option in OPTIONS:
        for variable in option.variables:
            assert f"`{variable}`" in SETTINGS, variable
        if option.harmless:
            row = SETTINGS.split("| the project's")[1].split("\n")[0]
            assert f"`{option.name}`" in row


def test_the_example_of_a_file(home: Home) -> None:
    path = home.root / "user.toml"
    path.write_text(block("toml", "model", SETTINGS))
    path.chmod(0o600)
    env = home.environ | {"QMEMD_CONFIG": str(path), "OPENAI_BASE_URL": "http://localhost:1/v1"}
    settings = layered({"workspace": home.workspace}, env).settings()
    assert (settings.model, settings.rate_limit) == ("openai:qwen3:8b", True)


def test_every_test_that_the_documents_name_is_there() -> None:
    for document in (ROOT / "SECURITY.md", *(ROOT / "docs").glob("*.md")):
        for path, name in re.findall(r"(tests/[\w/]+\.py)(?:::(\w+))?", document.read_text()):
            assert (ROOT / path).exists(), f"{document.name}: {path}"
            assert not name or f"def {name}(" in (ROOT / path).read_text(), (
                f"{document.name}: {name}"
            )
