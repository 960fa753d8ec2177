"""Bodies are bounded before they are read: by what their heads say, and in all."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable

import pytest

from qmemd.http.intake import MAX_UNASKED_BODY, Intake
from qmemd.http.server import HttpServer
from tests.http import raw
from tests.http.fake_door import FakeDoor

REMEMBER = "/workspace/memory/remember"
LARGE = f"Content-Length: {MAX_UNASKED_BODY + 1}"
JSON = "Content-Type: application/json"
ORIGIN = "Origin: http://evil.example"


def changed(head: bytes, *changes: tuple[bytes, bytes]) -> bytes:
    for old, new in changes:
        assert old in head
        head = head.replace(old, new)
    return head


WRONG_HOST = (b"Host: localhost", b"Host: evil.example")
WRONG_TOKEN = (b"Bearer s3cret", b"Bearer wrong")


@pytest.mark.parametrize(
    ("head", "status", "code"),
    [
        # each is wrong in what is looked at later, too
        (
            changed(raw.get("/nope", LARGE, ORIGIN, method="POST"), WRONG_HOST, WRONG_TOKEN),
            403,
            "invalid_host",
        ),
        (changed(raw.get("/nope", LARGE, ORIGIN), WRONG_TOKEN), 403, "origin_denied"),
        (changed(raw.get("/nope", LARGE, method="PUT"), WRONG_TOKEN), 401, "unauthorized"),
        (changed(raw.get(REMEMBER, LARGE, method="POST"), WRONG_TOKEN), 401, "unauthorized"),
        (changed(raw.get("/health", LARGE, method="POST"), WRONG_TOKEN), 401, "unauthorized"),
        (changed(raw.get("/health", LARGE, ORIGIN), WRONG_TOKEN), 403, "origin_denied"),
        (changed(raw.get("/health", LARGE), WRONG_TOKEN), 413, "body_too_large"),
    ],
)
def test_a_wrong_head_is_answered_without_its_body(
    server: HttpServer, head: bytes, status: int, code: str
) -> None:
    with raw.Connection(server.port) as sock:
        sock.send(head)
        answer = sock.read()
        assert (answer.status, answer.json["code"]) == (status, code)
        assert answer.headers["Connection"] == "close"
        assert (answer.headers["WWW-Authenticate"] == "Bearer") is (status == 401)
        assert sock.at_end()


def test_a_refused_client_can_send_all_and_read_why(server: HttpServer) -> None:
    size = 8_000_000
    head = raw.get(REMEMBER, JSON, f"Content-Length: {size}", method="POST")
    with raw.Connection(server.port) as sock:
        sock.send(changed(head, WRONG_TOKEN))
        sock.send(b" " * size)
        assert sock.read().status == 401


def test_an_endless_chunked_body_needs_the_token(server: HttpServer) -> None:
    head = raw.get(REMEMBER, JSON, "Transfer-Encoding: chunked", method="POST")
    with raw.Connection(server.port) as sock:
        sock.send(changed(head, WRONG_TOKEN))
        sock.send(b"2000\r\n%s\r\n" % (b" " * 0x2000) * 9)
        assert sock.read().status == 401
        assert sock.at_end()


def test_a_stopping_daemon_reads_no_large_body(server: HttpServer, door: FakeDoor) -> None:
    door.stopping = True
    answer = raw.exchange(server.port, raw.get(REMEMBER, LARGE, method="POST"))
    assert (answer.status, answer.json["code"]) == (503, "daemon_stopping")


def test_small_bodies_keep_the_connection(server: HttpServer) -> None:
    body = b" " * MAX_UNASKED_BODY
    head = raw.get(REMEMBER, JSON, f"Content-Length: {len(body)}", method="POST")
    with raw.Connection(server.port) as sock:
        for _ in range(2):
            sock.send(changed(head, WRONG_TOKEN) + body)
            assert sock.read().status == 401


def test_a_head_request_gets_no_body_with_its_error(server: HttpServer) -> None:
    with raw.Connection(server.port) as sock:
        sock.send(changed(raw.get("/capabilities", LARGE, method="HEAD"), WRONG_TOKEN))
        assert sock.read("HEAD").status == 401
        assert sock.at_end()


def test_large_bodies_with_the_token_come_through(server: HttpServer, door: FakeDoor) -> None:
    for path in (REMEMBER, REMEMBER + "/"):
        assert raw.post(server.port, path, b'{"content":"x"}'.rjust(1_000_000)).status == 202
    assert len(door.submitted) == 2


ROOM = 1_000_000


def stalled(server: HttpServer, length: int, sent: int) -> raw.Connection:
    sock = raw.Connection(server.port)
    sock.send(raw.get(REMEMBER, JSON, f"Content-Length: {length}", method="POST"))
    sock.send(b" " * sent)
    return sock


def wait_for_room(server: HttpServer, room: int) -> None:
    assert server._loop
    deadline = time.monotonic() + 5
    while server._loop._server.intake._free != room:
        assert time.monotonic() < deadline
        threading.Event().wait(0.002)


def test_bodies_are_bounded_in_all(serve: Callable[..., HttpServer]) -> None:
    server = serve(max_bodies=ROOM)
    with contextlib.ExitStack() as stack:
        for number in range(3):
            stack.enter_context(stalled(server, 400_000, 300_000))
            wait_for_room(server, ROOM - 300_000 * (number + 1))
        answer = raw.post(server.port, REMEMBER, b'{"content":"x"}'.rjust(200_000))
        assert (answer.status, answer.json["code"]) == (503, "daemon_busy")
        assert answer.headers["Retry-After"] == "1"
        assert answer.headers["Connection"] == "close"
        assert raw.post(server.port, REMEMBER, b'{"content":"x"}').status == 202


@pytest.mark.parametrize("end", ["hang up", "answer", "refuse", "break"])
def test_room_for_bodies_comes_back(serve: Callable[..., HttpServer], end: str) -> None:
    server = serve(max_bodies=ROOM)
    for _ in range(4):
        body = b'{"content":"x"}'.rjust(900_000)
        if end == "hang up":
            with stalled(server, 900_000, 800_000):
                wait_for_room(server, ROOM - 800_000)
        elif end == "break":
            head = raw.get(REMEMBER, JSON, "Transfer-Encoding: chunked", method="POST")
            chunk = b"%x\r\n%s" % (len(body), body)
            assert raw.exchange(server.port, head + chunk + b"XX").status == 400
        elif end == "refuse":
            assert raw.post(server.port, REMEMBER, body * 2).status == 503
        wait_for_room(server, ROOM)
        assert raw.post(server.port, REMEMBER, body).status == 202
        wait_for_room(server, ROOM)


def test_counting_is_exact() -> None:
    intake = Intake(None, 1, 10)
    assert intake.take(10) is None
    assert intake.take(1) is not None
    intake.give_back(4)
    assert intake.take(4) is None
    assert intake.take(1) is not None
