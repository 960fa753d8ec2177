"""A commit and an editor at the same document at the same time, many times over.

The editor starts at a step of the commit that chance picks, on a thread of its own, so that it may
come before, amidst or after what the commit does there.
"""

from __future__ import annotations

import os
import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from qmemd.errors import TaskFailedError
from qmemd.memory.changes import FileChange
from qmemd.memory.late_writes import LateWrites
from qmemd.memory.memorypath import MemoryPath
from tests.memory.world import World, document, run_of, user

RACES = int(os.environ.get("QMEMD_RACES", "400"))
A_WORLD = 50
"""Races on one memory; a fresh one keeps the index small."""
SECONDS = 45.0
"""After so many a slow machine has raced enough."""
FEWEST = 150
PATIENCE = 10.0
STEPS = 16
"""About as many as a commit has."""

BASE = document("The document as it was") + b"- line one\n- line two\n"
AGENT = b"- a line of the agent\n"
EDITOR = b"- a line of the editor\n"


class Race:
    """One document, one commit, one editor."""

    def __init__(self, world: World, number: int, chance: random.Random) -> None:
        self.world = world
        self.path: MemoryPath = user(f"{number}.md")
        self.file = world.absolute(self.path)
        self.task_id = f"remember-{number}"
        self._start_at = chance.randrange(STEPS)
        self._steps = 0
        self._go = threading.Event()
        world.save(self.path, BASE)

    def run(self, edit: Callable[[], None]) -> bool:
        """Whether the commit was applied; the editor is done in any case."""
        editor = threading.Thread(target=self._edit, args=(edit,))
        editor.start()
        try:
            change = FileChange(self.path, BASE, BASE + AGENT)
            self.world.commit(change, step=self._step, run=run_of(self.task_id))
        except TaskFailedError as error:
            if error.code != "change_conflict":
                raise
            return False
        finally:
            self._go.set()
            editor.join(PATIENCE)
            assert not editor.is_alive()
        return True

    def _step(self, _name: str) -> None:
        if self._steps == self._start_at:
            self._go.set()
        self._steps += 1

    def _edit(self, edit: Callable[[], None]) -> None:
        assert self._go.wait(PATIENCE)
        edit()

    def in_the_history(self) -> bytes:
        """All texts of the document that the history keeps."""
        kept = b""
        found = self.world.history.find_task(self.task_id)
        if found:
            for change in found.files:
                kept += (change.before or b"") + (change.after or b"")
            kept += b"".join(text.content for text in found.kept)
        return kept

    def check(self, *, applied: bool, on_disk: bool) -> None:
        present = self.file.read_bytes()
        anywhere = present + self.in_the_history()
        for line in BASE.splitlines():
            assert line in present
        assert EDITOR in (present if on_disk else anywhere)
        assert AGENT in anywhere or not applied
        assert present in (BASE + AGENT, BASE + EDITOR, BASE + AGENT + EDITOR)
        assert [path for path in self.file.parent.iterdir() if path.suffix != ".md"] == []


def _save_by_rename(file: Path, content: bytes) -> None:
    temporary = file.with_name(f"{file.name}.saving")
    temporary.write_bytes(content)
    temporary.replace(file)


def _read_when_there(file: Path) -> bytes:
    """For a moment of a commit the document is away."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            return file.read_bytes()
        except FileNotFoundError:
            assert time.monotonic() < deadline


def _races(directory: Path, seed: int, race: Callable[[Race, random.Random], str]) -> Counter[str]:
    chance = random.Random(seed)  # noqa: S311 - to be repeatable
    outcomes: Counter[str] = Counter()
    began = time.monotonic()
    late = LateWrites()
    for number in range(RACES):
        if number % A_WORLD == 0:
            late.close()
            world = World(directory / str(number))
            world.late = late
        if time.monotonic() - began > SECONDS:
            assert number >= FEWEST
            break
        outcomes[race(Race(world, number, chance), chance)] += 1
    late.close()
    return outcomes


@pytest.mark.slow
@pytest.mark.timeout(120)
def test_an_editor_that_saves_by_renaming_loses_nothing_and_costs_nothing(tmp_path: Path) -> None:
    def race(one: Race, chance: random.Random) -> str:
        # Either it has had the document open for a while, or it opens it just now.
        fresh = chance.random() < 0.5

        def edit() -> None:
            content = _read_when_there(one.file) if fresh else BASE
            _save_by_rename(one.file, content + EDITOR)

        applied = one.run(edit)
        one.check(applied=applied, on_disk=True)
        both = AGENT in one.file.read_bytes()
        return f"applied, {'both' if both else 'editor last'}" if applied else "conflict"

    outcomes = _races(tmp_path, 20260301, race)
    # Each way to end was met, or the races were none.
    assert set(outcomes) >= {"applied, both", "applied, editor last", "conflict"}, outcomes


@pytest.mark.slow
@pytest.mark.timeout(120)
def test_what_an_editor_writes_in_place_is_in_the_file_or_in_the_history(tmp_path: Path) -> None:
    def race(one: Race, chance: random.Random) -> str:
        opened_early = chance.random() < 0.5
        descriptor = os.open(one.file, os.O_RDWR) if opened_early else None

        def edit() -> None:
            number = descriptor
            while number is None:
                try:
                    number = os.open(one.file, os.O_RDWR)
                except FileNotFoundError:
                    continue
            os.pwrite(number, BASE + EDITOR, 0)
            os.close(number)

        applied = one.run(edit)
        present = one.file.read_bytes()
        at_once = EDITOR in one.in_the_history()
        # As the next task does, or the end of the process.
        one.world.committer().look_again()
        history = one.in_the_history()
        for line in BASE.splitlines():
            assert line in present
        if applied:
            assert AGENT in present + history
        if EDITOR in present:
            return "in the file"
        assert EDITOR in history
        return "in the history at once" if at_once else "in the history later"

    outcomes = _races(tmp_path, 20260302, race)
    assert outcomes["in the file"], outcomes
    assert outcomes["in the history at once"], outcomes
