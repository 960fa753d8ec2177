"""The commands as a whole: what is listed, what is loaded, what a broken pipe does."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from qmemd import Daemon
from qmemd.cli import main
from tests.cli.conftest import Run
from tests.conftest import Home


def commands() -> list[str]:
    return main.list_commands(main.make_context("qmemd", [], resilient_parsing=True))


@pytest.mark.parametrize("name", commands())
def test_each_has_a_help_and_is_listed(run: Run, name: str) -> None:
    assert f"\n  {name} " in run("--help").stdout
    helped = run(name, "--help")
    assert helped.exit_code == 0
    assert helped.stdout.startswith(f"Usage: main {name} ")


def test_what_is_no_command(run: Run) -> None:
    assert run("remembr", "x").exit_code == 2
    assert "No such command 'remembr'" in run("remembr", "x").stderr


def test_each_command_loads_what_it_needs() -> None:
    code = "import sys\nimport qmemd.cli.memories\nprint(*sys.modules)"
    shown = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    ).stdout.split()
    heavy = {"rich", "pykka", "falcon", "waitress", "jsonschema", "psutil", "yaml", "asyncio"}
    assert not heavy & {name.split(".")[0] for name in shown}


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_for_the_shell(run: Run, shell: str) -> None:
    shown = run("completion", shell)
    assert shown.exit_code == 0
    assert f"_QMEMD_COMPLETE={shell}_complete" in shown.stdout


def test_bash_completes_commands(home: Home) -> None:
    env = {"_QMEMD_COMPLETE": "bash_complete", "COMP_WORDS": "qmemd un", "COMP_CWORD": "1"}
    qmemd = Path(sys.executable).with_name("qmemd")
    shown = subprocess.run(
        [qmemd], env=home.environ | env, capture_output=True, text=True, check=True
    ).stdout
    assert shown == "plain,undo\n"


def test_a_pipe_that_closes_early_is_no_error(daemon: Daemon, home: Home, run: Run) -> None:
    for count in range(4):
        run("remember", f"The build number {count} is green")
    ended = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m qmemd list | head -1"],  # noqa: S607
        cwd=home.workspace,
        env=home.environ,
        capture_output=True,
        text=True,
        check=True,
    )
    assert ended.stdout.count("\n") == 1
    assert ended.stderr == ""
    assert daemon.status()["tasks"]["completed"] == 4


@pytest.mark.parametrize("argv", ["remember -", "import -", "export -", "forget x", "list"])
@pytest.mark.usefixtures("daemon")
def test_closed_streams_are_no_crash(home: Home, argv: str) -> None:
    ended = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m qmemd {argv} <&- >&-"],  # noqa: S607
        cwd=home.workspace,
        env=home.environ,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == (0 if argv == "list" else 2)
    assert "Traceback" not in ended.stderr
