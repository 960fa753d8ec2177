from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qmemd.errors import MemoryFilesError
from qmemd.kinds import Scope, Topic
from qmemd.memory.documents import parse
from qmemd.memory.entries import Entry, entries_of, remove_entry

LIST = """---
name: Habits
type: feedback
keywords: [a,  b]
---

# Habits

- Use tabs
  Why: the old code does
  How to apply: in new files
- Use tabs
  - Why: the linter says so

## More

- Ask first
"""


def entries(text: str, path: str = "list.md", scope: Scope = Scope.USER) -> tuple[Entry, ...]:
    return entries_of(scope, path, parse(text.encode()))


def removed(text: str, number: int, expected: str) -> str | None:
    rest = remove_entry(text.encode(), number, expected)
    return None if rest is None else rest.decode()


def test_a_list_has_an_entry_for_each_bullet() -> None:
    found = entries(LIST)
    assert [entry.entry_id for entry in found] == [f"user:list.md:{n}" for n in range(3)]
    assert [entry.text for entry in found] == [
        "Use tabs\nWhy: the old code does\nHow to apply: in new files",
        "Use tabs\n- Why: the linter says so",
        "Ask first",
    ]
    assert {entry.topic for entry in found} == {Topic.FEEDBACK}
    assert {entry.name for entry in found} == {"Habits"}
    assert [entry.description for entry in found] == ["Use tabs", "Use tabs", "Ask first"]


@pytest.mark.parametrize(
    "body",
    [
        "One fact.\n\n**Why:** x",
        "Intro:\n- a\n- b",
        "- a\n- b\nUnindented text",
        "  indented first\n- a",
        "# Only a heading",
        "- a\n\n# H\n\n  indented below a heading",
        "* a\n* b",
        "1. a\n2. b",
        "-no blank",
        "",
    ],
)
def test_anything_else_is_one_entry(body: str) -> None:
    (entry,) = entries(f"---\nname: N\ndescription: D\ntype: user\n---\n\n{body}\n")
    assert entry.number is None
    assert entry.entry_id == "user:list.md"
    assert entry.text == body
    assert (entry.name, entry.description) == ("N", "D")


@pytest.mark.parametrize(
    ("text", "count"),
    [("- a", 1), ("- a\r\n  Why: b\r\n- c\r\n", 2), ("- a\n\n\tb\n\n- c\n", 2), ("#\n- a\n", 1)],
)
def test_lists_need_no_head(text: str, count: int) -> None:
    assert len(entries(text)) == count


def test_text_of_a_crlf_bullet_has_plain_newlines() -> None:
    assert entries("- a \r\n  Why: b\r\n- c\r\n")[0].text == "a\nWhy: b"


@pytest.mark.parametrize(
    ("path", "scope", "topic"),
    [
        ("x.md", Scope.USER, Topic.USER),
        ("x.md", Scope.PROJECT, Topic.PROJECT),
        ("reference/x.md", Scope.PROJECT, Topic.REFERENCE),
        ("feedback.md", Scope.USER, Topic.FEEDBACK),
    ],
)
def test_what_stands_in_for_a_missing_type(path: str, scope: Scope, topic: Topic) -> None:
    assert entries("text", path, scope)[0].topic is topic


def test_what_stands_in_for_a_missing_name_and_description() -> None:
    (entry,) = entries("\n First line. \nSecond.", "deep/dark-mode.md")
    assert (entry.name, entry.description) == ("dark-mode", "First line.")


def test_removing_takes_one_bullet_and_no_other_byte() -> None:
    assert removed(LIST, 1, "Use tabs\n- Why: the linter says so") == LIST.replace(
        "- Use tabs\n  - Why: the linter says so\n", ""
    )


@pytest.mark.parametrize(
    ("text", "number", "rest"),
    [
        ("- a\r\n- b\r\n- c", 2, "- a\r\n- b\r\n"),
        ("- a\r\n- b\r\n- c", 0, "- b\r\n- c"),
        ("\ufeff# H\n\n- a\n\n- b\n\n\n", 0, "\ufeff# H\n\n\n- b\n\n\n"),
        ("---\r\nx:  1\r\n---\r\n- a\n\n  more\n\n- b\n", 0, "---\r\nx:  1\r\n---\r\n\n- b\n"),
    ],
)
def test_newlines_blank_lines_and_heads_stay(text: str, number: int, rest: str) -> None:
    assert removed(text, number, entries(text)[number].text) == rest


def test_the_last_entry_takes_the_document_with_it() -> None:
    assert removed("---\nname: n\n---\n# H\n\n- a\n", 0, "a") is None


def test_an_entry_that_moved_is_found_by_its_text() -> None:
    moved = "- new\n- a\n  Why: 2\n- a\n  Why: 1\n"
    assert removed(moved, 0, "a\nWhy:   1") == "- new\n- a\n  Why: 2\n"


def test_of_equal_entries_the_chosen_one_goes() -> None:
    assert removed("- a\n- b\n- a\n", 2, "a") == "- a\n- b\n"


@pytest.mark.parametrize(
    ("text", "number", "expected"),
    [
        ("- a\n- b\n", 0, "gone"),
        ("- x\n- a\n- a\n", 0, "a"),
        ("- a\n- b\n", 5, "c"),
        ("- a changed\n", 0, "a"),
        ("Now prose.\n- a\n", 0, "a"),
        ("", 0, "a"),
    ],
)
def test_what_is_not_certain_is_a_conflict(text: str, number: int, expected: str) -> None:
    with pytest.raises(MemoryFilesError) as caught:
        removed(text, number, expected)
    assert caught.value.code == "change_conflict"


words = st.text("ab:#é🚀 -", min_size=0, max_size=6).map(str.strip)
newlines = st.sampled_from(["\n", "\r\n"])
bullets = st.builds(
    lambda first, rest, ending, gap: (
        "".join(f"{line}{ending}" for line in (f"- {first}", *(f"  {more}" for more in rest))) + gap
    ),
    words,
    st.lists(words.filter(bool), max_size=2),
    newlines,
    st.sampled_from(["", "\n", "\r\n\n"]),
)
heads = st.sampled_from(
    ["", "---\nname: n\r\nx:   [1]\n---\n\n", "\ufeff---\r\n---\r\n", "# H\n\n"]
)


@given(heads, st.lists(bullets, min_size=2, max_size=5), st.data())
def test_removing_any_entry_leaves_every_other_byte(
    start: str, parts: list[str], data: st.DataObject
) -> None:
    text = start + "".join(parts)
    found = entries(text)
    assert len(found) == len(parts)
    number = data.draw(st.integers(0, len(parts) - 1))
    rest = remove_entry(text.encode(), number, found[number].text)
    assert rest is not None
    # What is left of the bullet's part is the blank lines behind it.
    gap = parts[number][len(parts[number].rstrip("\r\n")) :].split("\n", 1)[1]
    expected = start + "".join(parts[:number]) + gap + "".join(parts[number + 1 :])
    assert rest == expected.encode()
    left = [entry.text for entry in entries(rest.decode())]
    assert left == [entry.text for entry in found if entry.number != number]
