"""What runs that were killed leave behind, and who removes it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from qmemd.kinds import ChangeState, Scope
from qmemd.memory.changes import FileChange
from tests.memory.world import World, add, document, project, run_of, user

OLD, NEW, GONE = document("Old fact"), document("New fact"), document("Gone fact")


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def _leftovers(world: World) -> list[str]:
    return sorted(path.name for path in world.base.rglob(".qmemd-*.tmp"))


def _changes(world: World) -> list[FileChange]:
    world.save(user("sub/changed.md"), OLD)
    world.save(user("gone.md"), GONE)
    world.paths.user.index_path.write_text("A rule by hand.\n")
    return [
        FileChange(user("sub/changed.md"), OLD, NEW),
        FileChange(user("gone.md"), GONE, None),
        add(project("new/added.md"), "Added fact"),
    ]


_KILLED_AT_AN_EVENT = """
import os, signal, sys
from pathlib import Path
from tests.memory.test_leftovers import _changes
from tests.memory.world import World, run_of
for number in range(1000):
    world = World(Path(sys.argv[1]) / str(number))
    changes = _changes(world)
    if not os.fork():
        left = number
        def count(event, _arguments):
            global left
            if event in ("os.rename", "os.link", "os.remove", "os.mkdir"):
                left -= 1
                if left < 0:
                    os.kill(os.getpid(), signal.SIGKILL)
        sys.addaudithook(count)
        world.commit(*changes, run=run_of())
        os._exit(0)
    if os.wait()[1] == 0:
        break
"""


@pytest.mark.slow
def test_a_kill_at_any_moment_leaves_nothing_after_the_next_commit(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-c", _KILLED_AT_AN_EVENT, str(tmp_path)],
        cwd=Path(__file__).parents[2],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        check=True,
        timeout=120,
    )
    directories = sorted(tmp_path.iterdir(), key=lambda path: int(path.name))
    assert len(directories) > 20
    left = 0
    for directory in directories:
        world = World(directory)
        left += bool(_leftovers(world))
        world.committer().settle()
        next_changes = [add(user("next.md"), "Next"), add(project("next.md"), "Next")]
        world.commit(*next_changes, run=run_of("remember-2"))
        assert _leftovers(world) == [], directory
        applied = world.content(project("new/added.md")) is not None
        assert world.content(user("sub/changed.md")) == (NEW if applied else OLD), directory
        assert world.content(user("gone.md")) == (None if applied else GONE), directory
        texts = b"".join(world.files().values())
        assert b"A rule by hand." in texts, directory
        assert "(next.md)" in world.index(Scope.USER)
    assert left > 5


@pytest.mark.parametrize("next_run", ["commit", "rebuild", "settle"])
def test_what_belongs_to_nothing_is_swept_by_whoever_comes_next(
    world: World, next_run: str
) -> None:
    world.commit(add(user("a.md"), "First"), add(project("a.md"), "First"))
    names = (".qmemd-0123456789abcdef.tmp", ".qmemd-gone-1-0-new.tmp")
    for name in names:
        for place in (user(name), user(f"deep/er/{name}"), project(name)):
            world.save(place, b"half")
    for directory in ("open", "closed"):
        (world.paths.history / directory / names[0]).write_bytes(b"half")
    changes = [add(user("b.md"), "Second"), add(project("b.md"), "Second")]
    if next_run == "commit":
        world.commit(*changes, run=run_of("remember-2"))
    elif next_run == "rebuild":
        world.committer().rebuild_indexes()
    else:
        pid = os.fork()
        if not pid:
            kill = lambda _name: os.kill(os.getpid(), signal.SIGKILL)  # noqa: E731
            world.commit(
                *changes,
                run=run_of("remember-2"),
                step=lambda name: kill(name) if name == "write new" else None,
            )
        os.waitpid(pid, 0)
        world.committer().settle()
        assert world.content(user("b.md")) == document("Second")
    assert _leftovers(world) == []


def test_what_belongs_to_an_open_change_set_stays(world: World) -> None:
    world.commit(add(user("a.md"), "First"))
    (world.paths.history / "open" / "20260730T101112345Z.c-9.t.json").write_bytes(b"junk")
    for name in (".qmemd-c-9-0-old.tmp", ".qmemd-c-9-1-new.tmp"):
        world.save(user(name), b"theirs")
    world.committer().rebuild_indexes()
    assert _leftovers(world) == [".qmemd-c-9-0-old.tmp", ".qmemd-c-9-1-new.tmp"]


@pytest.mark.parametrize("content", [OLD, NEW, b"By an editor"])
def test_a_document_aside_of_a_closed_change_set_is_removed_once_it_is_kept(
    world: World, content: bytes
) -> None:
    world.save(user("sub/a.md"), OLD)
    done = world.commit(FileChange(user("sub/a.md"), OLD, NEW))
    world.save(user(f"sub/.qmemd-{done.change_set_id}-0-old.tmp"), content)
    world.committer().rebuild_indexes()
    assert _leftovers(world) == []
    assert world.content(user("sub/a.md")) == NEW
    found = world.history.load(done.change_set_id)
    assert found is not None
    assert found.state is ChangeState.APPLIED
    assert [kept.content for kept in found.kept] == ([content] if content not in (OLD, NEW) else [])


def test_a_document_aside_that_nobody_knows_stays(world: World) -> None:
    done = world.commit(add(user("a.md"), "First"))
    names = [f".qmemd-{done.change_set_id}-7-old.tmp", ".qmemd-gone-1-0-old.tmp"]
    for name in names:
        world.save(user(name), b"theirs")
    world.save(user(f"other/.qmemd-{done.change_set_id}-0-old.tmp"), b"theirs")
    world.committer().rebuild_indexes()
    assert _leftovers(world) == sorted([*names, f".qmemd-{done.change_set_id}-0-old.tmp"])


def test_files_and_locks_of_others_stay(world: World) -> None:
    world.commit(add(user("a.md"), "First"))
    world.save(user(".qmemd-notes.txt"), b"theirs")
    world.save(user(".other.tmp"), b"theirs")
    before = world.files()
    world.committer().rebuild_indexes()
    assert world.files() == before
    assert world.paths.user.lock_path.exists()
