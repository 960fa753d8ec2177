"""``Expect: 100-continue``: an invitation to send the body, where there is one to come."""

from __future__ import annotations

import pytest

from qmemd.http.server import HttpServer
from tests.http import raw
from tests.http.fake_door import FakeDoor

REMEMBER = "/workspace/memory/remember"
EXPECT = "Expect: 100-continue"
NAMELESS = b"GET /capabilities HTTP/1.1\r\nHost: localhost\r\n\r\n"


@pytest.mark.parametrize(
    ("request_bytes", "status"),
    [
        (raw.get("/health", EXPECT), 200),
        (raw.get("/capabilities", EXPECT), 200),
        (raw.get("/capabilities", EXPECT, "Content-Length: 0"), 200),
        (raw.get("/workspace/memory/dream", EXPECT, method="POST"), 202),
        (raw.get("/workspace/memory/dream", EXPECT, "Content-Length: 0", method="POST"), 202),
        (raw.get("/nope", EXPECT, method="DELETE"), 404),
    ],
)
def test_without_a_body_it_changes_nothing_and_leaks_nothing(
    server: HttpServer, request_bytes: bytes, status: int
) -> None:
    with raw.Connection(server.port) as sock:
        sock.send(request_bytes)
        assert sock.read().status == status
        sock.send(NAMELESS)
        answer = sock.read()
        assert (answer.status, answer.json["code"]) == (401, "unauthorized")
        sock.send(request_bytes + NAMELESS)
        assert [sock.read().status, sock.read().status] == [status, 401]


@pytest.mark.parametrize(
    ("header", "status", "code"),
    [
        ("Content-Length: 99999999", 413, "body_too_large"),
        ("Content-Length: x", 400, "bad_request"),
        ("Transfer-Encoding: gzip", 501, "not_implemented"),
    ],
)
def test_a_refused_head_is_answered_instead_of_invited(
    server: HttpServer, header: str, status: int, code: str
) -> None:
    with raw.Connection(server.port) as sock:
        sock.send(raw.get(REMEMBER, EXPECT, header, method="POST"))
        answer = sock.read()
        assert (answer.status, answer.json["code"]) == (status, code)
        assert sock.at_end()


@pytest.mark.parametrize("framing", ["Content-Length: 15", "Transfer-Encoding: chunked"])
def test_without_the_token_nobody_is_invited(server: HttpServer, framing: str) -> None:
    head = raw.get(REMEMBER, EXPECT, framing, method="POST").replace(b"s3cret", b"wrong")
    with raw.Connection(server.port) as sock:
        sock.send(head)
        answer = sock.read()
        assert (answer.status, answer.json["code"]) == (401, "unauthorized")
        assert sock.at_end()


@pytest.mark.parametrize(
    ("framing", "body"),
    [
        ("Content-Length: 15", b'{"content":"x"}'),
        ("Transfer-Encoding: chunked", b'f\r\n{"content":"x"}\r\n0\r\n\r\n'),
    ],
)
def test_a_body_is_invited_and_read(
    server: HttpServer, door: FakeDoor, framing: str, body: bytes
) -> None:
    head = raw.get(REMEMBER, EXPECT, framing, "Content-Type: application/json", method="POST")
    with raw.Connection(server.port) as sock:
        for _ in range(2):
            sock.send(head)
            assert sock.read().status == 100
            sock.send(body)
            assert sock.read().status == 202
    assert len(door.submitted) == 2


def test_the_invitation_keeps_its_place_behind_a_running_request(
    server: HttpServer, door: FakeDoor
) -> None:
    door.may_submit.clear()
    head = raw.get(
        REMEMBER, EXPECT, "Content-Length: 15", "Content-Type: application/json", method="POST"
    )
    with raw.Connection(server.port) as sock:
        sock.send(raw.get("/workspace/memory/dream", method="POST") + head)
        assert door.submitting.wait(5)
        door.may_submit.set()
        assert [sock.read().status, sock.read().status] == [202, 100]
        sock.send(b'{"content":"x"}')
        assert sock.read().status == 202
