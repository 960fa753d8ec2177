from __future__ import annotations

import itertools
import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qmemd.client.errors import StreamFailedError
from qmemd.client.sse import EventParser, Message
from qmemd.events import envelope
from qmemd.http.sse import HEARTBEAT, OPENING, frame


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
    ("line", "retry"),
    [
        (b"retry: 3000", 3000),
        (b"retry: 3e3", None),
        (b"retry: -1", None),
        (b"retry: 0000000003000", 3000),
        (b"retry: 0", 0),
        (b"retry: " + b"9" * 5000, 999_999_999),
    ],
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


ANY_STREAM = st.lists(PIECE | st.binary(max_size=8), max_size=40).map(b"".join)
CUTS = st.lists(st.integers(0, 12), max_size=60)
BY_CHANCE = settings(max_examples=200, deadline=None, derandomize=True)


def cut(stream: bytes, sizes: list[int]) -> list[bytes]:
    chunks = []
    for size in sizes:
        chunks.append(stream[:size])
        stream = stream[size:]
    return [*chunks, stream]


def by_the_standard(stream: bytes) -> tuple[list[Message], str, int | None]:
    """The standard's algorithm on the whole text; also the last id and the last ``retry``."""
    text = stream.decode(errors="replace").removeprefix("\ufeff")
    messages: list[Message] = []
    event = data = last_id = ""
    retry = None
    *lines, _unfinished = re.split("\r\n|\n|\r", text)
    for line in lines:
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if not line:
            if data:
                messages.append(Message(event or "message", data.removesuffix("\n"), last_id))
            event = data = ""
        elif name == "data":
            data += value + "\n"
        elif name == "event":
            event = value
        elif name == "id" and "\0" not in value:
            last_id = value
        elif name == "retry" and re.fullmatch("[0-9]+", value):
            retry = int(value)
    return messages, last_id, retry


@BY_CHANCE
@given(ANY_STREAM, CUTS)
def test_any_bytes_are_read_as_the_standard_says(stream: bytes, sizes: list[int]) -> None:
    parser = EventParser()
    messages = [message for chunk in cut(stream, sizes) for message in parser.feed(chunk)]
    assert (messages, parser.last_id, parser.retry) == by_the_standard(stream)


@BY_CHANCE
@given(ANY_STREAM, CUTS, st.integers(1, 60))
def test_the_limit_does_not_depend_on_how_the_bytes_come(
    stream: bytes, sizes: list[int], limit: int
) -> None:
    def fails(chunks: list[bytes]) -> bool:
        parser = EventParser(max_buffered=limit)
        try:
            for chunk in chunks:
                for message in parser.feed(chunk):
                    assert len(message.data) <= limit
                assert len(parser._line) + parser._size <= limit
        except StreamFailedError:
            return True
        return False

    assert fails(cut(stream, sizes)) == fails([stream])


@BY_CHANCE
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["task_updated", "memory_changed"]),
            st.dictionaries(st.text(), st.text() | st.integers() | st.none()),
            st.none() | st.integers(1, 2**53),
        ),
        max_size=4,
    ),
    CUTS,
)
def test_what_the_daemon_renders_is_read_as_it_was(
    told: list[tuple[str, dict[str, Any], int | None]], sizes: list[int]
) -> None:
    events = [envelope(kind, data, timestamp=1, event_id=number) for kind, data, number in told]
    stream = OPENING + b"".join(frame(event) + HEARTBEAT for event in events)
    messages = parsed(*cut(stream, sizes))
    assert [message.event for message in messages] == [event.type for event in events]
    assert [json.loads(message.data)["data"] for message in messages] == [one[1] for one in told]
    last = ""
    for message, event in zip(messages, events, strict=True):
        last = last if event.event_id is None else str(event.event_id)
        assert message.last_id == last


def test_the_limit_counts_bytes() -> None:
    parser = EventParser(max_buffered=100)
    parser.feed("data: {}\n".format("\U0001f680" * 20).encode())
    with pytest.raises(StreamFailedError):
        parser.feed("data: {}\n".format("\U0001f680" * 10).encode())


@pytest.mark.parametrize("chunk", [b"x" * 10, b"data: xx\n"])
def test_what_never_ends_is_refused(chunk: bytes) -> None:
    parser = EventParser(max_buffered=100)
    while parser._size + len(parser._line) + len(chunk) < 100:
        parser.feed(chunk)
    with pytest.raises(StreamFailedError) as failed:
        parser.feed(chunk * 10)
    assert failed.value.code == "stream_failed"
