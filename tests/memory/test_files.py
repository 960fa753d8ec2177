from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from qmemd.errors import MemoryFilesError
from qmemd.memory import files, moving


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def _names(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


def test_a_new_file_and_its_directories_are_private(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        files.atomic_write(tmp_path / "a" / "b" / "c.md", b"text")
    finally:
        os.umask(old)
    assert (tmp_path / "a" / "b" / "c.md").read_bytes() == b"text"
    assert _mode(tmp_path / "a" / "b" / "c.md") == 0o600
    assert _mode(tmp_path / "a") == _mode(tmp_path / "a" / "b") == 0o700


def test_an_existing_file_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_bytes(b"old")
    path.chmod(0o644)
    files.atomic_write(path, b"new")
    assert (path.read_bytes(), _mode(path)) == (b"new", 0o644)
    files.atomic_write(path, b"newer", mode=0o400)
    assert (path.read_bytes(), _mode(path)) == (b"newer", 0o400)


def test_a_failed_write_leaves_the_old_content_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_bytes(b"old")
    with pytest.raises(TypeError):
        files.atomic_write(path, "not encoded")  # type: ignore[arg-type]
    (tmp_path / "directory.md").mkdir()
    with pytest.raises(MemoryFilesError):
        files.atomic_write(tmp_path / "directory.md", b"new")
    assert path.read_bytes() == b"old"
    assert _names(tmp_path) == ["a.md", "directory.md"]


def test_a_link_is_replaced_and_its_target_left_alone(tmp_path: Path) -> None:
    outside = tmp_path / "outside.md"
    outside.write_bytes(b"theirs")
    link = tmp_path / "link.md"
    link.symlink_to(outside)
    files.atomic_write(link, b"ours")
    assert outside.read_bytes() == b"theirs"
    assert not link.is_symlink()
    assert link.read_bytes() == b"ours"


def test_no_component_of_a_path_is_followed_through_a_link(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.md").write_bytes(b"theirs")
    root = tmp_path / "root"
    root.mkdir()
    (root / "link").symlink_to(outside)
    with pytest.raises(MemoryFilesError) as caught:
        files.atomic_write(root / "link" / "new.md", b"ours")
    assert caught.value.code == "memory_path_refused"
    with pytest.raises(MemoryFilesError):
        files.atomic_write(root / "link" / "deeper" / "new.md", b"ours")
    with pytest.raises(MemoryFilesError):
        files.read_regular(root, "link/a.md", limit=100)
    with pytest.raises(MemoryFilesError):
        files.read_regular(root / "link", "a.md", limit=100)
    assert _names(outside) == ["a.md"]


def test_a_dangling_link_is_not_a_missing_file(tmp_path: Path) -> None:
    outside = tmp_path / "outside.md"
    (tmp_path / "b.md").symlink_to(outside)
    (tmp_path / "a.md").symlink_to("b.md")
    for name in ("a.md", "b.md"):
        with pytest.raises(MemoryFilesError):
            files.read_regular(tmp_path, name, limit=100)
    with files.open_directory(tmp_path) as directory, pytest.raises(FileExistsError):
        files.write_new(directory, "a.md", b"ours")
    assert not outside.exists()


@pytest.mark.parametrize("relative", ["../a.md", "x/../../a.md", "directory", "fifo", "big"])
def test_only_regular_files_below_the_root_are_read(tmp_path: Path, relative: str) -> None:
    root = tmp_path / "root"
    (root / "directory").mkdir(parents=True)
    (root / "x").mkdir()
    (tmp_path / "a.md").write_bytes(b"theirs")
    (root / "big").write_bytes(b"x" * 101)
    os.mkfifo(root / "fifo")
    with pytest.raises(MemoryFilesError):
        files.read_regular(root, relative, limit=100)


def test_a_missing_file_is_told_from_a_refused_one(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"x" * 100)
    assert files.read_regular(tmp_path, "a.md", limit=100) == b"x" * 100
    for relative in ("b.md", "no/b.md"):
        with pytest.raises(FileNotFoundError):
            files.read_regular(tmp_path, relative, limit=100)
    with pytest.raises(FileNotFoundError):
        files.fsync_dir(tmp_path / "no")


def test_no_descriptor_is_left_open(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    before = len(_names(Path("/dev/fd")))
    for _ in range(5):
        files.atomic_write(tmp_path / "a" / "b.md", b"text")
        files.read_regular(tmp_path, "a/b.md", limit=10)
        with pytest.raises(MemoryFilesError):
            files.read_regular(tmp_path, "link/b.md", limit=10)
        with pytest.raises(FileNotFoundError):
            files.read_regular(tmp_path, "c/d/b.md", limit=10)
    assert len(_names(Path("/dev/fd"))) == before


def test_a_file_with_a_free_name_is_made_whole_or_not_at_all(tmp_path: Path) -> None:
    moving.create_durably(tmp_path / "a" / "b.md", b"text")
    assert (tmp_path / "a" / "b.md").read_bytes() == b"text"
    assert _mode(tmp_path / "a" / "b.md") == 0o600
    (tmp_path / "a" / "c.md").symlink_to(tmp_path / "outside.md")
    for name in ("b.md", "c.md"):
        with pytest.raises(FileExistsError):
            moving.create_durably(tmp_path / "a" / name, b"other")
    assert (tmp_path / "a" / "b.md").read_bytes() == b"text"
    assert _names(tmp_path / "a") == ["b.md", "c.md"]
    assert not (tmp_path / "outside.md").exists()


def test_what_is_set_aside_overwrites_nothing(tmp_path: Path) -> None:
    with files.open_directory(tmp_path) as directory:
        for content in ("1", "2", "3"):
            (tmp_path / "a").write_text(content)
            moving.set_aside_at(directory, "a", "old")
    assert [(tmp_path / name).read_text() for name in ("old", "old-2", "old-3")] == ["1", "2", "3"]


def test_our_own_files_are_known_by_name() -> None:
    assert files.is_temporary(".qmemd-0123.tmp")
    assert not files.is_temporary("qmemd.md")
