"""Texts that leave the history together with the documents that held them."""

from __future__ import annotations

from pathlib import Path

import pytest

from qmemd.erasure import without
from qmemd.kinds import ChangeState, TaskKind
from qmemd.memory.changes import ChangeSet, FileChange
from tests.memory.world import (
    SimulatedCrash,
    Steps,
    World,
    add,
    crash,
    document,
    project,
    result_of,
    run_of,
    user,
)

TEXT = "Grandmother's name is Böhm"
GONE = document(TEXT)


def prepared(directory: Path) -> World:
    """A history in which the text stands in two change sets, and not in a third."""
    world = World(directory)
    world.commit(add(user("name.md"), TEXT), run=run_of("remember-1"))
    world.commit(FileChange(user("name.md"), GONE, GONE + b"more\n"), run=run_of("remember-2"))
    world.commit(add(project("tea.md"), "Tea is fine"), run=run_of("remember-3"))
    return world


def erase(world: World, step: Steps | None = None) -> ChangeSet:
    return world.committer(step or Steps()).commit(
        [FileChange(user("name.md"), GONE + b"more\n", None)],
        run_of("forget-1", TaskKind.FORGET),
        result=lambda done: without([TEXT], result_of(done)),
        may_commit=lambda: True,
        erases=[TEXT],
    )


def traces(world: World) -> list[Path]:
    return [
        path
        for path in world.base.rglob("*")
        if path.is_file() and "Böhm" in path.read_text(errors="replace")
    ]


def pay(world: World) -> None:
    """Says that the journal is rid of it, as the daemon does."""
    assert world.history.owed.of_task("forget-1") == (TEXT,)
    world.history.owed.paid(run_of().workspace, [TEXT])


def states(world: World) -> dict[str, ChangeState]:
    return {one.task_id: one.state for _, one in world.history.newest_first()}


def test_what_held_the_text_is_erased_and_the_rest_stays(tmp_path: Path) -> None:
    world = prepared(tmp_path)
    assert traces(world)
    erase(world)
    assert [path.parent.name for path in traces(world)] == ["owed"]
    pay(world)
    assert traces(world) == []
    assert states(world) == {
        "remember-1": ChangeState.ERASED,
        "remember-2": ChangeState.ERASED,
        "remember-3": ChangeState.APPLIED,
        "forget-1": ChangeState.ERASED,
    }
    for _, one in world.history.newest_first():
        assert one.files


def test_what_cannot_be_read_may_hold_it_and_goes(tmp_path: Path) -> None:
    world = prepared(tmp_path)
    closed = world.paths.history / "closed"
    broken = closed / "20260730T101112345Z.odd.remember-9.json"
    broken.write_text(f'{{"files": "{TEXT}"')
    erase(world)
    assert not broken.exists()
    pay(world)
    assert traces(world) == []


def test_a_crash_at_any_step_is_finished_or_never_happened(tmp_path: Path) -> None:
    steps = Steps()
    erase(prepared(tmp_path / "whole"), steps)
    commit_point = steps.names.index("history: write open")
    assert steps.names.count("history: erase") == 2
    for number, name in enumerate(steps.names):
        world = prepared(tmp_path / str(number))
        with pytest.raises(SimulatedCrash):
            erase(world, Steps(number, crash))
        settled = world.committer().settle_task("forget-1")
        world.committer().settle()
        if number <= commit_point:
            assert settled is None, name
            assert world.content(user("name.md")) is not None, name
            assert states(world)["remember-1"] is ChangeState.APPLIED, name
        else:
            assert settled is not None, name
            pay(world)
            assert traces(world) == [], name
            assert states(world)["remember-2"] is ChangeState.ERASED, name
        assert not world.history.has_open(), name


def test_what_was_erased_before_is_looked_through_again(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.commit(add(user("a.md"), "The first is heron"), run=run_of("remember-1"))
    world.commit(add(user("b.md"), "The second is otter"), run=run_of("remember-2"))
    world.committer().commit(
        [FileChange(user(path), world.content(user(path)), None) for path in ("a.md", "b.md")],
        run_of("forget-3", TaskKind.FORGET),
        result=lambda _: {"summary": "The first is heron", "more": ["The second is otter"]},
        may_commit=lambda: True,
    )
    for text in ("The first is heron", "The second is otter"):
        world.history.erase([text])
    assert not [
        path
        for path in (world.paths.history / "closed").iterdir()
        if b"heron" in path.read_bytes() or b"otter" in path.read_bytes()
    ]
