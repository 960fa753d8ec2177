from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from qmemd.http.server import HttpServer, bind
from tests.http import raw
from tests.http.fake_door import FakeDoor


@pytest.mark.parametrize(
    ("request_bytes", "status", "code"),
    [
        (b"BAD\r\n\r\n", 400, "bad_request"),
        (b"GET /\r\nNo colon\r\n\r\n", 400, "bad_request"),
        (b"get / HTTP/1.1\r\n\r\n", 400, "bad_request"),
        (b"GET / HTTP/1.1\r\nBad Name: x\r\n\r\n", 400, "bad_request"),
        (b"GET http://[ HTTP/1.1\r\n\r\n", 400, "bad_request"),
        (b"POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n", 400, "bad_request"),
        (b"POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n", 400, "bad_request"),
        (b"POST / HTTP/1.1\r\nContent-Length: " + b"9" * 5000 + b"\r\n\r\n", 400, "bad_request"),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n", 400, "bad_request"),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n", 501, "not_implemented"),
        (b"GET / HTTP/1.1\r\nX: " + b"x" * 300_000 + b"\r\n\r\n", 431, "headers_too_large"),
        (b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 257 + b"\r\n", 431, "headers_too_large"),
        (b"POST / HTTP/1.1\r\nContent-Length: 99999999\r\n\r\n", 413, "body_too_large"),
    ],
)
def test_what_the_app_never_sees_is_answered_in_its_form(
    server: HttpServer, request_bytes: bytes, status: int, code: str
) -> None:
    answer = raw.exchange(server.port, request_bytes)
    assert (answer.status, answer.json["code"]) == (status, code)
    assert set(answer.json) == {"error", "code"}
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Connection"] == "close"
    assert answer.headers["Server"] is None


def test_an_app_that_breaks_is_answered_in_the_same_form() -> None:
    def broken(_environ: dict[str, Any], _start_response: Callable[..., Any]) -> list[bytes]:
        raise RuntimeError("hush")

    server = HttpServer(broken, bind("127.0.0.1", 0), threads=1)
    server.start()
    try:
        for path in ("/health", "/elsewhere"):  # on the I/O thread and in the pool
            answer = raw.exchange(server.port, raw.get(path))
            assert (answer.status, answer.json["code"]) == (500, "internal_error")
            assert b"hush" not in answer.body
    finally:
        server.stop(2)


def test_clients_that_leave_before_they_are_refused_leave_no_trace(
    serve: Callable[..., HttpServer], door: FakeDoor, caplog: pytest.LogCaptureFixture
) -> None:
    server = serve(threads=1)
    door.may_submit.clear()
    with raw.Connection(server.port) as leaving:
        leaving.send(raw.get("/workspace/memory/dream", method="POST") + b"BAD\r\n\r\n")
        assert door.submitting.wait(5)
        leaving.reset()
    door.may_submit.set()
    for _ in range(3):
        assert raw.exchange(server.port, raw.get("/nope")).status == 404
    assert not [record for record in caplog.records if record.levelname != "INFO"]


def test_the_server_does_not_name_itself(server: HttpServer) -> None:
    assert raw.exchange(server.port, raw.get("/health")).headers["Server"] is None
