"""What two readers could take for different requests is refused, and ends the connection."""

from __future__ import annotations

import pytest
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
