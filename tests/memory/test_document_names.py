from __future__ import annotations

import os
from pathlib import Path

import pytest

from qmemd.memory.document_names import is_document_name, is_index, is_pinned
from qmemd.memory.files import open_directory
from qmemd.memory.memorypath import MemoryPath
from tests.memory.world import user


@pytest.mark.parametrize(
    "relative",
    [
        "a.md",
        "python/memory.md",
        "python/MEMORY.md",
        "memory.md",
        "Memory.md",
        ".md",
        ".hidden.md",
        ".hidden/a.md",
        "x.md/a.md",
        "a\nb.md",
        "Pinned/a.md",
        "记/忆.md",
        "qmemd-.md",
    ],
)
def test_every_name_that_ends_so_is_a_document(relative: str) -> None:
    assert is_document_name(relative)
    assert MemoryPath(user(relative).scope, relative).relative == relative


@pytest.mark.parametrize(
    "relative",
    ["MEMORY.md", "a.MD", "a.md.txt", "md", ".qmemd-x.md", ".QMEMD-x/a.md", "a/.qmemd-/b.md"],
)
def test_the_index_ours_and_others_are_none(relative: str) -> None:
    assert not is_document_name(relative)


def test_a_name_that_is_not_utf8_is_none() -> None:
    assert not is_document_name(os.fsdecode(b"\xff.md"))
    assert not is_document_name(os.fsdecode(b"\xff/a.md"))


@pytest.mark.parametrize(
    ("relative", "pinned"),
    [
        ("pinned/a.md", True),
        ("Pinned/deep/a.md", True),
        ("PINNED/a.md", True),
        ("pin\u200bned/a.md", True),
        ("pinned.md", False),
        ("pinned", False),
        ("a/pinned/b.md", False),
        ("pinned-too/a.md", False),
    ],
)
def test_what_is_pinned(relative: str, pinned: bool) -> None:
    assert is_pinned(relative) == pinned


def test_another_spelling_is_the_index_only_where_it_is_the_same_file(tmp_path: Path) -> None:
    with open_directory(tmp_path.resolve()) as root:
        assert is_index(root, "MEMORY.md")
        assert not is_index(root, "memory.md")
        (tmp_path / "MEMORY.md").write_text("")
        assert not is_index(root, "memory.md")
        if (tmp_path / "memory.md").exists():
            pytest.skip("this disk knows no case")
        (tmp_path / "Memory.md").write_text("a document of its own")
        assert not is_index(root, "Memory.md")
        # What a disk shows that knows no case.
        (tmp_path / "memory.md").hardlink_to(tmp_path / "MEMORY.md")
        assert is_index(root, "memory.md")
        assert not is_index(root, "sub/memory.md")
        (tmp_path / "other.md").hardlink_to(tmp_path / "MEMORY.md")
        assert not is_index(root, "other.md")
