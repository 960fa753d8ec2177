from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Callable
from typing import Any

import pytest

from qmemd.http.app import create_app
from qmemd.http.fields import Fields
from qmemd.http.ports import Access
from qmemd.http.server import HttpServer, bind
from qmemd.kinds import TaskKind
from tests.http import raw
from tests.http.fake_door import FakeDoor, FakePolled

POLL = "/workspace/memory/dream/d1"


def put_task(door: FakeDoor, body: bytes = b"{}") -> None:
    door.board["d1"] = FakePolled(TaskKind.DREAM, None, body)


def test_polls_are_served_by_the_io_thread(server: HttpServer, door: FakeDoor) -> None:
    put_task(door)
    assert raw.exchange(server.port, raw.get(POLL)).status == 200
    assert door.poll_threads == {f"qmemd-http-{server.port}"}


def test_a_query_sends_a_poll_to_the_pool(server: HttpServer, door: FakeDoor) -> None:
    put_task(door)
    assert raw.exchange(server.port, raw.get(POLL + "?x=1")).status == 200
    (name,) = door.poll_threads
    assert name.startswith("waitress-")


def test_polls_do_not_queue_behind_requests_that_wait(server: HttpServer, door: FakeDoor) -> None:
    put_task(door)
    door.may_submit.clear()
    with contextlib.ExitStack() as stack:
        waiting = [stack.enter_context(raw.Connection(server.port)) for _ in range(8)]
        for sock in waiting:  # twice as many as the pool has threads
            sock.send(raw.get("/workspace/memory/dream", method="POST"))
        assert door.submitting.wait(5)
        for path in ("/health", "/capabilities", POLL):
            assert raw.exchange(server.port, raw.get(path)).status == 200
        door.may_submit.set()
        assert [sock.read().status for sock in waiting] == [202] * 8


def test_pipelined_look_ups_are_answered_in_order(server: HttpServer, door: FakeDoor) -> None:
    put_task(door)
    with raw.Connection(server.port) as sock:
        sock.send((raw.get("/health") + raw.get(POLL) + raw.get("/nope")) * 50)
        statuses = [sock.read().status for _ in range(150)]
    assert statuses == [200, 200, 404] * 50


def test_pipelined_posts_and_polls_keep_their_order(server: HttpServer, door: FakeDoor) -> None:
    put_task(door, b'{"d":1}')
    dream = raw.get("/workspace/memory/dream", method="POST")
    with raw.Connection(server.port) as sock:
        sock.send((raw.get(POLL) + dream) * 20)
        answers = [sock.read() for _ in range(40)]
    assert [answer.status for answer in answers] == [200, 202] * 20


def test_a_client_that_does_not_read_stops_nobody_else(server: HttpServer, door: FakeDoor) -> None:
    put_task(door, b" " * 3_000_000)
    with raw.Connection(server.port) as deaf:
        deaf.send(raw.get(POLL) * 60)  # 180 MB of answers
        for _ in range(20):
            assert raw.exchange(server.port, raw.get("/health")).status == 200


def test_the_io_thread_never_waits_for_itself_to_wake_up() -> None:
    def pull_often(_environ: dict[str, Any], start: Callable[..., Any]) -> list[bytes]:
        for _ in range(70_000):  # more than the pipe that wakes the loop can hold
            loop._server.pull_trigger()
        start("200 OK", [("Content-Length", "0")])
        return []

    server = HttpServer(pull_often, bind("127.0.0.1", 0), threads=1)
    server.start()
    loop = server._loop
    assert loop
    try:
        assert raw.exchange(server.port, raw.get("/health")).status == 200
    finally:
        server.stop(2)


def test_many_clients_at_once(server: HttpServer, door: FakeDoor) -> None:
    put_task(door)
    failures: list[object] = []

    def poll_often() -> None:
        with raw.Connection(server.port) as sock:
            for _ in range(50):
                sock.send(raw.get(POLL))
                answer = sock.read()
                if (answer.status, answer.body) != (200, b"{}"):
                    failures.append(answer)

    threads = [threading.Thread(target=poll_often) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert not failures


def test_a_queue_of_requests_is_no_news(
    server: HttpServer, door: FakeDoor, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    door.may_submit.clear()
    with contextlib.ExitStack() as stack:
        waiting = [stack.enter_context(raw.Connection(server.port)) for _ in range(12)]
        for sock in waiting:
            sock.send(raw.get("/workspace/memory/dream", method="POST"))
        assert raw.exchange(server.port, raw.get("/health")).status == 200
        door.may_submit.set()
        assert [sock.read().status for sock in waiting] == [202] * 12
    assert not caplog.records


def test_as_many_requests_may_wait_at_once(door: FakeDoor, fields: Fields) -> None:
    sock = bind("127.0.0.1", 0)
    access = Access("s3cret", "127.0.0.1", sock.getsockname()[1])
    before = set(threading.enumerate())
    server = HttpServer(create_app(door, access, fields=fields), sock)
    server.start()
    started = {thread.name for thread in set(threading.enumerate()) - before}
    server.stop(2)
    assert len([name for name in started if name.startswith("waitress-")]) == 24
