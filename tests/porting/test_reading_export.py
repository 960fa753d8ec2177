"""Exports from anywhere: damaged, cut off, or made to do harm."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from qmemd.porting.bounded_lines import MAX_LINE, lines_of
from qmemd.porting.reading_export import MAX_DAMAGED, read_export
from qmemd.porting.records import Read, ReadDocument, SourceRefusedError, Unreadable
from tests.memory.world import World, user
from tests.porting.places import exported


@pytest.fixture
def lines(tmp_path: Path) -> list[bytes]:
    world = World(tmp_path.resolve())
    for name in "abc":
        world.save(user(f"{name}.md"), f"text {name}".encode())
    return exported(world).splitlines(keepends=True)


def read(*lines: bytes) -> list[Read]:
    return list(read_export(io.BytesIO(b"".join(lines))).items)


def reasons(*lines: bytes) -> list[str]:
    return [one.reason for one in read(*lines) if isinstance(one, Unreadable)]


def test_a_whole_one_says_how_many_there_are(lines: list[bytes]) -> None:
    source = read_export(io.BytesIO(b"".join(lines)))
    assert (source.name, source.count) == ("export", 3)
    assert all(isinstance(one, ReadDocument) for one in source.items)


@pytest.mark.parametrize(
    "damaged",
    [
        b"{\n",
        b"[]\n",
        b'"text"\n',
        b"\xff\xfe\n",
        b"\0\0\0\n",
        b"[" * 100_000 + b"\n",
        b'{"scope":"root","path":"a.md","text":""}\n',
        b'{"scope":["user"],"path":"a.md","text":""}\n',
        b'{"scope":"user","path":7,"text":""}\n',
        b'{"scope":"user","path":"x.md","text":"x","sha256":"00"}\n',
        b'{"scope":"user","path":"x.md","text":"\\ud800","sha256":"00"}\n',
        b'{"end":true}\n',
    ],
)
def test_a_damaged_line_costs_no_other_one(lines: list[bytes], damaged: bytes) -> None:
    found = read(lines[0], lines[1], damaged, lines[2], lines[3], lines[4])
    assert [type(one).__name__ for one in found].count("ReadDocument") == 3
    assert len(found) == 4


def test_after_too_many_damaged_lines_the_rest_is_not_looked_at(lines: list[bytes]) -> None:
    found = reasons(lines[0], *[b"x\n"] * (MAX_DAMAGED + 50))
    assert len(found) == MAX_DAMAGED + 1
    assert found[-1] == "too many lines are damaged; what follows is not read"


def test_one_that_was_cut_off_says_so(lines: list[bytes]) -> None:
    assert reasons(*lines[:3]) == ["the last line is missing: the export was cut off"]
    assert reasons(*lines[:2], lines[4]) == ["2 documents are missing before it"]
    half = lines[3][:20]
    assert reasons(*lines[:3], half) == [
        "it is not JSON",
        "the last line is missing: the export was cut off",
    ]


def test_what_follows_the_last_line_is_not_read(lines: list[bytes]) -> None:
    assert reasons(*lines, lines[1]) == ["what follows the last line is not read"]


def test_a_document_comes_once(lines: list[bytes]) -> None:
    assert reasons(*lines[:4], lines[1], lines[4]) == ["it names a document a second time"]


def test_a_line_without_an_end_is_not_taken_into_memory(lines: list[bytes]) -> None:
    found = reasons(*lines[:2], b"x" * (MAX_LINE + 10))
    assert found == [f"it holds a line of more than {MAX_LINE} bytes; what follows is not read"]


def test_all_lines_together_are_bounded() -> None:
    with pytest.raises(SourceRefusedError, match="longer than 5 bytes"):
        list(lines_of(io.BytesIO(b"abc\nabc\n"), most=5))


@pytest.mark.parametrize("version", [0, 2, "1", None, True])
def test_another_version_is_refused(version: object) -> None:
    header = json.dumps({"format": "qmemd-export", "version": version}).encode()
    with pytest.raises(SourceRefusedError, match="another version"):
        read(header + b"\n")


@pytest.mark.parametrize("header", [b"", b"{}\n", b"text\n", b"\xff\n", b"[1]\n"])
def test_what_has_no_header_is_none(header: bytes) -> None:
    with pytest.raises(SourceRefusedError, match="header"):
        read(header)


@pytest.mark.parametrize("modified", [-1, 2**64, 1.5, "1", True, None])
def test_a_time_that_is_none_is_not_believed(lines: list[bytes], modified: object) -> None:
    wire = json.loads(lines[1]) | {"modifiedNs": modified}
    (found,) = [
        one
        for one in read(lines[0], json.dumps(wire).encode() + b"\n", b'{"end":true,"documents":1}')
        if isinstance(one, ReadDocument)
    ]
    assert found.modified_ns is None
