from __future__ import annotations

import os
import stat
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from qmemd.errors import TaskFailedError
from qmemd.kinds import ChangeState, Scope, TaskKind
from qmemd.memory.changes import ChangeSet, FileChange
from qmemd.memory.locks import FileLock
from qmemd.memory.paths import resolve_paths
from tests.memory.world import At, World, add, document, project, run_of, user

OLD, NEW, FOREIGN = document("Old fact"), document("New fact"), document("By an editor")


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def _code(call: Callable[[], object]) -> str:
    with pytest.raises(TaskFailedError) as caught:
        call()
    return caught.value.code


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_commit_changes_the_files_the_indexes_and_the_history(world: World) -> None:
    world.save(user("old.md"), OLD)
    world.save(user("gone.md"), document("Gone"))
    change_set = world.commit(
        FileChange(user("old.md"), OLD, NEW),
        FileChange(user("gone.md"), document("Gone"), None),
        add(project("sub/new.md"), "Added"),
    )
    assert world.files() == {
        "user:old.md": NEW,
        "project:sub/new.md": document("Added"),
    }
    assert "New fact" in world.index(Scope.USER)
    assert "Gone" not in world.index(Scope.USER)
    assert "(sub/new.md)" in world.index(Scope.PROJECT)
    assert change_set.state is ChangeState.APPLIED
    assert change_set.result == {"summary": "Saved.", "changeSetId": "app-1"}
    assert change_set.touched_scopes == (Scope.PROJECT, Scope.USER)
    assert (change_set.client_id, change_set.model) == ("client-1", "offline")
    found = world.history.find_task("remember-1")
    assert found is not None
    assert (found.files, found.result) == (change_set.files, change_set.result)
    assert not world.history.has_open()


def test_only_the_index_of_a_touched_scope_is_rebuilt(world: World) -> None:
    world.save(project("by-hand.md"), OLD)
    world.commit(add(user("a.md"), "First"))
    assert not world.paths.project.index_path.exists()


def test_new_files_are_private_and_existing_modes_are_kept(world: World) -> None:
    world.save(user("a.md"), OLD, mode=0o640)
    world.commit(FileChange(user("a.md"), OLD, NEW), add(user("deep/er/b.md"), "Second"))
    root = world.paths.user.path
    assert _mode(root / "a.md") == 0o640
    assert _mode(root / "deep/er/b.md") == _mode(root / "MEMORY.md") == 0o600
    assert _mode(root / "deep") == _mode(root / "deep/er") == 0o700
    assert _mode(world.base / "qmemd") == _mode(world.paths.history) == 0o700


def test_emptied_directories_stay(world: World) -> None:
    world.save(user("sub/a.md"), OLD)
    world.commit(FileChange(user("sub/a.md"), OLD, None))
    assert world.absolute(user("sub")).is_dir()


def test_nothing_to_commit_is_a_mistake_of_the_caller(world: World) -> None:
    with pytest.raises(ValueError, match="nothing"):
        world.commit()


def test_a_run_that_may_not_commit_leaves_no_trace(world: World) -> None:
    asked = []

    def may_commit() -> bool:
        asked.append(world.files())
        return False

    change = add(user("a.md"), "First")
    assert _code(lambda: world.commit(change, may_commit=may_commit)) == "task_cancelled"
    assert len(asked) == 1
    assert world.files() == {}
    assert not world.paths.user.path.exists()
    assert world.history.find_task("remember-1") is None


def test_the_checks_come_before_the_commit_point(world: World) -> None:
    change = add(user("pinned/a.md"), "First")
    assert _code(lambda: world.commit(change)) == "remember_failed"
    assert world.history.find_task("remember-1") is None
    dream = run_of("dream-1", TaskKind.DREAM)
    world.save(user("a.md"), OLD)
    removal = FileChange(user("a.md"), OLD, None)
    assert _code(lambda: world.commit(removal, run=dream)) == "dream_unsafe"
    assert world.files() == {"user:a.md": OLD}


# Other programs at the same files


@pytest.mark.parametrize("present", [FOREIGN, NEW, None])
def test_a_file_that_changed_since_it_was_read_is_not_overwritten(
    world: World, present: bytes | None
) -> None:
    if present is not None:
        world.save(user("a.md"), present)
    changes = [add(user("b.md"), "Second"), FileChange(user("a.md"), OLD, NEW)]
    assert _code(lambda: world.commit(*changes)) == "change_conflict"
    assert world.files() == ({} if present is None else {"user:a.md": present})


def test_a_file_that_appeared_is_not_overwritten(world: World) -> None:
    world.save(user("a.md"), FOREIGN)
    assert _code(lambda: world.commit(add(user("a.md"), "New fact"))) == "change_conflict"
    assert world.files() == {"user:a.md": FOREIGN}


@pytest.mark.parametrize("step", ["write new", "move aside", "compare", "link new"])
def test_an_editor_that_saves_by_renaming_while_we_replace(world: World, step: str) -> None:
    def save() -> None:
        temporary = world.absolute(user("editor.tmp"))
        temporary.write_bytes(FOREIGN)
        temporary.rename(world.absolute(user("a.md")))

    world.save(user("a.md"), OLD)
    changes = [add(user("0.md"), "First"), FileChange(user("a.md"), OLD, NEW)]
    nth = 1 if step in ("write new", "link new") else 0
    code = _code(lambda: world.commit(*changes, step=At(step, save, nth=nth)))
    assert code == "change_conflict"
    assert world.files() == {"user:a.md": FOREIGN}
    assert "By an editor" in world.index(Scope.USER)
    assert not world.history.has_open()
    found = world.history.find_task("remember-1")
    assert found is not None
    assert found.state is ChangeState.CONFLICT


@pytest.mark.parametrize("step", ["write new", "move aside", "compare"])
def test_an_editor_that_writes_in_place_before_we_compared(world: World, step: str) -> None:
    world.save(user("a.md"), OLD, mode=0o640)
    change = FileChange(user("a.md"), OLD, NEW)
    with world.absolute(user("a.md")).open("r+b", buffering=0) as editor:
        code = _code(lambda: world.commit(change, step=At(step, lambda: editor.write(FOREIGN))))
    assert code == "change_conflict"
    assert world.files() == {"user:a.md": FOREIGN}
    assert _mode(world.absolute(user("a.md"))) == 0o640


@pytest.mark.parametrize(
    ("step", "after"),
    [
        ("link new", NEW),
        ("sync directories", NEW),
        ("sync directories", None),
        ("rebuild user index", NEW),
        ("rebuild user index", None),
        ("unlink aside", NEW),
        ("unlink aside", None),
    ],
)
def test_an_editor_that_writes_in_place_after_we_compared_is_kept_in_the_history(
    world: World, step: str, after: bytes | None
) -> None:
    world.save(user("a.md"), OLD)
    change = FileChange(user("a.md"), OLD, after)
    with world.absolute(user("a.md")).open("r+b", buffering=0) as editor:
        change_set = world.commit(change, step=At(step, lambda: editor.write(FOREIGN)))
    assert world.files() == ({} if after is None else {"user:a.md": after})
    found = world.history.load(change_set.change_set_id)
    assert found is not None
    assert [(kept.path, kept.content) for kept in found.kept] == [(user("a.md"), FOREIGN)]
    assert "kept in the history" in change_set.result["summary"]


def test_a_file_that_turns_into_a_link_is_not_followed(world: World, tmp_path: Path) -> None:
    outside = tmp_path / "outside.md"
    outside.write_bytes(OLD)
    world.save(user("a.md"), OLD)

    def swap() -> None:
        world.absolute(user("a.md")).unlink()
        world.absolute(user("a.md")).symlink_to(outside)

    for step in ("write new", "move aside"):
        world.save(user("a.md"), OLD)
        change = FileChange(user("a.md"), OLD, NEW)
        code = _code(lambda: world.commit(change, step=At(step, swap)))  # noqa: B023 - used at once
        assert code == "change_conflict"
        assert outside.read_bytes() == OLD
        assert world.absolute(user("a.md")).is_symlink()
        world.absolute(user("a.md")).unlink()


def test_a_file_that_turns_into_a_directory_is_left_alone(world: World) -> None:
    def swap() -> None:
        world.absolute(user("a.md")).unlink()
        world.save(user("a.md/inside.md"), FOREIGN)

    world.save(user("a.md"), OLD)
    change = FileChange(user("a.md"), OLD, NEW)
    assert _code(lambda: world.commit(change, step=At("move aside", swap))) == "change_conflict"
    assert world.files() == {"user:a.md/inside.md": FOREIGN}


def test_a_directory_that_turns_into_a_link_is_not_followed(world: World, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()

    def swap() -> None:
        world.absolute(user("sub")).rmdir()
        world.absolute(user("sub")).symlink_to(outside)

    world.absolute(user("sub")).mkdir(parents=True)
    change = add(user("sub/a.md"), "First")
    code = _code(lambda: world.commit(change, step=At("history: write open", swap)))
    assert code in ("change_conflict", "remember_failed")
    assert not list(outside.iterdir())


def test_a_file_written_by_hand_during_a_run_is_in_the_index(world: World) -> None:
    world.save(user("a.md"), OLD)
    draft = world.draft()
    draft.read(user("a.md"))
    draft.write(user("a.md"), NEW)
    world.save(user("by-hand.md"), FOREIGN)
    world.commit(*draft.changes())
    assert "(by-hand.md)" in world.index(Scope.USER)
    assert "New fact" in world.index(Scope.USER)


# Roots and links


def test_a_base_behind_a_link_is_fine(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "base").symlink_to(tmp_path / "real")
    world = World(tmp_path)
    world.commit(add(user("a.md"), "First"), add(project("b.md"), "Second"))
    assert (tmp_path / "real" / "memories" / "a.md").exists()


@pytest.mark.parametrize("depth", ["memory", "slug"])
def test_a_root_behind_a_link_is_refused(world: World, tmp_path: Path, depth: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    root = world.paths.project.path
    link = root if depth == "memory" else root.parent
    link.parent.mkdir(parents=True)
    link.symlink_to(outside)
    assert _code(lambda: world.commit(add(project("a.md"), "First"))) == "remember_failed"
    assert not list(outside.iterdir())
    assert world.history.find_task("remember-1") is None


@pytest.mark.parametrize("odd", [".qwen", ".qwen/memory", "file"])
def test_a_root_that_is_not_touched_is_not_judged(tmp_path: Path, odd: str) -> None:
    outside = tmp_path / "outside"
    (outside / "memory").mkdir(parents=True)
    world = World(tmp_path)
    world.paths = resolve_paths(world.base, world.workspace, local=True)
    if odd == "file":
        (world.workspace / ".qwen").write_text("")
    else:
        link = world.workspace / odd
        link.parent.mkdir(exist_ok=True)
        link.symlink_to(outside)
    world.commit(add(user("a.md"), "First"))
    assert world.content(user("a.md")) == document("First")
    assert "First" in world.index(Scope.USER)
    world.save(user("by-hand.md"), OLD)
    warnings = world.committer().rebuild_indexes()
    assert "by-hand.md" in world.index(Scope.USER)
    failed = ("The index of the project memory could not be rebuilt.",)
    assert warnings == (() if odd == "file" else failed)
    change, run = add(project("b.md"), "Second"), run_of("remember-2")
    assert _code(lambda: world.commit(change, run=run)) == "remember_failed"
    assert sorted(outside.rglob("*")) == [outside / "memory"]
    assert not world.history.has_open()


def test_a_dangling_link_is_no_new_file(world: World, tmp_path: Path) -> None:
    world.paths.user.path.mkdir(parents=True)
    world.absolute(user("a.md")).symlink_to(tmp_path / "outside.md")
    assert _code(lambda: world.commit(add(user("a.md"), "First"))) == "change_conflict"
    assert not (tmp_path / "outside.md").exists()
    assert world.absolute(user("a.md")).is_symlink()


# The index


@pytest.mark.parametrize("odd", ["directory", "link", "junk"])
def test_an_odd_index_costs_no_document_and_loses_nothing(
    world: World, tmp_path: Path, odd: str
) -> None:
    outside = tmp_path / "outside.md"
    outside.write_bytes(b"theirs")
    index = world.paths.user.index_path
    index.parent.mkdir(parents=True)
    if odd == "directory":
        (index / "inside").mkdir(parents=True)
    elif odd == "link":
        index.symlink_to(outside)
    else:
        index.write_bytes(b"- [a](a.md) \xe2\x80\x94 x\n\xff\xfe\n")
    change_set = world.commit(add(user("a.md"), "First"))
    assert world.content(user("a.md")) == document("First")
    assert change_set.state is ChangeState.APPLIED
    assert outside.read_bytes() == b"theirs"
    failed = "could not be rebuilt" in change_set.result["summary"]
    assert failed == (odd == "directory")
    if odd == "directory":
        assert (index / "inside").is_dir()
        found = world.history.load(change_set.change_set_id)
        assert found is not None
        assert found.result == change_set.result
    if odd == "junk":
        assert any(b"\xff\xfe" in content for content in world.files().values())


def test_files_that_cannot_be_read_are_counted(world: World) -> None:
    world.save(user("bad.md"), b"\xff")
    sentence = "1 file of the user memory could not be read and is left out of the index."
    assert world.commit(add(user("a.md"), "First")).result["summary"] == f"Saved. {sentence}"
    world.save(project("bad.md"), b"\xff")
    world.save(project("worse.md"), b"a\0b")
    assert world.committer().rebuild_indexes() == (
        sentence,
        "2 files of the project memory could not be read and are left out of the index.",
    )


def test_a_document_that_the_disk_takes_for_the_index_is_not_written(world: World) -> None:
    world.save(user("a.md"), OLD)
    world.committer().rebuild_indexes()
    index = world.paths.user.index_path
    before = index.read_bytes()
    index.with_name("memory.md").hardlink_to(index)
    change = FileChange(user("memory.md"), before, NEW)
    assert _code(lambda: world.commit(change)) == "remember_failed"
    assert index.read_bytes() == before


def test_rebuilding_alone_writes_only_what_differs(world: World) -> None:
    committer = world.committer()
    assert committer.rebuild_indexes() == ()
    assert not world.base.exists()
    world.save(user("by-hand.md"), OLD)
    assert committer.rebuild_indexes() == ()
    index = world.paths.user.index_path
    assert "by-hand.md" in world.index(Scope.USER)
    written = index.stat().st_mtime_ns
    assert committer.rebuild_indexes() == ()
    assert index.stat().st_mtime_ns == written
    index.unlink()
    index.mkdir()
    assert committer.rebuild_indexes() == ("The index of the user memory could not be rebuilt.",)


# Locks


def test_a_commit_waits_for_the_locks_only_so_long(world: World) -> None:
    change = add(user("a.md"), "First")
    for root in world.paths.roots:
        with FileLock(root.lock_path):
            assert _code(lambda: world.commit(change, lock_timeout=0.01)) == "remember_failed"
            assert world.committer(lock_timeout=0.01).rebuild_indexes() == ()
    assert world.files() == {}
    world.commit(change, lock_timeout=0.01)


def test_commits_of_many_threads_do_not_mix(world: World) -> None:
    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            world.commit(
                add(user(f"{number}.md"), f"Fact {number}"), run=run_of(f"remember-{number}")
            )
        except BaseException as error:  # noqa: BLE001 - shown by the test's own thread
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=20)
    assert failures == []
    assert len(world.files()) == 8
    assert world.index(Scope.USER).count("](") == 8


def test_a_project_s_memory_is_not_mixed_with_another_s(tmp_path: Path) -> None:
    first = World(tmp_path, "a-b")
    second = World(tmp_path, "a/b")
    assert first.paths.project.path == second.paths.project.path
    first.commit(add(project("a.md"), "First"))
    change = add(project("b.md"), "Second")
    assert _code(lambda: second.commit(change, run=run_of("remember-2"))) == "remember_failed"
    assert first.files() == {"project:a.md": document("First")}


@pytest.mark.parametrize("removal", [True, False])
def test_a_read_only_directory_fails_the_run_as_a_whole(world: World, removal: bool) -> None:
    world.save(user("0.md"), OLD)
    world.save(user("sub/a.md"), OLD)
    directory = world.absolute(user("sub"))
    directory.chmod(0o500)
    if os.access(directory, os.W_OK):
        pytest.skip("nothing is read-only for this user")
    changes = [
        FileChange(user("0.md"), OLD, None if removal else NEW),
        FileChange(user("sub/a.md"), OLD, None if removal else NEW),
    ]
    try:
        assert _code(lambda: world.commit(*changes)) == "remember_failed"
    finally:
        directory.chmod(0o700)
    assert world.files() == {"user:0.md": OLD, "user:sub/a.md": OLD}
    assert not world.history.has_open()


def test_the_result_is_stored_before_the_first_file_changes(world: World) -> None:
    seen: list[ChangeSet] = []
    world.commit(
        add(user("a.md"), "First"),
        step=At("write new", lambda: seen.extend(world.history.opened())),
    )
    assert [change_set.result["summary"] for change_set in seen] == ["Saved."]


def test_meta_data_that_cannot_be_written_costs_nothing(world: World) -> None:
    (world.paths.project_state / "meta.json").mkdir(parents=True)
    world.commit(add(project("a.md"), "First"))
    assert world.files() == {"project:a.md": document("First")}
