from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qmemd.acp.framing import MAX_JUNK_LINES, FrameReader, encode
from qmemd.acp.messages import Message, Notification, Request, Response, RpcError
from qmemd.errors import ProtocolError

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
PARAMS = st.none() | st.dictionaries(st.text(), JSON, max_size=4) | st.lists(JSON, max_size=4)
IDS = st.none() | st.integers() | st.text()
MESSAGES = (
    st.builds(Request, IDS, st.text(), PARAMS)
    | st.builds(Notification, st.text(), PARAMS)
    | st.builds(Response, IDS, JSON)
    | st.builds(Response, IDS, st.none(), st.builds(RpcError, st.integers(), st.text(), JSON))
)
JUNK = st.sampled_from(
    [b"", b"\r", b"ready", b'"hello"', b"[1]", b'{"level":"info","id":1}', b"\x1b[31mred", b"\xff"]
) | st.binary(max_size=20).map(lambda data: data.replace(b"\n", b""))


def cut(data: bytes, sizes: list[int]) -> list[bytes]:
    chunks = []
    for size in sizes:
        chunks.append(data[:size])
        data = data[size:]
    return [*chunks, data]


def read_all(chunks: list[bytes]) -> list[Message]:
    reader = FrameReader()
    return [message for chunk in chunks for message in reader.feed(chunk)] + reader.eof()


def line_of(result: Any, ending: bytes = b"\n") -> bytes:
    body = {"jsonrpc": "2.0", "id": 1, "result": result}
    return json.dumps(body, ensure_ascii=False).encode() + ending


@given(st.lists(MESSAGES, max_size=4), st.lists(st.integers(0, 40), max_size=30))
def test_messages_survive_any_chunking(messages: list[Message], sizes: list[int]) -> None:
    stream = b"".join(encode(message) for message in messages)
    assert read_all(cut(stream, sizes)) == messages


@given(st.lists(MESSAGES | JUNK, max_size=12), st.sampled_from([b"\n", b"\r\n"]))
def test_noise_between_messages_changes_nothing(
    parts: list[Message | bytes], ending: bytes
) -> None:
    stream = b"".join(
        part + b"\n" if isinstance(part, bytes) else encode(part).rstrip(b"\n") + ending
        for part in parts
    )
    reader = FrameReader()
    assert reader.feed(stream) == [part for part in parts if not isinstance(part, bytes)]
    assert reader.junk_lines == sum(isinstance(part, bytes) for part in parts)


@given(st.text())
def test_text_is_byte_exact_one_byte_at_a_time(text: str) -> None:
    line = line_of(text)
    chunks = [line[place : place + 1] for place in range(len(line))]
    assert read_all(chunks) == [Response(1, text)]


PIECES = st.sampled_from(
    [
        *(
            b'{"jsonrpc":"2.0",',
            b'"id":1',
            b'"method":"m"',
            b'"result":',
            b'"error":',
            b'"params":',
        ),
        *(b"{", b"}", b"[", b"]", b",", b":", b"null", b"1e999", b"-1E400", b"NaN", b"9" * 5000),
        *(b'"', b"\\", b"\\ud800", b"\xff", b"\xef\xbb\xbf", b"\n", b"\r\n", b"\r", b"\0"),
        *(line_of(1), line_of(1e308), b'{"jsonrpc":"2.0","id":1,"result":1e999}\n', b"[" * 2000),
    ]
)
STREAMS = st.lists(PIECES | st.binary(max_size=8), max_size=25).map(b"".join)
BY_CHANCE = settings(max_examples=200, deadline=None, derandomize=True)


def outcome(chunks: list[bytes], limit: int) -> tuple[list[Message], int, str | None]:
    """All that came out: messages, dropped lines, and why the channel failed."""
    reader = FrameReader(max_bytes=limit)
    messages: list[Message] = []
    for chunk in chunks:
        try:
            messages += reader.feed(chunk)
        except ProtocolError:
            break
        assert len(reader._partial) <= limit
    messages += reader.eof()
    return messages, reader.junk_lines, reader.failure.message if reader.failure else None


@BY_CHANCE
@given(STREAMS, st.lists(st.integers(0, 40), max_size=40), st.integers(1, 400))
def test_any_bytes_come_out_the_same_however_they_come(
    stream: bytes, sizes: list[int], limit: int
) -> None:
    for most in (limit, 2**20):
        assert outcome(cut(stream, sizes), most) == outcome([stream], most)


@BY_CHANCE
@given(STREAMS)
def test_whatever_came_in_can_go_out_again(stream: bytes) -> None:
    for message in read_all([stream]):
        try:
            line = encode(message)
        except ValueError:  # a number of JSON may be larger than any float, which becomes infinite
            assert re.search(rb"[0-9][eE]|\.[0-9]", stream)
        else:
            assert read_all([line]) == [message]


def test_only_a_line_feed_ends_a_line() -> None:
    text = "a\u2028b\u2029c\u0085d\x0be\x0cf"
    assert read_all([line_of(text)]) == [Response(1, text)]
    assert read_all([b'{"jsonrpc":"2.0",\r"id":1,"result":2}\r\n']) == [Response(1, 2)]


@pytest.mark.parametrize("result", [b"NaN", b"Infinity", b"-Infinity", b'"\xff"', b"[" * 100_000])
def test_what_is_no_json_is_dropped(result: bytes) -> None:
    bad = b'{"jsonrpc":"2.0","id":1,"result":' + result + b"}\n"
    assert read_all([bad, line_of("good")]) == [Response(1, "good")]


def test_half_a_surrogate_pair_becomes_a_replacement_character() -> None:
    line = rb'{"jsonrpc":"2.0","id":1,"result":["\ud83d\ude80","\ud800 x","\\ud800"]}' + b"\n"
    assert read_all([line]) == [Response(1, ["\U0001f680", "\ufffd x", r"\ud800"])]


def test_a_megabyte_in_one_line() -> None:
    text = "记" * 400_000
    line = line_of(text)
    chunks = [line[place : place + 65536] for place in range(0, len(line), 65536)]
    assert read_all(chunks) == [Response(1, text)]


def test_the_last_line_needs_no_end() -> None:
    reader = FrameReader()
    assert reader.feed(line_of("last", ending=b"")) == []
    assert reader.eof() == [Response(1, "last")]
    assert reader.eof() == []


def test_an_endless_line_fails_the_channel() -> None:
    reader = FrameReader(max_bytes=100)
    assert reader.feed(b"x" * 100) == []
    with pytest.raises(ProtocolError):
        reader.feed(b"x")
    with pytest.raises(ProtocolError):
        reader.feed(line_of(1))
    assert reader.eof() == []


def test_a_line_over_the_limit_fails_even_when_it_ends() -> None:
    with pytest.raises(ProtocolError):
        FrameReader(max_bytes=100).feed(line_of("x" * 100))
    assert FrameReader(max_bytes=100).feed(b" " * 58 + line_of("x"))


def test_what_came_before_the_fault_is_kept() -> None:
    reader = FrameReader(max_bytes=100)
    assert reader.feed(line_of(1) + b"x" * 101 + b"\n" + line_of(2)) == [Response(1, 1)]
    assert reader.failure is not None
    with pytest.raises(ProtocolError):
        reader.feed(line_of(3))


def test_endless_noise_fails_the_channel_and_a_message_resets_the_count() -> None:
    reader = FrameReader()
    for _ in range(3):
        assert reader.feed(b"noise\n" * MAX_JUNK_LINES + line_of(1)) == [Response(1, 1)]
    with pytest.raises(ProtocolError):
        reader.feed(b"\n" * (MAX_JUNK_LINES + 1))


def test_nothing_that_is_sent_breaks_a_line() -> None:
    line = encode(Request(1, "m", {"content": "a\nb\r\u2028\ud800"}))
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    with pytest.raises(ValueError, match="JSON compliant"):
        encode(Request(1, "m", [float("nan")]))
