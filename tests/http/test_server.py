from __future__ import annotations

import socket
import threading
import time

import pytest

from qmemd.http.app import create_app
from qmemd.http.fields import Fields
from qmemd.http.ports import Access
from qmemd.http.server import HttpServer, bind
from tests.http import raw
from tests.http.fake_door import FakeDoor

DREAM = raw.get("/workspace/memory/dream", method="POST")


def serve(door: FakeDoor, fields: Fields, **options: int) -> HttpServer:
    sock = bind("127.0.0.1", 0)
    access = Access("s3cret", "127.0.0.1", sock.getsockname()[1])
    server = HttpServer(create_app(door, access, fields=fields), sock, threads=2, **options)
    server.start()
    return server


def refuses_connections(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1):
            return False
    except ConnectionRefusedError:
        return True
    except ConnectionResetError:  # caught in the backlog that was just being closed
        return False


def test_requests_share_a_connection(server: HttpServer) -> None:
    with raw.Connection(server.port) as sock:
        for _ in range(3):
            sock.send(raw.get("/health"))
            assert sock.read().json == {"status": "ok"}


def test_the_port_is_free_at_once(door: FakeDoor, fields: Fields) -> None:
    server = serve(door, fields)
    with raw.Connection(server.port) as idle:
        idle.send(raw.get("/health"))
        assert idle.read().status == 200
        began = time.monotonic()
        server.stop(5)
        assert time.monotonic() - began < 1
        assert idle.at_end()
        bind("127.0.0.1", server.port).close()


def test_running_requests_finish_while_nobody_new_gets_in(door: FakeDoor, fields: Fields) -> None:
    server = serve(door, fields)
    door.may_submit.clear()
    with raw.Connection(server.port) as running:
        running.send(DREAM)
        assert door.submitting.wait(5)
        stopper = threading.Thread(target=server.stop, args=(10,))
        stopper.start()
        deadline = time.monotonic() + 5
        while not refuses_connections(server.port):
            assert time.monotonic() < deadline
        door.may_submit.set()
        assert running.read().status == 202
        stopper.join(5)
        assert not stopper.is_alive()


def test_a_request_that_never_ends_is_cut_off(door: FakeDoor, fields: Fields) -> None:
    server = serve(door, fields)
    door.may_submit.clear()
    with raw.Connection(server.port) as running:
        running.send(DREAM)
        assert door.submitting.wait(5)
        began = time.monotonic()
        server.stop(0.1)
        assert time.monotonic() - began < 2
        with pytest.raises(ConnectionError):
            running.read()
        assert refuses_connections(server.port)
        door.may_submit.set()


def test_half_a_request_does_not_hold_the_stop(door: FakeDoor, fields: Fields) -> None:
    server = serve(door, fields)
    with raw.Connection(server.port) as half:
        half.send(DREAM[:40])
        assert raw.exchange(server.port, raw.get("/health")).status == 200
        began = time.monotonic()
        server.stop(5)
        assert time.monotonic() - began < 1


def test_stopping_twice_from_several_threads(door: FakeDoor, fields: Fields) -> None:
    server = serve(door, fields)
    stoppers = [threading.Thread(target=server.stop, args=(2,)) for _ in range(4)]
    for stopper in stoppers:
        stopper.start()
    for stopper in stoppers:
        stopper.join(5)
    server.stop(0)
    assert refuses_connections(server.port)


def test_no_thread_is_left_behind(door: FakeDoor, fields: Fields) -> None:
    before = set(threading.enumerate())
    server = serve(door, fields)
    assert raw.exchange(server.port, raw.get("/health")).status == 200
    assert raw.exchange(server.port, DREAM).status == 202
    server.stop(2)
    left = set(threading.enumerate()) - before
    for thread in left:  # told to end; they need a moment to leave their last function
        thread.join(2)
    assert not [thread.name for thread in left if thread.is_alive()]


def test_a_server_that_was_never_started(door: FakeDoor) -> None:
    sock = bind("127.0.0.1", 0)
    port = sock.getsockname()[1]
    server = HttpServer(create_app(door, Access("s3cret", "127.0.0.1", port)), sock)
    server.stop(1)
    assert refuses_connections(port)
    with pytest.raises(RuntimeError):
        server.start()


def test_a_server_starts_once(server: HttpServer) -> None:
    with pytest.raises(RuntimeError):
        server.start()


def test_a_client_that_leaves_does_no_harm(server: HttpServer, door: FakeDoor) -> None:
    door.may_submit.clear()
    with raw.Connection(server.port) as leaving:
        leaving.send(DREAM)
        assert door.submitting.wait(5)
    door.may_submit.set()
    assert raw.exchange(server.port, raw.get("/health")).status == 200


def test_a_stalled_body_holds_no_thread(door: FakeDoor, fields: Fields) -> None:
    server = serve(door, fields)
    head = raw.get("/workspace/memory/dream", "Content-Length: 50", method="POST")
    stalled = [raw.Connection(server.port) for _ in range(4)]  # twice the pool's threads
    try:
        for sock in stalled:
            sock.send(head + b"{ }")
        assert raw.exchange(server.port, DREAM).status == 202
    finally:
        for sock in stalled:
            sock.close()
        server.stop(2)


@pytest.mark.slow
def test_silent_connections_are_closed(door: FakeDoor, fields: Fields) -> None:
    server = serve(door, fields, channel_timeout=1)
    head = raw.get("/workspace/memory/dream", "Content-Length: 50", method="POST")
    with raw.Connection(server.port) as stalled:
        stalled.send(head + b"{ }")
        assert stalled.at_end()
    server.stop(2)


def test_a_server_that_ends_by_itself_says_so_and_can_be_stopped(
    door: FakeDoor, fields: Fields
) -> None:
    failed = threading.Event()
    sock = bind("127.0.0.1", 0)
    access = Access("s3cret", "127.0.0.1", sock.getsockname()[1])
    app = create_app(door, access, fields=fields)
    server = HttpServer(app, sock, threads=2, on_failure=failed.set)
    server.start()
    with raw.Connection(server.port) as connection:
        connection.send(raw.get("/health"))
        assert connection.read().status == 200
        sock.close()  # as a fault in the loop would
        assert failed.wait(10)
    server.stop(1)
    assert refuses_connections(server.port)
