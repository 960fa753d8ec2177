from __future__ import annotations

import contextlib
import time
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qmemd.http.chunked import MAX_CONTROL_LINE, MAX_TRAILERS, ChunkedBody
from qmemd.http.server import HttpServer
from tests.http import raw

REMEMBER = "/workspace/memory/remember"


class Buffer(BytesIO):
    def append(self, data: bytes) -> None:
        self.write(data)

    def __len__(self) -> int:
        return len(self.getvalue())


def read(*pieces: bytes) -> tuple[ChunkedBody, bytes, bytes]:
    """The reader, the body, and what it left of the pieces."""
    buffer = Buffer()
    body = ChunkedBody(buffer)
    left = b""
    for piece in pieces:
        left += piece[body.received(piece) :]
    return body, buffer.getvalue(), left


@given(
    chunks=st.lists(st.binary(min_size=1, max_size=40), max_size=6),
    extension=st.sampled_from([b"", b";a", b";a=b", b';a="b;c"']),
    trailers=st.sampled_from([b"", b"A: b\r\n", b"A: b\r\nC: d\r\n"]),
    size=st.integers(1, 20),
)
def test_the_body_is_the_same_however_it_is_cut(
    chunks: list[bytes], extension: bytes, trailers: bytes, size: int
) -> None:
    sent = b"".join(b"%X%s\r\n%s\r\n" % (len(c), extension, c) for c in chunks)
    sent += b"0\r\n" + trailers + b"\r\n" + b"GET / HTTP/1.1"
    pieces = [sent[start : start + size] for start in range(0, len(sent), size)]
    body, content, left = read(*pieces)
    assert body.completed
    assert not body.error
    assert (content, left) == (b"".join(chunks), b"GET / HTTP/1.1")
    assert len(body) == len(content)


@pytest.mark.parametrize(
    "sent",
    [
        b"\r\n",
        b"zz\r\n",
        b"-5\r\nhello\r\n",
        b"0x5\r\nhello\r\n",
        b"5 \r\nhello\r\n",
        b" 5\r\nhello\r\n",
        b"5\nhello\r\n",
        b"5\r\nhelloX",
        b"5\r\nhello\n",
        b"5\r\nhello\rX",
        b"5;\x00\r\nhello\r\n",
        b"5;a=\r\nhello\r\n",
        b"5\rhello\r\n",
        b"1" + b"0" * 16 + b"\r\n",
        b"0\r\n\n",
        b"0\r\nA: b\n\r\n",
        b"0\r\nA: b\r\r\n",
        b"0\r\n\r\r\n",
        b"0\r\n A: b\r\n",
        b"0\r\nA : b\r\n",
        b"0\r\nA: \0\r\n",
        b"0\r\nGET / HTTP/1.1\r\n",
        b"0\r\n:\r\n",
    ],
)
@pytest.mark.parametrize("size", [1, 1000])
def test_what_is_not_chunked(sent: bytes, size: int) -> None:
    body, _, _ = read(*[sent[start : start + size] for start in range(0, len(sent), size)])
    assert body.error
    assert not body.completed


@pytest.mark.parametrize(
    ("start", "endless", "limit"),
    [
        (b"", b"0", MAX_CONTROL_LINE),
        (b"5;", b"a", MAX_CONTROL_LINE),
        (b"5", b";a=b", MAX_CONTROL_LINE),
        (b"0\r\n", b"a", MAX_TRAILERS),
        (b"0\r\n", b"A: b\r\n", MAX_TRAILERS),
        (b"0\r\nA:", b" ", MAX_TRAILERS),
    ],
)
@pytest.mark.parametrize("size", [1, 8192])
def test_lines_end_before_the_limit(start: bytes, endless: bytes, limit: int, size: int) -> None:
    body, _, _ = read(start)
    sent = 0
    while not body.error:
        body.received((endless * size)[:size])
        sent += size
        assert sent <= limit + size
    assert sent >= min(limit - len(endless), size)


@pytest.mark.parametrize("start", [b"", b"5;a", b"0\r\nA: "])
@pytest.mark.parametrize("token", ["s3cret", "wrong"])
def test_endless_lines_slow_nobody_down(server: HttpServer, start: bytes, token: str) -> None:
    head = raw.get(REMEMBER, "Transfer-Encoding: chunked", method="POST")
    head = head.replace(b"s3cret", token.encode())
    with contextlib.ExitStack() as stack:
        hostile = [stack.enter_context(raw.Connection(server.port)) for _ in range(10)]
        for sock in hostile:
            sock.send(head + start)
        for sock in hostile:
            sock.send_while_it_listens(b"0" * 8192, 100)
            began = time.monotonic()
            assert raw.exchange(server.port, raw.get("/health")).status == 200
            assert time.monotonic() - began < 0.5
        for sock in hostile:
            answer = sock.read()
            assert answer.headers["Connection"] == "close"
            # Trailers may be long enough for the head to be judged before them.
            assert (answer.status, answer.json["code"]) == (400, "bad_request")


def test_many_small_chunks_cost_linear_time() -> None:
    sent = b"1\r\nx\r\n" * 100_000
    body = ChunkedBody(Buffer())
    began = time.process_time()
    for start in range(0, len(sent), 8192):
        body.received(sent[start : start + 8192])
    assert time.process_time() - began < 3
