from __future__ import annotations

import pytest

from qmemd.errors import MemoryFilesError
from tests.memory.world import project, user


@pytest.mark.parametrize(
    "relative", ["", "/a.md", "a//b.md", "./a.md", "../a.md", "a/../b.md", "a/", "a\0.md", ".."]
)
def test_what_is_not_normalised_is_no_memory_path(relative: str) -> None:
    with pytest.raises(MemoryFilesError):
        user(relative)


def test_parts_and_order() -> None:
    path = user("sub/dark mode.md")
    assert path.parts == ("sub", "dark mode.md")
    assert path.name == "dark mode.md"
    assert str(path) == "user:sub/dark mode.md"
    assert sorted([user("a.md"), project("b.md"), project("a.md")]) == [
        project("a.md"),
        project("b.md"),
        user("a.md"),
    ]
