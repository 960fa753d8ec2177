"""A client may say that it sends no more and still wait for its answers."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

from qmemd.http.holding import on_leave
from qmemd.http.server import HttpServer
from qmemd.kinds import TaskKind
from tests.http import raw
from tests.http.fake_door import FakeDoor, FakePolled

DREAM = raw.get("/workspace/memory/dream", method="POST")
POLL = "/workspace/memory/dream/d1"


def test_a_running_request_is_answered(server: HttpServer, door: FakeDoor) -> None:
    door.may_submit.clear()
    with raw.Connection(server.port) as sock:
        sock.send(DREAM)
        assert door.submitting.wait(5)
        sock.send_no_more()
        for _ in range(3):  # the loop has turned, and seen it
            assert raw.exchange(server.port, raw.get("/health")).status == 200
        door.may_submit.set()
        assert sock.read().status == 202
        assert sock.at_end()


def test_whatever_was_sent_before_is_answered(server: HttpServer, door: FakeDoor) -> None:
    door.board["d1"] = FakePolled(TaskKind.DREAM, None, b" " * 3_000_000)
    for requests, count in [
        (DREAM, 1),
        (raw.get("/health"), 1),
        (raw.get("/health") + DREAM + raw.get("/health"), 3),
        (raw.get(POLL) * 10, 10),
        (DREAM + DREAM[:40], 1),
        (raw.get("/nope"), 1),
    ]:
        with raw.Connection(server.port) as sock:
            sock.send(requests)
            sock.send_no_more()
            assert all(sock.read().status in (200, 202, 404) for _ in range(count))
            assert sock.at_end()


def test_nothing_was_asked(server: HttpServer) -> None:
    for beginning in (b"", b"GET", DREAM[:-2]):
        with raw.Connection(server.port) as sock:
            sock.send(beginning)
            sock.send_no_more()
            assert sock.at_end()


class Stream:
    """An app that goes on until its client is gone."""

    def __init__(self) -> None:
        self.started = threading.Event()
        self.ended = threading.Event()

    def __call__(
        self, environ: dict[str, Any], start_response: Callable[..., Any]
    ) -> Iterator[bytes]:
        start_response("200 OK", [])
        self.started.set()
        gone = environ["waitress.client_disconnected"]
        pause = threading.Event()
        while not gone():
            yield b"."
            pause.wait(0.005)
        self.ended.set()


def test_a_stream_learns_that_its_client_is_done(serve: Callable[..., HttpServer]) -> None:
    stream = Stream()
    server = serve(stream)
    with raw.Connection(server.port) as sock:
        sock.send(raw.get("/stream"))
        assert stream.started.wait(5)
        assert not stream.ended.is_set()
        sock.send_no_more()
        assert stream.ended.wait(5)


def test_a_stream_learns_that_its_client_is_gone(serve: Callable[..., HttpServer]) -> None:
    stream = Stream()
    server = serve(stream)
    with raw.Connection(server.port) as sock:
        sock.send(raw.get("/stream"))
        assert stream.started.wait(5)
    assert stream.ended.wait(5)


class Waiting:
    """An app of which one path waits until it is told that its client has left."""

    def __init__(self) -> None:
        self.waits = threading.Semaphore(0)
        self.told = threading.Semaphore(0)

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> list[bytes]:
        start_response("200 OK", [("Content-Length", "0")])
        if environ["PATH_INFO"] == "/wait":
            left = threading.Event()
            tell = on_leave(environ)
            assert tell
            tell(left.set)
            self.waits.release()
            if left.wait(5):
                self.told.release()
        return []


def test_the_end_of_a_request_takes_no_word_from_the_one_behind_it(
    serve: Callable[..., HttpServer],
) -> None:
    app = Waiting()
    server = serve(app)
    for _ in range(60):  # the threads of the two meet only now and then
        with raw.Connection(server.port) as sock:
            sock.send(raw.get("/at-once") + raw.get("/wait"))
            assert app.waits.acquire(timeout=5)
            sock.send_no_more()
            assert app.told.acquire(timeout=5)
