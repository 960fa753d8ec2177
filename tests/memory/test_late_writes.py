"""An editor that has a document open writes into it after it was replaced."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from qmemd.errors import TaskFailedError
from qmemd.kinds import ChangeState
from qmemd.memory.changes import ChangeSet, FileChange
from qmemd.memory.late_writes import MAX_WATCHED, LateWrites
from tests.memory.world import At, World, document, run_of, user

OLD, NEW = document("Old"), document("New")
LATE = document("Late")


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path)
    made.late = LateWrites()
    yield made
    made.late.close()


class Editor:
    """Has a document open."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("r+b", buffering=0)

    def write(self, content: bytes = LATE) -> None:
        self._file.seek(0)
        self._file.write(content)
        self._file.truncate()

    def close(self) -> None:
        self._file.close()


@pytest.fixture
def editor(world: World) -> Iterator[Editor]:
    world.save(user("a.md"), OLD)
    made = Editor(world.absolute(user("a.md")))
    yield made
    made.close()


def kept(world: World, task: str = "remember-1") -> list[bytes]:
    found = world.history.find_task(task)
    assert found
    return [text.content for text in found.kept]


CHANGE = FileChange(user("a.md"), OLD, NEW)


@pytest.mark.parametrize("after", [NEW, None])
def test_what_comes_after_the_commit_is_kept_by_the_next_task(
    world: World, editor: Editor, after: bytes | None
) -> None:
    applied = world.commit(FileChange(user("a.md"), OLD, after))
    editor.write()
    assert kept(world) == []
    world.commit(FileChange(user("b.md"), None, NEW), run=run_of("remember-2"))
    assert kept(world) == [LATE]
    assert world.content(user("a.md")) == after
    assert world.history.load(applied.change_set_id)


def test_a_run_without_changes_looks_too_and_each_text_is_kept_once(
    world: World, editor: Editor
) -> None:
    world.commit(CHANGE)
    for content in (LATE, LATE, document("Later"), NEW):
        editor.write(content)
        world.committer().rebuild_indexes()
    assert kept(world) == [LATE, document("Later")]


def test_a_last_look_is_taken_only_when_there_is_something(world: World, editor: Editor) -> None:
    world.commit(CHANGE)
    taken: list[str] = []
    world.committer(taken.append).look_again()
    assert taken == []
    editor.write()
    world.committer(taken.append).look_again()
    assert taken
    assert kept(world) == [LATE]


@pytest.mark.parametrize(
    "name", ["unlink aside", "sync directories", "history: write closed", "look again"]
)
def test_what_comes_at_the_end_of_the_commit_is_in_its_history_at_once(
    world: World, editor: Editor, name: str
) -> None:
    world.commit(CHANGE, step=At(name, editor.write))
    assert kept(world) == [LATE]


def test_a_conflict_watches_what_it_put_back_too(world: World) -> None:
    world.save(user("a.md"), OLD)
    world.save(user("b.md"), OLD)
    changes = [CHANGE, FileChange(user("b.md"), OLD, NEW)]
    second: list[Editor] = []

    def meddle() -> None:
        second.append(Editor(world.absolute(user("a.md"))))  # has the new text open
        world.save(user("b.md"), LATE)

    with pytest.raises(TaskFailedError):
        world.commit(*changes, step=At("move aside", meddle, nth=1))
    assert world.content(user("a.md")) == OLD
    second[0].write(document("Other"))
    second[0].close()
    world.committer().look_again()
    assert document("Other") in kept(world)


def test_what_was_erased_stays_erased(world: World, editor: Editor) -> None:
    applied = world.commit(CHANGE)
    world.history.close(replace(applied, state=ChangeState.ERASED))
    editor.write()
    world.committer().look_again()
    assert kept(world) == []


def test_few_files_are_held_open(world: World) -> None:
    before = len(os.listdir("/dev/fd"))  # noqa: PTH208
    changes = []
    for number in range(MAX_WATCHED + 30):
        world.save(user(f"{number}.md"), OLD)
        changes.append(FileChange(user(f"{number}.md"), OLD, NEW))
    applied: ChangeSet = world.commit(*changes)
    assert applied.state is ChangeState.APPLIED
    assert len(os.listdir("/dev/fd")) <= before + MAX_WATCHED  # noqa: PTH208
    assert world.late
    world.late.close()
    assert len(os.listdir("/dev/fd")) == before  # noqa: PTH208
