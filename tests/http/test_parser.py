"""What two readers could take for different requests is refused, and ends the connection."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from waitress.adjustments import Adjustments

from qmemd.http.intake import Intake
from qmemd.http.parser import RequestParser
from qmemd.http.server import HttpServer
from tests.http import raw
from tests.http.fake_door import FakeDoor

REMEMBER = "/workspace/memory/remember"
BODY = b'{"content":"x"}'
CHUNKS = b"%x\r\n%s\r\n0\r\n\r\n" % (len(BODY), BODY)
SMUGGLED = raw.get("/workspace/memory/dream", method="POST")


LONG = 250_000
"""Bytes, nearly as many as a head may have."""


def post(*headers: str, version: str = " HTTP/1.1") -> bytes:
    head = raw.get(REMEMBER, "Content-Type: application/json", *headers, method="POST")
    return head.replace(b" HTTP/1.1", version.encode(), 1)


@pytest.mark.parametrize(
    ("request_bytes", "status"),
    [
        (post("Transfer-Encoding: chunked", version=" HTTP/1.0") + CHUNKS, 400),
        (
            post("Transfer-Encoding: chunked", "Connection: keep-alive", version=" HTTP/1.0")
            + CHUNKS,
            400,
        ),
        (post("Transfer-Encoding: gzip", version=" HTTP/1.0"), 400),
        (post(f"Content-Length: {len(BODY)}", "Transfer-Encoding: chunked") + CHUNKS, 400),
        (post("Transfer-Encoding: chunked", "Content-Length: 3") + CHUNKS, 400),
        (post("Transfer-Encoding: chunked", "Content-Length: x") + CHUNKS, 400),
        (post("Transfer-Encoding: chunked, chunked") + CHUNKS, 400),
        (post("Transfer-Encoding: chunked", "transfer-encoding: chunked") + CHUNKS, 400),
        (post("Transfer-Encoding: chunked,") + CHUNKS, 400),
        (post("Transfer-Encoding: ,chunked") + CHUNKS, 400),
        (post("Transfer-Encoding:", f"Content-Length: {len(BODY)}") + BODY, 400),
        (post("Transfer-Encoding:\r\n chunked") + CHUNKS, 400),
        (post("Transfer-Encoding : chunked") + CHUNKS, 400),
        (post("Transfer-Encoding: \x0bchunked") + CHUNKS, 400),
        (post("Transfer-Encoding: gzip, chunked") + CHUNKS, 501),
        (post("Transfer-Encoding: xchunked") + CHUNKS, 501),
        (post("Transfer-Encoding: identity") + CHUNKS, 501),
        (post(version=""), 400),
        (post(version=" HTTP/1.2"), 400),
        (post(version=" HTTP/0.9"), 400),
        (post(version=" HTTP/2.0"), 400),
        (post(version=" HTTP/9.9"), 400),
        (post(version=" HTTP/1"), 400),
        (post(version=" http/1.1"), 400),
        (post(version=" HTTP/1.1\r"), 400),
        (post(version=" HTTP/1.1\n"), 400),
        (post(version=" HTTP/1.1\x0b"), 400),
        (raw.get("/health\t"), 400),
        (raw.get("/hea\tlth"), 400),
        (raw.get("\x01/health"), 400),
        (raw.get("/health\0"), 400),
        (raw.get("/health", "X: a\r\n b"), 400),
        (raw.get("/health", "X: \0"), 400),
        (post("Transfer-Encoding: chunked") + b"0\r\nA: b\r\r\n\r\n", 400),
    ],
)
def test_framing_that_can_be_read_in_two_ways(
    server: HttpServer, door: FakeDoor, request_bytes: bytes, status: int
) -> None:
    with raw.Connection(server.port) as sock:
        sock.send(request_bytes + SMUGGLED)
        answer = sock.read()
        code = {400: "bad_request", 501: "not_implemented"}[status]
        assert (answer.status, answer.json["code"]) == (status, code)
        assert answer.headers.get_all("Connection") == ["close"]
        assert sock.at_end()
    assert not door.submitted


@pytest.mark.parametrize("coding", ["chunked", "Chunked", " \tchunked\t "])
def test_one_chunked_coding_is_read(server: HttpServer, door: FakeDoor, coding: str) -> None:
    with raw.Connection(server.port) as sock:
        sock.send((post(f"Transfer-Encoding:{coding}") + CHUNKS) * 2)
        assert [sock.read().status, sock.read().status] == [202, 202]
    assert len(door.submitted) == 2


def test_nothing_behind_a_refused_request_is_run(server: HttpServer, door: FakeDoor) -> None:
    door.may_submit.clear()
    with raw.Connection(server.port) as sock:
        sock.send(SMUGGLED + post("Transfer-Encoding: gzip"))
        assert door.submitting.wait(5)
        sock.send(SMUGGLED)
        door.may_submit.set()
        assert [sock.read().status, sock.read().status] == [202, 501]
        assert sock.at_end()
    assert len(door.submitted) == 1


def test_what_cannot_be_parsed_has_a_path_for_the_log() -> None:
    request = RequestParser(Adjustments(), Intake(None, 1, 1))
    request.received(b"BAD\r\n\r\n")
    assert request.completed
    assert request.error
    assert (request.command, request.path) == ("", "")


def test_http_1_0_is_served(server: HttpServer) -> None:
    request = raw.get("/health").replace(b"HTTP/1.1", b"HTTP/1.0")
    answer = raw.exchange(server.port, request)
    assert (answer.status, answer.headers["Connection"]) == (200, "close")


@pytest.mark.parametrize(
    "head",
    [
        b"GET a://" + b"1" * LONG + b" x HTTP/1.1\r\n",
        b"GET " + b"a://" * (LONG // 4) + b" HTTP/1.1\r\n",
        b"GET " + b" " * LONG + b" HTTP/1.1\r\n",
        b"GET / HTTP/1.1" + b" " * LONG + b"x\r\n",
        b"GET / HTTP/1.1\r\nX:" + b" " * LONG + b"y\r\n",
        b"GET / HTTP/1.1\r\nX:" + b" " * LONG + b"\0\r\n",
        b"GET / HTTP/1.1\r\nX:" + b" y" * (LONG // 2) + b"\r\n",
        b"GET / HTTP/1.1\r\nX:\r\n" + b" " * LONG + b"y\r\n",
        b"GET / HTTP/1.1\r\nX" + b" " * LONG + b": y\r\n",
        b"GET / HTTP/1.1\r\n" + b"X" * LONG + b"\r\n",
        b"GET / HTTP/1.1\r\n" + b"X:\r\n" * (LONG // 4),
        b"GET / HTTP/1.1\r\nX: y\r\n" + b" \r\n" * (LONG // 3),
        b"GET / HTTP/1.1\r\nTransfer-Encoding: " + b"," * LONG + b"\r\n",
        b"GET / HTTP/1.1\r\nContent-Length: " + b"1" * LONG + b"\r\n",
    ],
)
def test_no_head_takes_long(head: bytes) -> None:
    request = RequestParser(Adjustments(), Intake(None, 1, 1))
    began = time.process_time()
    request.received(head + b"\r\n")
    assert time.process_time() - began < 2  # tries of each split took minutes, and more
    assert request.completed


def test_blanks_before_a_value_mean_nothing() -> None:
    request = RequestParser(Adjustments(), Intake(None, 1, 1))
    request.received(b"GET /a: HTTP/1.1\r\nX: \t a:  b \r\nY:\r\nZ: \r\n\r\n")
    assert not request.error
    assert request.path == "/a:"
    assert request.headers == {"X": "a:  b", "Y": "", "Z": ""}


PIECES = st.sampled_from(
    [
        *(SMUGGLED, post(f"Content-Length: {len(BODY)}") + BODY),
        *(post("Transfer-Encoding: chunked") + CHUNKS, raw.get("/health", "Expect: 100-continue")),
        *(b"GET / HTTP/1.1\r\n", b"Content-Length: 3\r\n", b"Transfer-Encoding: chunked\r\n"),
        *(
            b"\r\n",
            b"\r\n\r\n",
            b"\n",
            b"\r",
            b" ",
            b"0\r\n\r\n",
            b"3\r\nabc",
            b"\0",
            b"\xff",
            b"X:",
        ),
    ]
)
STREAMS = st.lists(PIECES | st.binary(max_size=6), max_size=8).map(b"".join)


def parsed(stream: bytes, sizes: list[int]) -> list[tuple[str, str, bytes, int]]:
    """The requests in these bytes, read as Waitress's channel does, in pieces of these sizes."""
    room = 1_000
    intake = Intake(None, 1, room)
    requests: list[RequestParser] = []
    request = RequestParser(Adjustments(), intake)
    while stream:
        size = sizes.pop(0) if sizes else len(stream)
        data, stream = stream[:size], stream[size:]
        while data:
            data = data[request.received(data) :]
            if request.completed:
                requests.append(request)
                if request.error:  # the last of its connection
                    data = stream = b""
                request = RequestParser(Adjustments(), intake)
    found = [
        (one.command, one.path, one.get_body_stream().read(), one.error.code if one.error else 0)
        for one in requests
        if not one.empty
    ]
    for one in (*requests, request):
        one.close()
    assert intake.take(room) is None, "a body was not given back"
    return found


@settings(max_examples=200, deadline=None, derandomize=True)
@given(STREAMS, st.lists(st.integers(1, 40), max_size=30))
def test_any_bytes_are_the_same_requests_however_they_come(stream: bytes, sizes: list[int]) -> None:
    assert parsed(stream, sizes) == parsed(stream, [])
