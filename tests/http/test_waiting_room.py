"""Polls that wait for the end of their task."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
from falcon import testing

from qmemd.http.server import HttpServer
from qmemd.http.waiting_room import MAX_WAITING
from qmemd.kinds import TaskKind
from tests.http import raw
from tests.http.fake_door import FakeDoor, FakePolled

PATH = "/workspace/memory/dream/d1"


@pytest.fixture(autouse=True)
def _task(door: FakeDoor) -> None:
    door.board["d1"] = FakePolled(TaskKind.DREAM, None, b'{"status":"running"}')


def test_a_poll_waits_and_then_shows_the_state_of_that_moment(
    server: HttpServer, door: FakeDoor
) -> None:
    with raw.Connection(server.port) as connection:
        connection.send(raw.get(f"{PATH}?wait=2.5"))
        assert door.waiting.acquire(timeout=10)
        door.board["d1"] = FakePolled(TaskKind.DREAM, None, b'{"status":"completed"}', True)
        door.may_go_on.set()
        assert connection.read().json == {"status": "completed"}
    assert door.waited == [("d1", 2.5)]


@pytest.mark.parametrize("query", ["wait=0", "wait=0.0", "x=1"])
def test_some_polls_do_not_wait(client: testing.TestClient, door: FakeDoor, query: str) -> None:
    assert client.simulate_get(PATH, query_string=query).json == {"status": "running"}
    assert not door.waited


def test_an_ended_task_is_not_waited_for(client: testing.TestClient, door: FakeDoor) -> None:
    door.board["d1"] = FakePolled(TaskKind.DREAM, None, b'{"status":"failed"}', True)
    assert client.simulate_get(PATH, params={"wait": "30"}).json == {"status": "failed"}
    assert not door.waited


@pytest.mark.parametrize(
    "value", ["", "-1", "31", "30.1", "1e1", "x", "nan", "inf", "1,2", "9" * 50, "1_0", "%D9%A1"]
)
def test_times_that_are_none(client: testing.TestClient, door: FakeDoor, value: str) -> None:
    reply = client.simulate_get(PATH, query_string=f"wait={value}")
    assert (reply.status_code, reply.json["code"]) == (400, "invalid_wait")
    assert not door.waited


def test_what_may_not_be_seen_is_not_waited_for(client: testing.TestClient, door: FakeDoor) -> None:
    headers = {"X-Qwen-Client-Id": "known"}
    assert client.simulate_get(PATH, params={"wait": "1"}, headers=headers).status_code == 404
    assert not door.waited


def test_a_client_that_leaves_ends_the_waiting(server: HttpServer, door: FakeDoor) -> None:
    connection = raw.Connection(server.port)
    connection.send(raw.get(f"{PATH}?wait=30"))
    assert door.waiting.acquire(timeout=10)
    connection.reset()
    assert door.may_go_on.wait(5)


def test_a_task_that_is_dropped_meanwhile_is_shown_as_it_was(
    server: HttpServer, door: FakeDoor
) -> None:
    with raw.Connection(server.port) as connection:
        connection.send(raw.get(f"{PATH}?wait=30"))
        assert door.waiting.acquire(timeout=10)
        del door.board["d1"]
        door.may_go_on.set()
        assert connection.read().status == 200


def test_more_than_the_limit_are_answered_at_once(
    serve: Callable[..., HttpServer], door: FakeDoor
) -> None:
    server = serve(threads=2)
    connections = [raw.Connection(server.port) for _ in range(MAX_WAITING + 1)]
    for connection in connections:
        connection.send(raw.get(f"{PATH}?wait=30"))
    for _ in range(MAX_WAITING):
        assert door.waiting.acquire(timeout=10)
    assert raw.exchange(server.port, raw.get(f"{PATH}?wait=30")).status == 200
    assert len(door.waited) == MAX_WAITING
    door.may_go_on.set()
    for connection in connections:
        assert connection.read().status == 200
        connection.close()
    assert threading.active_count() < MAX_WAITING
