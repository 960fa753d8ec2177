"""A run that dies at any step is finished or put back by whoever comes next."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from qmemd.errors import TaskFailedError
from qmemd.kinds import ChangeState
from qmemd.memory.changes import FileChange
from qmemd.memory.locks import FileLock
from tests.memory.world import (
    At,
    SimulatedCrash,
    Steps,
    World,
    add,
    crash,
    document,
    project,
    run_of,
    user,
)

OLD, NEW, GONE = document("Old fact"), document("New fact"), document("Gone fact")


def _into_nothing(_world: World) -> list[FileChange]:
    return [add(user("deep/er/a.md"), "First fact")]


def _of_all_kinds(world: World) -> list[FileChange]:
    world.save(user("changed.md"), OLD, mode=0o640)
    world.save(user("gone.md"), GONE, mode=0o644)
    world.save(project("stays.md"), document("Stays", "project"))
    world.save(project("sub/changed.md"), OLD)
    world.committer().rebuild_indexes()
    return [
        FileChange(user("changed.md"), OLD, NEW),
        FileChange(user("gone.md"), GONE, None),
        FileChange(project("sub/changed.md"), OLD, NEW),
        add(project("new/added.md"), "Added fact"),
    ]


Scenario = Callable[[World], list[FileChange]]
SCENARIOS = pytest.mark.parametrize("scenario", [_into_nothing, _of_all_kinds])


def _steps_of(directory: Path, scenario: Scenario) -> list[str]:
    world, steps = World(directory), Steps()
    world.commit(*scenario(world), step=steps)
    return steps.names


def _applied(files: dict[str, bytes], changes: list[FileChange]) -> dict[str, bytes]:
    after = dict(files)
    for change in changes:
        after.pop(str(change.path), None)
        if change.after is not None:
            after[str(change.path)] = change.after
    return after


def _indexed(world: World) -> None:
    for root in world.paths.roots:
        if root.path.exists() and root.index_path.exists():
            names = {path.name for path in root.path.rglob("*.md") if path.name != "MEMORY.md"}
            lines = [line for line in world.index(root.scope).splitlines() if line]
            assert len(lines) == len(names)
            assert all(any(name in line for line in lines) for name in names)


@SCENARIOS
def test_a_crash_at_any_step_leaves_all_or_nothing(tmp_path: Path, scenario: Scenario) -> None:
    names = _steps_of(tmp_path / "whole", scenario)
    commit_point = names.index("history: write open")
    assert len(names) > commit_point + 5
    for number, name in enumerate(names):
        world = World(tmp_path / str(number))
        changes = scenario(world)
        before = world.files()
        with pytest.raises(SimulatedCrash):
            world.commit(*changes, step=Steps(number, crash))
        settled = world.committer().settle_task("remember-1")
        if number <= commit_point:
            assert settled is None, name
            assert world.files() == before, name
        else:
            assert settled is not None, name
            assert settled.state is ChangeState.APPLIED, name
            assert settled.result["summary"] == "Saved.", name
            assert world.files() == _applied(before, changes), name
            _indexed(world)
        # Only an unlink may be left to do, and the next look does it.
        world.committer().settle()
        assert not world.history.has_open(), name
        world.commit(add(user("next.md"), "Next fact"), run=run_of("remember-2"))


@SCENARIOS
def test_a_system_error_at_any_step_leaves_all_or_nothing(
    tmp_path: Path, scenario: Scenario
) -> None:
    def refuse() -> None:
        raise OSError(28, "No space left on device")

    names = _steps_of(tmp_path / "whole", scenario)
    for number, name in enumerate(names):
        world = World(tmp_path / str(number))
        changes = scenario(world)
        before = world.files()
        failure = None
        try:
            world.commit(*changes, step=Steps(number, refuse))
        except TaskFailedError as error:
            failure = error
        if failure is not None:
            assert failure.code == "remember_failed", name
            world.committer().settle()
            assert world.files() == before, name
            assert world.committer().settle_task("remember-1") is None, name
        else:
            after = world.files()
            left_aside = [path for path in after if ".qmemd-" in path]
            assert not left_aside or name in ("unlink aside", "sync directories"), name
            world.committer().settle()
            for path in left_aside:
                del after[path]
            assert after == _applied(before, changes), name


def _changed_and_gone(world: World) -> list[FileChange]:
    world.save(user("changed.md"), OLD)
    world.save(user("gone.md"), GONE)
    return [FileChange(user("changed.md"), OLD, NEW), FileChange(user("gone.md"), GONE, None)]


@pytest.mark.slow
def test_a_crash_while_a_crash_is_settled(tmp_path: Path) -> None:
    scenario = _changed_and_gone
    names = _steps_of(tmp_path / "whole", scenario)
    commit_point = names.index("history: write open")
    for number in range(commit_point + 1, len(names) - 1):
        second = 0
        while True:
            world = World(tmp_path / f"{number}-{second}")
            changes = scenario(world)
            before = world.files()
            with pytest.raises(SimulatedCrash):
                world.commit(*changes, step=Steps(number, crash))
            try:
                world.committer(Steps(second, crash)).settle()
            except SimulatedCrash:
                second += 1
            else:
                break
            settled = world.committer().settle_task("remember-1")
            assert settled is not None
            assert world.files() == _applied(before, changes)
        assert second > 1


def test_a_crash_on_the_way_back_is_put_back_too(tmp_path: Path) -> None:
    foreign = document("Written by an editor")

    def run(directory: Path, number: int | None) -> tuple[World, Steps]:
        world = World(directory)
        changes = _of_all_kinds(world)
        steps = Steps(number, crash)
        # The last of the files is changed by another program once the others are done.
        edit = At("move aside", lambda: world.save(user("gone.md"), foreign), nth=2)

        def step(name: str) -> None:
            edit(name)
            steps(name)

        with pytest.raises((SimulatedCrash, TaskFailedError)):
            world.commit(*changes, step=step)
        return world, steps

    whole, steps = run(tmp_path / "whole", None)
    expected = whole.files()
    assert expected["user:gone.md"] == foreign
    assert expected["user:changed.md"] == OLD
    assert "project:new/added.md" not in expected
    edited = [n for n, name in enumerate(steps.names) if name == "move aside"][2]
    assert len(steps.names) > edited + 10
    for number in range(edited, len(steps.names)):
        world, _ = run(tmp_path / str(number), number)
        assert world.committer().settle_task("remember-1") is None
        world.committer().settle()
        assert world.files() == expected
        assert not world.paths.root(project("x.md").scope).path.joinpath("new").exists()
        assert not world.history.has_open()
        found = world.history.find_task("remember-1")
        assert found is not None
        assert found.state is ChangeState.CONFLICT


def test_an_open_change_set_goes_back_when_a_file_has_neither_image(tmp_path: Path) -> None:
    world = World(tmp_path)
    changes = _of_all_kinds(world)
    with pytest.raises(SimulatedCrash):
        world.commit(*changes, step=At("move aside", crash, nth=2))
    foreign = document("Edited after the crash")
    world.save(user("gone.md"), foreign)
    assert world.committer().settle_task("remember-1") is None
    files = world.files()
    assert files["user:gone.md"] == foreign
    assert files["user:changed.md"] == OLD
    assert files["project:sub/changed.md"] == OLD
    assert "project:new/added.md" not in files
    assert world.absolute(user("changed.md")).stat().st_mode & 0o777 == 0o640


def test_a_run_that_was_on_its_way_back_is_not_taken_forward_later(tmp_path: Path) -> None:
    world = World(tmp_path)
    changes = _changed_and_gone(world)
    edit = At("move aside", lambda: world.save(user("gone.md"), b"By an editor"), nth=1)
    die = At("move aside", crash, nth=2)

    def step(name: str) -> None:
        edit(name)
        die(name)

    with pytest.raises(SimulatedCrash):
        world.commit(*changes, step=step)
    assert world.content(user("changed.md")) == NEW
    # Every file fits again, but the run has failed.
    world.save(user("gone.md"), GONE)
    assert world.committer().settle_task("remember-1") is None
    assert world.files() == {"user:changed.md": OLD, "user:gone.md": GONE}


def test_an_applied_change_set_is_not_touched_by_a_later_edit(tmp_path: Path) -> None:
    world = World(tmp_path)
    with pytest.raises(SimulatedCrash):
        world.commit(
            add(user("a.md"), "One fact"),
            add(user("b.md"), "Two facts"),
            step=At("history: unlink open", crash),
        )
    world.save(user("a.md"), document("Edited by hand"))
    world.committer().settle()
    assert world.content(user("b.md")) == document("Two facts")
    assert world.committer().settle_task("remember-1") is not None


def test_a_commit_settles_what_is_open_first(tmp_path: Path) -> None:
    world = World(tmp_path)
    with pytest.raises(SimulatedCrash):
        world.commit(add(user("a.md"), "One fact"), step=At("link new", crash))
    world.commit(add(user("b.md"), "Two facts"), run=run_of("remember-2"))
    assert world.files() == {"user:a.md": document("One fact"), "user:b.md": document("Two facts")}
    assert not world.history.has_open()


def test_another_project_s_change_set_is_settled_under_its_lock(tmp_path: Path) -> None:
    first, second = World(tmp_path, "first"), World(tmp_path, "second")
    with pytest.raises(SimulatedCrash):
        first.commit(add(project("a.md"), "One fact"), step=At("link new", crash))
    with FileLock(first.paths.project.lock_path):
        second.committer(lock_timeout=0.01).settle()
        assert first.content(project("a.md")) is None
        assert first.history.has_open()
    second.commit(add(user("b.md"), "Two facts"), run=run_of("remember-2"))
    assert first.content(project("a.md")) == document("One fact")
    assert "a.md" in first.index(project("a.md").scope)


_KILLED_AT_A_STEP = """
import os, signal, sys
from pathlib import Path
from tests.memory.world import At, World, add, user
world = World(Path(sys.argv[1]))
kill = lambda: os.kill(os.getpid(), signal.SIGKILL)
world.commit(add(user("a.md"), "One fact"), step=At("link new", kill))
"""


def test_a_killed_process_leaves_no_lock_and_its_change_set_is_finished(tmp_path: Path) -> None:
    world = World(tmp_path)
    ended = subprocess.run(
        [sys.executable, "-c", _KILLED_AT_A_STEP, str(tmp_path)],
        cwd=Path(__file__).parents[2],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        check=False,
        timeout=30,
    )
    assert ended.returncode == -signal.SIGKILL
    assert world.content(user("a.md")) is None
    assert world.history.has_open()
    settled = world.committer(lock_timeout=0.0).settle_task("remember-1")
    assert settled is not None
    assert world.files() == {"user:a.md": document("One fact")}
