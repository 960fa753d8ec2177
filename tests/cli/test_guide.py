"""docs/cli.md names every command, option and exit code, and its examples run."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

from qmemd.cli import main
from qmemd.cli.exits import Exit
from tests.conftest import Home

GUIDE = (Path(__file__).parents[2] / "docs" / "cli.md").read_text()


def section(title: str) -> str:
    return GUIDE.split(f"\n## {title}\n")[1].split("\n## ")[0]


def commands() -> dict[str, click.Command]:
    context = main.make_context("qmemd", [], resilient_parsing=True)
    found = {name: main.get_command(context, name) for name in main.list_commands(context)}
    return {name: command for name, command in found.items() if command is not None}


def test_every_command_has_its_row() -> None:
    assert re.findall(
        r"^\| `(\w+)", section("Commands").split("All that")[0], re.MULTILINE
    ) == list(commands())


@pytest.mark.parametrize("name", sorted(commands().keys() - {"serve"}))
def test_every_option_is_named(name: str) -> None:
    (row,) = re.findall(rf"^\| `{name}[ `].*$", section("Commands"), re.MULTILINE)
    shared = section("Commands").split("All that")[1]
    options = {opt for param in commands()[name].params for opt in param.opts if opt[:2] == "--"}
    for option in options:
        assert f"`{option}" in row + shared, option
    for option in re.findall(r"`(--[a-z-]+)", row):
        assert option in options


def test_every_exit_code_is_told_of() -> None:
    told = re.findall(r"^\| (\d+) \|", section("Exit codes"), re.MULTILINE)
    assert [int(code) for code in told] == list(Exit)


@pytest.mark.slow
def test_the_examples_run(started: Home) -> None:
    blocks = re.findall(r"```sh\n(.*?)```", GUIDE, re.DOTALL)
    assert len(blocks) == 3
    git = "git init -q && git -c user.name=n -c user.email=e commit -q --allow-empty -m 'First'\n"
    bin_path = f"export PATH={Path(sys.executable).parent}:$PATH\n"
    for block in blocks:
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", bin_path + git + block],  # noqa: S607
            cwd=started.workspace,
            env=started.environ,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert done.returncode == 0, done.stderr
    assert (started.workspace / "status.json").read_text().startswith("{")
