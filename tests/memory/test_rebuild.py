from __future__ import annotations

import os
from pathlib import Path

import pytest

from qmemd.errors import MemoryFilesError
from qmemd.kinds import Scope, Topic
from qmemd.memory.documents import MAX_DOCUMENT_BYTES, parse, render
from qmemd.memory.paths import Root
from qmemd.memory.rebuild import rebuild_index
from qmemd.memory.scan import Scanner

LINE = "- [A](a.md) — d\n"


@pytest.fixture
def root(tmp_path: Path) -> Root:
    path = tmp_path.resolve() / "memories"
    path.mkdir()
    return Root(Scope.USER, path)


def add(root: Root, name: str = "A", path: str = "a.md") -> None:
    (root.path / path).write_bytes(render(name, "d", Topic.USER, "b"))


def rebuild(root: Root) -> bool:
    return rebuild_index(Scanner().scan(root))


def names(root: Root) -> list[str]:
    return sorted(path.name for path in root.path.iterdir())


def test_the_index_follows_the_files(root: Root) -> None:
    add(root)
    assert rebuild(root)
    assert root.index_path.read_text() == LINE
    assert root.index_path.stat().st_mode & 0o777 == 0o600
    (root.path / "a.md").rename(root.path / "b.md")
    assert rebuild(root)
    assert root.index_path.read_text() == "- [A](b.md) — d\n"
    (root.path / "b.md").unlink()
    assert rebuild(root)
    assert root.index_path.read_bytes() == b""
    assert names(root) == ["MEMORY.md"]


def test_an_index_that_is_right_is_not_written(root: Root) -> None:
    add(root)
    rebuild(root)
    before = root.index_path.stat()
    assert not rebuild(root)
    assert root.index_path.stat().st_ino == before.st_ino


def test_an_existing_mode_stays(root: Root) -> None:
    add(root)
    root.index_path.write_text("")
    root.index_path.chmod(0o644)
    assert rebuild(root)
    assert root.index_path.stat().st_mode & 0o777 == 0o644


def test_an_empty_root_gets_an_empty_index_and_a_missing_one_nothing(root: Root) -> None:
    assert rebuild(root)
    assert root.index_path.read_bytes() == b""
    missing = Root(Scope.PROJECT, root.path.parent / "none")
    assert not rebuild(missing)
    assert not missing.path.exists()


def test_generated_lines_of_others_are_not_kept(root: Root) -> None:
    add(root)
    root.index_path.write_bytes(
        "\ufeff- [Gone](gone.md) — x\r\n\r\n- [[WIP]](my plan.md) — y\n> WARNING: 9 more".encode()
    )
    assert rebuild(root)
    assert names(root) == ["MEMORY.md", "a.md"]
    assert root.index_path.read_text() == LINE


def test_what_a_person_wrote_becomes_a_document_first(root: Root) -> None:
    text = "# Rules\r\n\nFirst paragraph.\n- [Gone](gone.md) — x\n\nSecond: é 🚀 "
    root.index_path.write_bytes(f"\n{text}".encode())
    assert rebuild(root)
    kept = parse((root.path / "kept-from-index.md").read_bytes())
    assert kept.body == "# Rules\r\n\nFirst paragraph.\n\nSecond: é 🚀 "
    assert kept.topic is Topic.USER
    assert root.index_path.read_text().startswith("- [Kept from MEMORY.md](kept-from-index.md) — ")
    assert not rebuild(root)


def test_text_written_later_is_kept_beside_the_first(root: Root) -> None:
    root.index_path.write_text("one")
    rebuild(root)
    root.index_path.write_text(root.index_path.read_text() + "two")
    rebuild(root)
    bodies = [parse((root.path / f"kept-from-index{n}.md").read_bytes()).body for n in ("", "-2")]
    assert bodies == ["one", "two"]
    assert len(root.index_path.read_text().splitlines()) == 2


def test_text_that_is_kept_already_is_not_kept_twice(root: Root) -> None:
    root.index_path.write_text("one")
    rebuild(root)
    root.index_path.write_text("one\n")
    rebuild(root)
    assert names(root) == ["MEMORY.md", "kept-from-index.md"]


@pytest.mark.parametrize(
    "data",
    [
        LINE.encode() + b"\xff\xfe",
        b"a\0b",
        b"x" * (MAX_DOCUMENT_BYTES + 1),
        b"x" * (MAX_DOCUMENT_BYTES - 1),
    ],
)
def test_what_cannot_be_a_document_is_set_aside(root: Root, data: bytes) -> None:
    add(root)
    for _ in range(2):
        root.index_path.write_bytes(data)
        assert rebuild(root)
        assert root.index_path.read_text() == LINE
    assert (root.path / "MEMORY.md.unreadable").read_bytes() == data
    assert (root.path / "MEMORY.md.unreadable-2").read_bytes() == data


def test_a_link_is_replaced_and_its_target_intact(root: Root, tmp_path: Path) -> None:
    add(root)
    outside = tmp_path / "outside.md"
    outside.write_text("theirs")
    root.index_path.symlink_to(outside)
    assert rebuild(root)
    assert outside.read_text() == "theirs"
    assert not root.index_path.is_symlink()
    assert root.index_path.read_text() == LINE


def test_a_directory_in_its_place_is_an_error_and_stays(root: Root) -> None:
    add(root)
    root.index_path.mkdir()
    (root.index_path / "x").write_text("x")
    with pytest.raises(MemoryFilesError, match=r"MEMORY\.md") as caught:
        rebuild(root)
    assert caught.value.code == "memory_index_failed"
    assert (root.index_path / "x").read_text() == "x"


def test_a_fifo_in_its_place_holds_nobody_up(root: Root) -> None:
    os.mkfifo(root.index_path)
    with pytest.raises(MemoryFilesError):
        rebuild(root)


def test_an_incomplete_scan_leaves_the_old_index(root: Root) -> None:
    add(root)
    root.index_path.write_text("- [Old](old.md) — x\n")
    (root.path / ("d/" * 101)).mkdir(parents=True)
    with pytest.raises(MemoryFilesError):
        rebuild(root)
    assert root.index_path.read_text() == "- [Old](old.md) — x\n"


def test_a_root_behind_a_link_is_not_written(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (tmp_path / "memories").symlink_to(outside)
    with pytest.raises(MemoryFilesError):
        rebuild(Root(Scope.USER, tmp_path.resolve() / "memories"))
    assert list(outside.iterdir()) == []


def test_kept_text_of_a_project_is_a_project_document(tmp_path: Path) -> None:
    root = Root(Scope.PROJECT, tmp_path.resolve())
    root.index_path.write_text("rule")
    rebuild(root)
    assert parse((root.path / "kept-from-index.md").read_bytes()).topic is Topic.PROJECT
