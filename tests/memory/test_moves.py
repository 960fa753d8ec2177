"""Kept change sets: previewed, applied, reverted, dropped, and what a crash in between leaves."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from qmemd.errors import TaskFailedError
from qmemd.kinds import ChangeAction, ChangeState, TaskKind
from qmemd.memory.changes import ChangeSet, FileChange
from qmemd.memory.history import no_step
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

OLD, NEW, GONE = document("Old fact"), document("New fact"), document("Gone fact")
APPLY, REVERT, DISCARD = ChangeAction.APPLY, ChangeAction.REVERT, ChangeAction.DISCARD


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def changes_of_all_kinds(world: World) -> list[FileChange]:
    world.save(user("changed.md"), OLD)
    world.save(user("gone.md"), GONE)
    world.committer().rebuild_indexes()
    return [
        FileChange(user("changed.md"), OLD, NEW),
        FileChange(user("gone.md"), GONE, None),
        add(project("added.md"), "Added fact"),
    ]


def move(
    world: World,
    change_set: ChangeSet,
    action: ChangeAction,
    *,
    task: str = "change-1",
    step: Callable[[str], None] = no_step,
) -> ChangeSet:
    def result(_record: ChangeSet, state: ChangeState) -> dict[str, Any]:
        return {"summary": state.value}

    return world.committer(step).move(
        change_set.change_set_id,
        action,
        run_of(task, TaskKind.CHANGE),
        result=result,
        may_commit=lambda: True,
    )


def preview(world: World, *changes: FileChange) -> ChangeSet:
    return world.committer().preview(changes, run_of(), result=result_of, may_commit=lambda: True)


def state(world: World, change_set: ChangeSet) -> ChangeState:
    found = world.history.load(change_set.change_set_id)
    assert found
    return found.state


def refusal(act: Callable[[], object]) -> str:
    with pytest.raises(TaskFailedError) as refused:
        act()
    return refused.value.code


def test_there_and_back_again(world: World) -> None:
    changes = changes_of_all_kinds(world)
    before = world.files()
    done = world.commit(*changes)
    after = world.files()
    for number in range(2):
        record = move(world, done, REVERT, task=f"change-{number}-back")
        assert record.result == {"summary": "reverted"}
        assert world.files() == before
        assert state(world, done) is ChangeState.REVERTED
        move(world, done, APPLY, task=f"change-{number}-again")
        assert world.files() == after
        assert state(world, done) is ChangeState.APPLIED
    assert not world.history.has_open()


def test_a_preview_is_kept_and_done_only_when_it_is_applied(world: World) -> None:
    changes = changes_of_all_kinds(world)
    before = world.files()
    kept = preview(world, *changes)
    assert world.files() == before
    assert state(world, kept) is ChangeState.PREVIEW
    assert world.committer().settle_task("remember-1") is None
    move(world, kept, APPLY)
    assert state(world, kept) is ChangeState.APPLIED
    assert world.content(user("gone.md")) is None
    assert world.content(user("changed.md")) == NEW


def test_a_preview_that_could_not_be_applied_is_none(world: World) -> None:
    world.save(user("a.md"), NEW)
    change = FileChange(user("a.md"), OLD, None)
    assert refusal(lambda: preview(world, change)) == "change_conflict"
    bad = FileChange(user("MEMORY.md"), None, OLD)
    assert refusal(lambda: preview(world, bad)) == "remember_failed"
    assert list(world.history.newest_first()) == []


def test_dropping_a_preview_changes_no_file(world: World) -> None:
    kept = preview(world, *changes_of_all_kinds(world))
    before = world.files()
    move(world, kept, DISCARD)
    assert world.files() == before
    assert state(world, kept) is ChangeState.DISCARDED


@pytest.mark.parametrize(
    ("first", "second"), [(APPLY, APPLY), (APPLY, DISCARD), (DISCARD, APPLY), (DISCARD, REVERT)]
)
def test_what_does_not_fit_the_state_is_refused(
    world: World, first: ChangeAction, second: ChangeAction
) -> None:
    kept = preview(world, *changes_of_all_kinds(world))
    move(world, kept, first)
    before = world.files()
    assert refusal(lambda: move(world, kept, second, task="change-2")) == "change_conflict"
    assert world.files() == before


@pytest.mark.parametrize("edit", ["changed", "added", "back"])
def test_a_file_that_changed_since_stops_it_as_a_whole(world: World, edit: str) -> None:
    done = world.commit(*changes_of_all_kinds(world))
    path = {"changed": user("changed.md"), "added": project("added.md"), "back": user("gone.md")}
    world.save(path[edit], document("Somebody's fact"))
    before = world.files()
    assert refusal(lambda: move(world, done, REVERT)) == "change_conflict"
    assert world.files() == before
    assert state(world, done) is ChangeState.APPLIED


def test_another_workspace_s_change_set_is_not_touched(world: World) -> None:
    done = world.commit(add(user("a.md"), "A fact"))
    committer = world.committer()
    other = run_of("change-1", TaskKind.CHANGE)
    other = type(other)("change-1", TaskKind.CHANGE, None, "/work/other", None)
    with pytest.raises(TaskFailedError):
        committer.move(
            done.change_set_id, REVERT, other, result=lambda *_: {}, may_commit=lambda: True
        )
    assert world.content(user("a.md")) is not None


def test_a_revert_is_exempt_from_the_checks_of_content(world: World) -> None:
    secret = b"---\nname: a\ndescription: a\ntype: user\n---\n\nkey ghp_" + b"a1B2" * 9 + b"\n"
    world.save(user("a.md"), secret)
    gone = world.commit(
        FileChange(user("a.md"), secret, None), run=run_of("forget-1", TaskKind.FORGET)
    )
    move(world, gone, REVERT)
    assert world.content(user("a.md")) == secret


@pytest.mark.parametrize("action", [REVERT, APPLY, DISCARD])
def test_a_crash_at_any_step_is_finished_or_never_happened(
    tmp_path: Path, action: ChangeAction
) -> None:
    def prepared(directory: Path) -> tuple[World, ChangeSet]:
        world = World(directory)
        changes = changes_of_all_kinds(world)
        return world, world.commit(*changes) if action is REVERT else preview(world, *changes)

    world, change_set = prepared(tmp_path / "whole")
    first = world.files()
    steps = Steps()
    move(world, change_set, action, step=steps)
    last = world.files()
    final = state(world, change_set)
    commit_point = steps.names.index("history: write open")
    for number, name in enumerate(steps.names):
        world, change_set = prepared(tmp_path / str(number))
        started = state(world, change_set)
        with pytest.raises(SimulatedCrash):
            move(world, change_set, action, step=Steps(number, crash))
        settled = world.committer().settle_task("change-1")
        world.committer().settle()
        if number <= commit_point:
            assert settled is None, name
            assert (world.files(), state(world, change_set)) == (first, started), name
        else:
            assert settled is not None, name
            assert settled.result["summary"] == final.value, name
            assert (world.files(), state(world, change_set)) == (last, final), name
        assert not world.history.has_open(), name
