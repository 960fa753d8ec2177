from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import suppress

import pytest

from qmemd.client.connection import Connection, wake


@pytest.fixture
def full() -> Iterator[tuple[str, int]]:
    """Where nobody takes a connection, and nobody refuses one."""
    with socket.socket() as listener, socket.socket() as one, socket.socket() as two:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        for waiting in (one, two):
            waiting.setblocking(False)
            with suppress(BlockingIOError):
                waiting.connect(listener.getsockname())
        yield listener.getsockname()


def test_its_time_is_for_all_of_it(full: tuple[str, int]) -> None:
    connection = Connection(*full, secure=False, left=lambda: 0.05)
    with pytest.raises(TimeoutError):
        connection.connect()


def test_another_thread_ends_its_waiting(full: tuple[str, int]) -> None:
    handed: list[socket.socket] = []
    told, ended = threading.Event(), threading.Event()

    def take(opened: socket.socket) -> None:
        if handed:
            raise ConnectionError
        handed.append(opened)
        told.set()

    connection = Connection(*full, secure=False, left=lambda: 30, on_socket=take)

    def connect() -> None:
        with pytest.raises(OSError):  # noqa: PT011 — which one depends on the moment
            connection.connect()
        ended.set()

    thread = threading.Thread(target=connect)
    thread.start()
    assert told.wait(10)
    with suppress(OSError):
        wake(handed[0])
    assert ended.wait(10)
    thread.join()
    assert handed[0].fileno() == -1


def test_who_is_woken_before_it_connects_is_not_taken_for_connected(full: tuple[str, int]) -> None:
    seen: list[socket.socket] = []

    def take(opened: socket.socket) -> None:
        seen.append(opened)
        if len(seen) > 1:
            raise ConnectionAbortedError
        with suppress(OSError):
            wake(opened)

    connection = Connection(*full, secure=False, left=lambda: 30, on_socket=take)
    with pytest.raises(ConnectionError):
        connection.connect()
    assert connection.sock is None
    assert seen[0].fileno() == -1


@pytest.mark.parametrize(("secure", "port"), [(False, 80), (True, 443)])
def test_a_port_that_is_left_out(secure: bool, port: int) -> None:
    connection = Connection("::1", None, secure=secure, left=lambda: 1)
    assert (connection.host, connection.port) == ("::1", port)
