"""Clients that ask and do not read: they cost memory for a while, and no thread."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from qmemd.http.server import HttpServer
from qmemd.kinds import TaskKind
from tests.http import raw
from tests.http.fake_door import FakeDoor, FakePolled

DREAM = raw.get("/workspace/memory/dream", method="POST")
POLL = raw.get("/workspace/memory/dream/d1")
POOL_POLL = raw.get("/workspace/memory/dream/d1?x=1")
"""The same, served by the pool."""


@pytest.fixture
def big(door: FakeDoor) -> None:
    door.board["d1"] = FakePolled(TaskKind.DREAM, None, b" " * 3_000_000)


@pytest.mark.usefixtures("big")
@pytest.mark.parametrize("poll", [POLL, POOL_POLL])
def test_deaf_clients_hold_no_thread(serve: Callable[..., HttpServer], poll: bytes) -> None:
    server = serve(threads=2)
    with contextlib.ExitStack() as stack:
        for _ in range(8):
            deaf = stack.enter_context(raw.Connection(server.port, receive_buffer=4096))
            deaf.send(poll * 12)
        for _ in range(10):
            assert raw.exchange(server.port, DREAM).status == 202
            assert raw.exchange(server.port, raw.get("/health")).status == 200


@pytest.mark.usefixtures("big")
def test_a_slow_reader_gets_everything_in_order(server: HttpServer) -> None:
    with raw.Connection(server.port, receive_buffer=4096) as slow:
        slow.send((POLL + DREAM + POOL_POLL) * 4)
        answers = [slow.read() for _ in range(12)]
    assert [answer.status for answer in answers] == [200, 202, 200] * 4
    assert {len(answer.body) for answer in answers[::3]} == {3_000_000}


@pytest.mark.usefixtures("big")
@pytest.mark.parametrize("requests", [POLL, POLL * 12, POOL_POLL * 12])
def test_patience_with_a_deaf_client_ends(
    serve: Callable[..., HttpServer], requests: bytes
) -> None:
    server = serve(reader_patience=0.2)
    with raw.Connection(server.port, receive_buffer=4096) as deaf:
        deaf.send(requests)
        deadline = time.monotonic() + 10
        while server._loop and server._loop._server.active_channels:
            assert time.monotonic() < deadline
            threading.Event().wait(0.01)


def test_a_stream_lets_go_of_its_thread(serve: Callable[..., HttpServer]) -> None:
    ended = threading.Event()

    def endless(_environ: dict[str, Any], start: Callable[..., Any]) -> Iterator[bytes]:
        start("200 OK", [])
        try:
            while True:
                yield b" " * 1_000_000
        finally:
            ended.set()

    server = serve(endless, reader_patience=0.2, threads=1)
    with raw.Connection(server.port, receive_buffer=4096) as deaf:
        deaf.send(raw.get("/stream"))
        assert ended.wait(10)


def test_one_connection_holds_one_thread(serve: Callable[..., HttpServer], door: FakeDoor) -> None:
    server = serve(threads=2)
    door.may_submit.clear()
    with raw.Connection(server.port) as greedy:
        greedy.send(DREAM * 20)
        assert door.submitting.wait(5)
        assert raw.exchange(server.port, raw.get("/nope")).status == 404  # the other thread
        door.may_submit.set()
        assert [greedy.read().status for _ in range(20)] == [202] * 20
