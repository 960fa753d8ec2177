from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qmemd.kinds import Scope, Topic
from qmemd.memory.documents import Document
from qmemd.memory.found import FoundDocument
from qmemd.memory.index import MAX_BYTES, MAX_ENTRIES, MAX_LINE, is_generated, render_index

LINE = re.compile(r"- \[((?:[^\\\[\]]|\\.)+)\]\(([^()\s]+)\) — (.+)")
"""One entry, as a Markdown reader takes it apart."""


def found(
    path: str = "a.md",
    name: str | None = "Name",
    description: str | None = "Text",
    topic: Topic | None = Topic.USER,
    mtime_ns: int = 0,
) -> FoundDocument:
    document = Document(name, description, topic, "", has_head=True)
    return FoundDocument(
        Scope.USER, path, Path("/m") / path, document, (), mtime_ns, 0, "", pinned=False
    )


def line_of(document: FoundDocument) -> str:
    line, end = render_index([document]).decode().split("\n")
    assert end == ""
    return line


def test_an_entry() -> None:
    assert line_of(found("deep/dark mode.md", "Dark mode", "Likes it")) == (
        "- [Dark mode](deep/dark%20mode.md) — Likes it"
    )


def test_what_stands_in_for_what_a_document_does_not_say() -> None:
    assert line_of(found("x/dark-mode.md", None, None)) == "- [dark-mode](x/dark-mode.md) — user"
    assert line_of(found("feedback/a.md", " ", "\n", None)) == "- [a](feedback/a.md) — feedback"
    assert line_of(found(".md", None, "d")) == "- [untitled](.md) — d"


def test_newest_first_then_by_path() -> None:
    documents = [found("b.md", mtime_ns=1), found("c.md", mtime_ns=2), found("a.md", mtime_ns=1)]
    text = render_index(documents).decode()
    assert re.findall(r"\((.*?)\)", text) == ["c.md", "a.md", "b.md"]
    assert render_index(documents[::-1]).decode() == text


def test_an_empty_root_has_an_empty_index() -> None:
    assert render_index([]) == b""


@pytest.mark.parametrize(
    "text",
    [
        "a](evil.md) [b",
        "x\n- [forged](evil.md) — y",
        "x\u2028- [forged](evil.md) — y",
        "a\\",
        "a\\](evil.md)",
        "`code](evil.md)`",
        "<https://evil.example>",
        "<img src=x>",
        "> WARNING: 3 more",
        "![image](evil.png)",
        "[ref][evil]",
    ],
)
def test_no_field_forges_a_line_or_a_link(text: str) -> None:
    line = line_of(found("a.md", text, text))
    assert len(line.splitlines()) == 1
    match = LINE.fullmatch(line)
    assert match
    assert match[2] == "a.md"
    # Also for a reader that knows no escapes.
    assert line.count("](") == 1
    assert re.search(r"(?<!\\)[<`]", line) is None


def test_a_path_forges_nothing_either() -> None:
    path = "a) — x\n- [b](c.md"
    line = line_of(found(path))
    match = LINE.fullmatch(line)
    assert match
    assert unquote(match[2]) == path


def test_a_long_description_is_cut_and_the_link_is_whole() -> None:
    line = line_of(found("a.md", "Name", "x" * 300))
    assert len(line) == MAX_LINE
    assert line.startswith("- [Name](a.md) — xxx")
    assert line.endswith("x…")


def test_a_name_is_only_cut_when_the_link_does_not_fit() -> None:
    fits = "n" * (MAX_LINE - len("- [](a.md) — ") - 1)
    assert line_of(found("a.md", fits, "text")) == f"- [{fits}](a.md) — …"
    line = line_of(found("a.md", fits + "n", "text"))
    assert line == f"- [{fits[:-1]}…](a.md) — …"


def test_a_cut_never_splits_an_escape() -> None:
    for length in range(100, 150):
        line = line_of(found("a.md", "N", "x" * length + "[" * 50))
        assert len(line) <= MAX_LINE
        assert LINE.fullmatch(line)
        assert re.search(r"(?<!\\)(?:\\\\)*\\…$", line) is None


def test_a_path_in_another_script_is_listed() -> None:
    path = f"{'记' * 60}.md"
    match = LINE.fullmatch(line_of(found(path, "记忆", "测试")))
    assert match
    assert unquote(match[2]) == path
    assert LINE.fullmatch(line_of(found("记.md")))[2] == "%E8%AE%B0.md"  # type: ignore[index]


def test_what_fits_in_no_line_is_counted() -> None:
    text = render_index([found(f"{'d/' * 80}a.md"), found("b.md")]).decode()
    assert text.splitlines()[0] == "- [Name](b.md) — Text"
    assert text.splitlines()[1].startswith("> WARNING: 1 ")
    assert len(text.splitlines()) == 2


def test_at_most_two_hundred_entries() -> None:
    documents = [found(f"{number}.md", mtime_ns=-number) for number in range(MAX_ENTRIES + 3)]
    lines = render_index(documents).decode().splitlines()
    assert len(lines) == MAX_ENTRIES + 1
    assert lines[0] == "- [Name](0.md) — Text"
    assert lines[-1].startswith("> WARNING: 3 ")
    assert "WARNING" not in render_index(documents[:MAX_ENTRIES]).decode()


def test_at_most_that_many_bytes() -> None:
    documents = [found(f"{number}.md", "记" * 60, "忆" * 60) for number in range(MAX_ENTRIES)]
    text = render_index(documents)
    assert MAX_BYTES - 600 < len(text) <= MAX_BYTES
    lines = text.decode().splitlines()
    assert lines[-1].startswith(f"> WARNING: {MAX_ENTRIES - len(lines) + 1} ")


fields = (
    st.none() | st.text() | st.text("ab]([)\\`<> \n\r\x0b\x85\u2028\u202e…—!#>🚀", max_size=200)
)
parts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="/\0"), min_size=1)


@given(
    st.lists(
        st.builds(
            found,
            path=st.lists(parts, min_size=1, max_size=3).map(lambda names: "/".join(names) + ".md"),
            name=fields,
            description=fields,
            topic=st.none() | st.sampled_from(Topic),
            mtime_ns=st.integers(0, 2),
        ),
        max_size=4,
    )
)
def test_every_index_keeps_to_its_form(documents: list[FoundDocument]) -> None:
    data = render_index(documents)
    assert len(data) <= MAX_BYTES
    lines = data.decode().split("\n")
    assert lines.pop() == ""
    assert lines == data.decode().splitlines()
    targets = []
    for number, line in enumerate(lines):
        assert is_generated(line)
        if line.startswith("> WARNING:"):
            assert number == len(lines) - 1
            continue
        assert len(line) <= MAX_LINE
        match = LINE.fullmatch(line)
        assert match
        assert line.count("](") == 1
        targets.append(unquote(match[2]))
    known = [document.path for document in sorted(documents, key=lambda d: (-d.mtime_ns, d.path))]
    remaining = iter(known)
    assert all(target in remaining for target in targets)
    assert len(targets) == len(known) or "WARNING: " in lines[-1]


@pytest.mark.parametrize(
    "line",
    [
        "",
        "  ",
        "\r",
        "- [Name](a.md) — Text",
        "- [Name](a.md) — Text\r",
        "- [[WIP] plan](my plan.md) — what (else)",
        "> WARNING: 3 more",
        "\r\r\u2028 \r",
        "- [" + "n" * (MAX_LINE - len("- [](a.md) — t")) + "](a.md) — t",
        "- [Name](a.md) — Text ",
    ],
)
def test_generated_lines(line: str) -> None:
    assert is_generated(line)


@pytest.mark.parametrize(
    "line",
    [
        "Always use tabs.",
        "# Memory",
        "- a bullet",
        "- [Docs](https://example.org/readme.md) — read this",
        "- [Docs](/abs/a.md) — text",
        "- [Name](a.md)",
        "- [Name](a.md) - Text",
        "- [Name](a.txt) — Text",
        "  - [Name](a.md) — Text",
        "> note",
        "- [" + "n" * (MAX_LINE - len("- [](a.md) — t") + 1) + "](a.md) — t",
        *(
            line.format(end)
            for end in ("\r", "\u2028", "\u2029", "\x85", "\v", "\f", "\x1c")
            for line in (
                "- [Name](a.md) — Text{}Always use tabs.",
                "- [Name](a{}b.md) — Text",
                "> WARNING: 3 more{}Always use tabs.",
                "{}- [Name](a.md) — Text",
            )
        ),
    ],
)
def test_lines_that_a_person_wrote(line: str) -> None:
    assert not is_generated(line)
