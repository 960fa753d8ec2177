"""Streams over real HTTP, with a door that keeps what it was asked."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from falcon import testing

from qmemd.errors import RequestError
from qmemd.events import envelope
from qmemd.http.server import HttpServer
from qmemd.streams import StreamWish
from tests.http import raw
from tests.http.fake_door import FakeDoor
from tests.http.sse import StreamClient

EVENTS = "/session/s1/events"


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def listen(stack: ExitStack, server: HttpServer, path: str = EVENTS, *headers: str) -> StreamClient:
    connection = stack.enter_context(raw.Connection(server.port))
    connection.send(raw.get(path, *headers))
    client = StreamClient(connection)
    assert client.head()[0] == 200
    assert client.block() == "retry: 3000"
    return client


def test_the_head_and_the_first_bytes_leave_at_once(server: HttpServer) -> None:
    with raw.Connection(server.port) as connection:
        connection.send(raw.get(EVENTS))
        client = StreamClient(connection)
        status, headers = client.head()
        assert client.block() == "retry: 3000"
    assert status == 200
    assert headers["content-type"] == "text/event-stream"
    assert headers["cache-control"] == "no-cache, no-transform"
    assert headers["x-accel-buffering"] == "no"
    assert headers["x-qwen-event-epoch"] == "epoch-1"
    assert headers["x-qwen-sse-stream-id"] == "stream-1"
    assert headers["connection"] == "close"
    assert "content-length" not in headers


def test_what_is_asked_for_reaches_the_door(
    server: HttpServer, door: FakeDoor, stack: ExitStack
) -> None:
    query = "?maxQueued=16&snapshot=1&connectReason=resume"
    headers = ("Last-Event-ID: 5", "X-Qwen-Event-Epoch: old", "X-Qwen-Client-Id: !!")
    listen(stack, server, EVENTS + query, *headers)
    listen(stack, server, "/workspace/events", "X-Qwen-Client-Id: known")
    listen(stack, server, "/workspace/events?client=known", "X-Qwen-Client-Id: known")
    listen(stack, server, "/workspace/events?client=gone", "X-Qwen-Client-Id:")
    listen(stack, server, "/workspace/events/", "X-Qwen-Client-Id: unknown")
    assert door.wishes == [
        StreamWish("s1", None, None, 5, "old", 16, True),
        StreamWish(client_id="known"),
        StreamWish(client_id="known", originator="known"),
        StreamWish(originator="gone"),
        StreamWish(),
    ]


def test_a_filter_has_to_be_the_client_that_asks(client: testing.TestClient) -> None:
    reply = client.simulate_get(
        "/workspace/events", params={"client": "known"}, headers={"X-Qwen-Client-Id": "other"}
    )
    assert (reply.status_code, reply.json["code"]) == (400, "invalid_client_id")


@pytest.mark.parametrize("path", [EVENTS, "/workspace/events"])
def test_refusals_are_json(client: testing.TestClient, door: FakeDoor, path: str) -> None:
    assert client.simulate_get(path, params={"maxQueued": "1"}).json["code"] == "invalid_max_queued"
    assert client.simulate_head(path).status_code == 405
    assert client.simulate_post(path, json={}).status_code == 405
    assert not door.wishes
    door.refusal = RequestError("subscriber_limit_exceeded", extra={"limit": 256})
    reply = client.simulate_get(path)
    assert (reply.status_code, reply.headers["Retry-After"]) == (429, "5")
    assert reply.json["limit"] == 256


def test_events_come_as_they_happen_and_the_stream_ends_with_its_reader(
    server: HttpServer, door: FakeDoor, stack: ExitStack
) -> None:
    client = listen(stack, server)
    for number in (1, 2):
        data = {"text": "a\u2028b\r\nc"}
        door.readers[0].offer(envelope("memory_changed", data, timestamp=1, event_id=number))
        event = client.event()
        assert (event["id"], event["data"]) == (number, data)
    door.readers[0].end()
    with pytest.raises(ConnectionAbortedError):
        client.event()


@pytest.mark.parametrize("leave", ["close", "reset", "send_no_more"])
def test_a_client_that_leaves_is_noticed_at_once(
    server: HttpServer, door: FakeDoor, leave: str
) -> None:
    connection = raw.Connection(server.port)
    connection.send(raw.get(EVENTS))
    client = StreamClient(connection)
    client.head()
    client.block()
    threads = threading.active_count()
    getattr(connection, leave)()
    reader = door.readers[0]
    assert reader.take(5) is None
    assert reader.ended
    connection.close()
    pool_shrinks(threads - 1)


def pool_shrinks(threads: int) -> None:
    for _ in range(500):
        if threading.active_count() <= threads:
            return
        threading.Event().wait(0.01)
    raise AssertionError(f"{threading.active_count()} threads, expected {threads}")


def test_streams_and_waiting_polls_leave_all_threads_to_the_others(
    serve: Callable[..., HttpServer], door: FakeDoor, stack: ExitStack
) -> None:
    server = serve(threads=1)
    before = threading.active_count()
    for _ in range(20):
        listen(stack, server)
    listing = raw.exchange(server.port, raw.get("/workspace/memory/tasks"))
    assert listing.status == 200
    for reader in door.readers:
        reader.end()
    pool_shrinks(before)
    assert raw.exchange(server.port, raw.get("/workspace/memory/tasks")).status == 200


def test_a_client_that_reads_nothing_fills_its_queue_and_not_our_memory(
    serve: Callable[..., HttpServer], door: FakeDoor
) -> None:
    server = serve(reader_patience=0.3)
    with raw.Connection(server.port, receive_buffer=4096) as deaf:
        deaf.send(raw.get(EVENTS))
        StreamClient(deaf).head()
        reader = door.readers[0]
        event = envelope("memory_changed", {"text": "x" * 10_000}, timestamp=1, event_id=1)
        offered = 0
        while reader.offer(event):
            offered += 1
            assert offered < 10_000
        for _ in range(1_000):
            if reader.ended:
                break
            threading.Event().wait(0.01)
        assert reader.ended


def test_a_second_request_behind_a_stream_does_not_disturb_it(
    server: HttpServer, door: FakeDoor
) -> None:
    with raw.Connection(server.port) as connection:
        connection.send(raw.get(EVENTS) + raw.get("/health"))
        client = StreamClient(connection)
        client.head()
        door.readers[0].offer(envelope("memory_changed", {}, timestamp=1, event_id=1))
        assert client.event()["id"] == 1


def test_an_old_client_gets_the_stream_without_chunks(server: HttpServer, door: FakeDoor) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as sock:
        sock.sendall(raw.get(EVENTS).replace(b"HTTP/1.1", b"HTTP/1.0"))
        received = b""
        while b"retry: 3000\n\n" not in received:
            received += sock.recv(4096)
        door.readers[0].end()
        while data := sock.recv(4096):
            received += data
    assert b"Transfer-Encoding" not in received
    assert received.endswith(b"\r\n\r\nretry: 3000\n\n")
