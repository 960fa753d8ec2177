from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qmemd.client.errors import StreamFailedError
from qmemd.client.sse import EventParser, Message


def parsed(*chunks: bytes) -> list[Message]:
    parser = EventParser()
    return list(itertools.chain.from_iterable(parser.feed(chunk) for chunk in chunks))


@pytest.mark.parametrize(
    ("stream", "messages"),
    [
        (b"data: a\n\n", [("message", "a", "")]),
        (b"data:a\ndata\ndata:  b\n\n", [("message", "a\n\n b", "")]),
        (b"\xef\xbb\xbfdata: a\n\n", [("message", "a", "")]),
        (b"event: x\nid: 7\ndata: a\n\ndata: b\n\n", [("x", "a", "7"), ("message", "b", "7")]),
        (b"event: x\n\ndata: a\n\n", [("message", "a", "")]),
        (b": comment\n:\n\ndata: a\n\n", [("message", "a", "")]),
        (b"id: a\0b\ndata: a\n\n", [("message", "a", "")]),
        (b"id\nid: 3\nid:\ndata: a\n\n", [("message", "a", "")]),
        (b"unknown: x\ndata: a\n\n", [("message", "a", "")]),
        (b"data: a\r\rdata: b\r\n\r\ndata: c\n\n", [("message", x, "") for x in "abc"]),
        ("data: a\u2028b\x85c\n\n".encode(), [("message", "a\u2028b\x85c", "")]),
        (b"data: \xff\n\n", [("message", "\ufffd", "")]),
        (b"data: not ended", []),
        (b"data: not ended\n", []),
        (b"\n\n\r\r", []),
    ],
)
def test_the_standards_rules(stream: bytes, messages: list[tuple[str, str, str]]) -> None:
    expected = [Message(*message) for message in messages]
    assert parsed(stream) == expected
    assert parsed(*(bytes([byte]) for byte in stream)) == expected


@pytest.mark.parametrize(
    ("line", "retry"), [(b"retry: 3000", 3000), (b"retry: 3e3", None), (b"retry: -1", None)]
)
def test_retry(line: bytes, retry: int | None) -> None:
    parser = EventParser()
    parser.feed(line + b"\n\n")
    assert parser.retry == retry


PIECE = st.sampled_from(
    [b"data: ", b"data", b"id: 1", b"event: e", b":", b"x", b"\n", b"\r", b"\r\n", b"\n\n", b"\xc3"]
)


@given(st.lists(PIECE, max_size=30), st.data())
def test_it_does_not_matter_how_the_bytes_come(pieces: list[bytes], data: st.DataObject) -> None:
    stream = b"".join(pieces)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=8)))
    edges = [0, *cuts, len(stream)]
    chunks = [stream[a:b] for a, b in itertools.pairwise(edges)]
    assert parsed(*chunks) == parsed(stream)


@given(st.binary(max_size=200))
def test_no_bytes_break_it(stream: bytes) -> None:
    parsed(stream)


@pytest.mark.parametrize("chunk", [b"x" * 10, b"data: xx\n"])
def test_what_never_ends_is_refused(chunk: bytes) -> None:
    parser = EventParser(max_buffered=100)
    while parser._size + len(parser._line) + len(chunk) < 100:
        parser.feed(chunk)
    with pytest.raises(StreamFailedError) as failed:
        parser.feed(chunk * 10)
    assert failed.value.code == "stream_failed"
