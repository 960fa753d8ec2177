from __future__ import annotations

from pathlib import Path

import pytest

from qmemd.errors import MemoryFilesError
from qmemd.kinds import Scope
from qmemd.memory.changes import FileChange
from qmemd.memory.documents import MAX_DOCUMENT_BYTES
from tests.memory.world import World, project, user


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path)
    world.save(user("a.md"), b"a on disk")
    world.save(user("sub/b.md"), b"b on disk")
    return world


def test_nothing_is_written_to_the_disk(world: World) -> None:
    before = world.files()
    draft = world.draft()
    draft.write(user("a.md"), b"new")
    draft.write(project("deep/new.md"), b"new")
    draft.remove(user("sub/b.md"))
    assert world.files() == before
    assert not world.paths.project.path.exists()


def test_a_run_sees_what_it_wrote(world: World) -> None:
    draft = world.draft()
    draft.write(user("a.md"), b"new")
    draft.write(user("c.md"), b"fresh")
    draft.remove(user("sub/b.md"))
    assert draft.read(user("a.md")) == b"new"
    assert draft.read(user("c.md")) == b"fresh"
    assert draft.read(user("sub/b.md")) is None
    assert not draft.exists(user("sub/b.md"))
    assert draft.exists(user("c.md"))


def test_changes_say_what_was_on_disk_at_the_first_look(world: World) -> None:
    draft = world.draft()
    assert draft.read(user("a.md")) == b"a on disk"
    world.save(user("a.md"), b"changed by an editor")
    draft.write(user("a.md"), b"new")
    draft.write(user("a.md"), b"newer")
    draft.write(project("c.md"), b"fresh")
    draft.remove(user("sub/b.md"), merged_into=user("a.md"))
    assert draft.changes() == (
        FileChange(project("c.md"), None, b"fresh"),
        FileChange(user("a.md"), b"a on disk", b"newer"),
        FileChange(user("sub/b.md"), b"b on disk", None, user("a.md")),
    )


def test_what_has_no_effect_drops_out(world: World) -> None:
    draft = world.draft()
    draft.write(user("a.md"), b"a on disk")
    draft.write(user("c.md"), b"fresh")
    draft.remove(user("c.md"))
    draft.remove(user("never.md"))
    assert draft.changes() == ()


def test_a_listing_shows_the_disk_and_the_draft(world: World) -> None:
    draft = world.draft()
    world.save(user(".qmemd-1.tmp"), b"")
    world.absolute(user("link.md")).symlink_to("a.md")
    draft.write(user("new/deep/c.md"), b"fresh")
    draft.write(user("sub/d.md"), b"fresh")
    draft.remove(user("a.md"))
    assert draft.list_directory(Scope.USER) == ["new/", "sub/"]
    assert draft.list_directory(Scope.USER, "sub") == ["b.md", "d.md"]
    assert draft.list_directory(Scope.USER, "new") == ["deep/"]
    assert draft.list_directory(Scope.PROJECT) == []
    assert draft.list_directory(Scope.USER, "missing") == []
    for relative in ("..", "sub/..", "/etc"):
        with pytest.raises(MemoryFilesError):
            draft.list_directory(Scope.USER, relative)
    with pytest.raises(MemoryFilesError):
        draft.list_directory(Scope.USER, "a.md")


def test_links_are_never_followed(world: World, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "x.md").write_bytes(b"theirs")
    world.absolute(user("link.md")).symlink_to(outside / "new.md")
    world.absolute(user("b.md")).symlink_to(outside / "x.md")
    world.absolute(user("chain.md")).symlink_to("b.md")
    world.absolute(user("dir")).symlink_to(outside)
    draft = world.draft()
    for relative in ("link.md", "b.md", "chain.md", "dir/x.md", "dir/new.md"):
        for use in (draft.read, draft.exists, draft.remove, lambda path: draft.write(path, b"x")):
            with pytest.raises(MemoryFilesError):
                use(user(relative))
    with pytest.raises(MemoryFilesError):
        draft.list_directory(Scope.USER, "dir")
    assert draft.changes() == ()


def test_a_root_behind_a_link_is_refused(world: World, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    world.paths.project.path.parent.mkdir(parents=True)
    world.paths.project.path.symlink_to(outside)
    with pytest.raises(MemoryFilesError):
        world.draft().write(project("a.md"), b"x")


def test_a_document_over_the_limit_is_refused(world: World) -> None:
    world.save(user("big.md"), b"x" * (MAX_DOCUMENT_BYTES + 1))
    with pytest.raises(MemoryFilesError):
        world.draft().read(user("big.md"))
