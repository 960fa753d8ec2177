"""The examples of docs/porting.md run, in their order, and its forms are those of the code."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from qmemd import Daemon
from tests.conftest import Home
from tests.memory.world import World, document, user
from tests.porting.places import exported, import_export

GUIDE = (Path(__file__).parents[2] / "docs" / "porting.md").read_text()
TOLD = [
    "1 document exported",
    "nothing is new: the memory was not changed",
    "1 added, 0 already there, 0 in conflict, 0 skipped",
    "would add      line 3 (Never do: commit to main) -> an agent would file it",
    "added          user:tea.md",
    "",
    "nothing is new: the memory was not changed",
]
"""A line that each command prints."""


def block(language: str) -> str:
    (found,) = re.findall(rf"```{language}\n(.*?)```", GUIDE, re.DOTALL)
    return str(found)


@pytest.mark.slow
def test_the_examples_run(home: Home) -> None:
    home.memories.mkdir(parents=True)
    (home.memories / "a.md").write_bytes(document("Likes coffee"))
    (home.workspace / "facts.txt").write_text("We deploy on Fridays\n")
    (home.workspace / "AGENTS.md").write_text("## Never do\n\n- commit to main\n")
    (home.workspace / "notes").mkdir()
    (home.workspace / "notes" / "tea.md").write_bytes(document("Likes tea"))
    commands = block("sh").splitlines()
    with Daemon(home.settings()):
        for command, line in zip(commands, TOLD, strict=True):
            path = f"export PATH={Path(sys.executable).parent}:$PATH\n"
            done = subprocess.run(
                ["bash", "-euo", "pipefail", "-c", path + command],  # noqa: S607
                cwd=home.workspace,
                env=home.environ,
                capture_output=True,
                text=True,
                check=False,
                timeout=30,
            )
            assert done.returncode == 0, done.stderr
            assert line in (done.stdout.splitlines() or [""]), done.stdout


def test_the_format_is_the_documented_one(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.save(user("a.md"), b"a")
    told = [json.loads(line).keys() for line in block("json").splitlines()]
    assert [json.loads(line).keys() for line in exported(world).splitlines()] == told


def test_the_report_is_the_documented_one(tmp_path: Path) -> None:
    world = World(tmp_path)
    wire = import_export(world, exported(world)).to_json()
    (told,) = re.findall(r'^`\{"source", "dryRun", (.*)\}`$', GUIDE, re.MULTILINE)
    assert re.findall(r'(?:^|, )"(\w+)"(?=: [\[{]|$)', told) == list(wire)
    assert all(f'"{count}"' in told for count in wire["counts"])
