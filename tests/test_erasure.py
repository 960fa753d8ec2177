from __future__ import annotations

import pytest

from qmemd.erasure import holds, without


@pytest.mark.parametrize(
    ("content", "held"),
    [
        ("so I prefer tabs over spaces.", True),
        ("I prefer tabs", False),
        ("tea", True),
        ("- tea.\n", True),
        ("steam", False),
        ("", False),
    ],
)
def test_short_texts_are_looked_for_as_lines_and_long_ones_anywhere(
    content: str, held: bool
) -> None:
    assert holds(content, ["I prefer tabs over spaces", "tea", ""]) is held


def test_every_string_of_a_value_is_looked_at() -> None:
    value = {"a": ["tea", 1, None, {"b": "tea"}], "tea": "milk"}
    assert without(["tea"], value) == {"a": ["[erased]", 1, None, {"b": "[erased]"}], "tea": "milk"}


@pytest.mark.parametrize(
    ("content", "held"),
    [
        ("/base/user/my-pin.md", True),
        ("Remembered in /base/user/my-pin.md\nand elsewhere", True),
        ("/base/user/not-my-pin.md", False),
        ("/base/user/my-pin.md.bak", False),
    ],
)
def test_a_file_name_that_tells_is_found_at_the_end_of_a_path(content: str, held: bool) -> None:
    assert holds(content, ["/my-pin.md"]) is held
