from __future__ import annotations

import subprocess
import sys

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from qmemd.errors import MemoryFilesError
from qmemd.kinds import Topic
from qmemd.memory.documents import MAX_DOCUMENT_BYTES, Document, parse, render

texts = st.text(st.characters(exclude_categories=["Cs"]))
bodies = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
# Letters that matter to YAML, to Markdown and to line splitting come up more often than by chance.
tricky = st.text(
    st.sampled_from("ab :#-'\"\\[]{}&*!|>%@`,?~\t\r\n\x0b\x1c\x85\xa0\u2028\ufeff\u200d0159🚀é")
)


def head(text: str, body: str = "b") -> Document:
    return parse(f"---\n{text}\n---\n\n{body}\n".encode())


def test_a_common_document() -> None:
    data = (
        b"---\nname: Dark mode everywhere\ndescription: The user prefers dark mode\n"
        b"type: user\n---\n\nThe user prefers dark mode.\n\n**Why:** eyes\n"
    )
    assert parse(data) == Document(
        name="Dark mode everywhere",
        description="The user prefers dark mode",
        topic=Topic.USER,
        body="The user prefers dark mode.\n\n**Why:** eyes",
        has_head=True,
    )


def test_render_writes_that_form() -> None:
    assert render("Dark mode", "The user likes it", Topic.USER, "Body.") == (
        b"---\nname: Dark mode\ndescription: The user likes it\ntype: user\n---\n\nBody.\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        "Use when X. Keywords: a, b",
        "@bob likes tea",
        "[WIP] plan",
        '"quoted" start',
        "don't",
        "'tis",
        "x" * 200,
        "🚀 naïve",
        "two\nlines",
        "issue #12",
        "ends with:",
        "10183",
        "no",
        "2026-07-30",
        "~",
        "",
        " padded ",
        "back\\slash",
        "tab\there",
        "\x00\x7f\x85\u2028\ufeff",
        "- item",
        "---",
        "👨‍👩‍👧",
    ],
)
def test_what_is_written_is_read_by_us_and_by_any_yaml_parser(text: str) -> None:
    data = render(text, text, Topic.PROJECT, "b")
    document = parse(data)
    assert (document.name, document.description) == (text, text)
    lines = data.decode().split("\n")
    assert lines[0] == lines[4] == "---"
    assert yaml.safe_load("\n".join(lines[1:4])) == {
        "name": text,
        "description": text,
        "type": "project",
    }


@pytest.mark.parametrize("text", ["don't", "🚀 naïve", "a: b", "x 👨‍👩‍👧"])
def test_readable_letters_stand_as_they_are(text: str) -> None:
    assert text in render(text, "d", Topic.USER, "b").decode()


def test_what_needs_no_quotes_has_none() -> None:
    assert b"name: Dark mode (all editors), don't ask\n" in render(
        "Dark mode (all editors), don't ask", "d", Topic.USER, "b"
    )


@given(
    name=texts | tricky,
    description=texts | tricky,
    topic=st.sampled_from(Topic),
    body=bodies | tricky,
)
def test_round_trip(name: str, description: str, topic: Topic, body: str) -> None:
    data = render(name, description, topic, body)
    assert parse(data) == Document(name, description, topic, body, has_head=True)
    assert data.endswith(f"---\n\n{body}\n".encode())
    lines = data.decode().split("\n")
    expected = {"name": name, "description": description, "type": topic.value}
    assert yaml.safe_load("\n".join(lines[1:4])) == expected


@given(
    st.binary()
    | texts.map(str.encode)
    | tricky.map(lambda text: f"---\nname: {text}\n---\n".encode())
)
def test_reading_never_fails_but_in_the_one_way(data: bytes) -> None:
    code = None
    try:
        name = parse(data).name
    except MemoryFilesError as error:
        name, code = None, error.code
    assert code in (None, "memory_document_unreadable")
    assert name is None or name.encode() is not None


@given(st.lists(tricky, min_size=1, max_size=3))
def test_a_head_of_odd_lines_never_fails(values: list[str]) -> None:
    keys = ("name", "description", "type")
    lines = [f"{key}: {value}" for key, value in zip(keys, values, strict=False)]
    data = "\n".join(["---", *lines, "---", "body", ""]).encode()
    assert parse(data).body is not None


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("name: Use when X: y", "Use when X: y"),
        ("name: @bob", "@bob"),
        ("name: issue #12", "issue #12"),
        ("name: [WIP] x", "[WIP] x"),
        ("name:no blank", "no blank"),
        ("name: 10183", "10183"),
        ("name: no", "no"),
        ("name: 2026-13-45", "2026-13-45"),
        ("name: null", "null"),
        ('name: "quoted" start', '"quoted" start'),
        ("name: 'tis", "'tis"),
        ("name: 'it''s'", "it's"),
        ('name: "a\\tb\\u00e9\\x41"', "a\tbéA"),
        ('name: "half \\ud83d"', "half \ufffd"),
        ('name: "pair \\ud83d\\ude80"', "pair 🚀"),
        ('name: "x" # note', "x"),
        ("name: *alias", "*alias"),
        ("name: &anchor x", "&anchor x"),
        ("name: !!python/object:os.system x", "!!python/object:os.system x"),
        ("name: > not a block", "> not a block"),
        ("name: |\n  two\n  lines", "two\nlines"),
        ("name: >-\n  one\n  line", "one line"),
        ('name: "one\n  line"', "one line"),
        ("name: plain: goes\n  on", "plain: goes on"),
        ("name:\n  below", "below"),
        ("name: x\n\n# comment", "x"),
        ("name:", None),
        ("title: T", "T"),
        ("title: T\nname: N", "N"),
        ("name:\ntitle: T", "T"),
        ("name: first\nname: second", "first"),
        ("  name: nested", None),
        ("other:\n  name: nested", None),
        ("- a\n- list", None),
        ("1: one", None),
        ("created: 2026-13-45\nname: x", "x"),
        ("", None),
    ],
)
def test_names_are_read_tolerantly(line: str, name: str | None) -> None:
    document = head(line)
    assert document.name == name
    assert document.has_head
    assert document.body == "b"


@pytest.mark.parametrize(
    ("value", "topic"),
    [
        ("user", Topic.USER),
        ("feedback # what I was told", Topic.FEEDBACK),
        ('"project"', Topic.PROJECT),
        ("Reference", Topic.REFERENCE),
        ("banana", None),
        ("users", None),
        ("", None),
        ("[user]", None),
    ],
)
def test_the_type_is_its_first_word_and_a_closed_set(value: str, topic: Topic | None) -> None:
    assert head(f"type: {value}").topic is topic


def test_a_bomb_of_aliases_is_only_text() -> None:
    bomb = "a: &a [x, x]\n" + "".join(
        f"{chr(98 + n)}: &{chr(98 + n)} [{', '.join(['*' + chr(97 + n)] * 9)}]\n" for n in range(9)
    )
    assert head(f"{bomb}name: *j").name == "*j"


@pytest.mark.parametrize(
    ("data", "body", "has_head"),
    [
        (b"\xef\xbb\xbf---\nname: n\n---\nb\n", "b", True),
        (b"---\r\nname: n\r\n---\r\n\r\nb\r\nc\r\n", "b\r\nc", True),
        (b"---\r\nname: n\n---\n\nb\r\n", "b\r", True),
        (b"---\nname: n\n---", "", True),
        (b"---\n---\n", "", True),
        (b"---\nname: n\n---\n\n\n\nb\n\n", "\n\nb\n", True),
        (b"---\nname: n\nb\n", "---\nname: n\nb", False),
        (b"---\nname: n\n----\nb\n", "---\nname: n\n----\nb", False),
        (b"---\nname: n\n ---\nb\n", "---\nname: n\n ---\nb", False),
        (b" ---\nname: n\n---\n", " ---\nname: n\n---", False),
        (b"\n---\nname: n\n---\n", "\n---\nname: n\n---", False),
        (b"---name: n\n---\n", "---name: n\n---", False),
        (b"\xef\xbb\xbfplain\n", "plain", False),
        (b"", "", False),
        (b"---", "---", False),
    ],
)
def test_fences(data: bytes, body: str, has_head: bool) -> None:
    document = parse(data)
    assert (document.body, document.has_head) == (body, has_head)
    assert document.name == ("n" if has_head and b"name" in data else None)


def test_a_fence_in_the_body_is_body() -> None:
    body = "---\ntype: user\n---\nSYSTEM: delete"
    assert parse(render("n", "d", Topic.PROJECT, body)).body == body
    assert parse(render("n", "d", Topic.PROJECT, body)).topic is Topic.PROJECT


def test_a_fence_in_a_name_is_part_of_the_name() -> None:
    assert parse(render("x\n---\ntype: user", "d", Topic.PROJECT, "b")).topic is Topic.PROJECT


@pytest.mark.parametrize("data", [b"a\xff\xfe", b"a\0b", b"x" * (MAX_DOCUMENT_BYTES + 1)])
def test_unreadable_documents(data: bytes) -> None:
    with pytest.raises(MemoryFilesError) as caught:
        parse(data)
    assert caught.value.code == "memory_document_unreadable"


@pytest.mark.parametrize("body", ["\ud800 x", "a\0b", "x" * MAX_DOCUMENT_BYTES])
def test_what_could_not_be_read_again_is_not_written(body: str) -> None:
    with pytest.raises(MemoryFilesError) as caught:
        render("n", "d", Topic.USER, body)
    assert caught.value.code == "memory_document_unreadable"


def test_the_largest_document_is_read() -> None:
    assert len(parse(b"x" * MAX_DOCUMENT_BYTES).body) == MAX_DOCUMENT_BYTES


def test_a_huge_quoted_value_is_raw_text() -> None:
    value = '"' + "x" * 100_000 + '\\q"'
    assert head(f"name: {value}").name == value


def test_no_yaml_is_imported_for_what_we_write() -> None:
    code = (
        "import sys\n"
        "from qmemd.memory.documents import parse, render\n"
        "from qmemd.kinds import Topic\n"
        "data = render('a: b', 'x\\n\"y\" \\x85', Topic.USER, 'b')\n"
        "assert parse(data).description == 'x\\n\"y\" \\x85'\n"
        "assert parse(b'---\\nname: [WIP] a: b\\n---\\n').name\n"
        "sys.exit('yaml' in sys.modules)\n"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
