"""A client that is closed from another thread, in the middle of whatever it does."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from qmemd.client import Client, ClientClosedError
from qmemd.client.lifetime import Lifetime
from tests.client.scripted import ScriptedServer, answer, stream

TOKEN = "t"
SESSION = {"sessionId": "s1", "clientId": "client_1", "attached": False}


@pytest.fixture
def silent() -> Iterator[socket.socket]:
    """Takes connections, and says nothing."""
    with closing(socket.create_server(("127.0.0.1", 0))) as listener:
        listener.settimeout(10)
        yield listener


def client_of(listener: socket.socket, timeout: float = 60) -> Client:
    return Client(f"http://127.0.0.1:{listener.getsockname()[1]}", TOKEN, timeout=timeout)


def meet(listener: socket.socket) -> socket.socket:
    """The next connection, once its request is there."""
    connection, _ = listener.accept()
    connection.settimeout(10)
    assert connection.recv(65_536)
    return connection


def test_a_call_that_waits_is_ended(silent: socket.socket) -> None:
    client = client_of(silent)
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(client.capabilities)
        with closing(meet(silent)):
            client.close()
            error = asked.exception(10)
    assert isinstance(error, ClientClosedError)
    assert (error.code, error.status) == ("client_closed", None)
    client.close()
    with pytest.raises(ClientClosedError):
        client.tasks()


def test_a_pause_before_a_repetition_is_ended() -> None:
    told = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as unused:
        client = client_of(unused)
    began = client.base_url
    lifetime = client._transport.lifetime

    def ask() -> None:
        told.set()
        client.capabilities()

    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(ask)
        assert told.wait(10)
        while not lifetime._enders and not asked.done():  # until it connects, or rests
            pass
        client.close()
        assert isinstance(asked.exception(10), ClientClosedError)
    assert began


@pytest.mark.parametrize("entered", [True, False])
def test_a_stream_ends(entered: bool) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(10)
        client = client_of(listener)
        events = client.events()
        with ThreadPoolExecutor(1) as pool:
            if entered:
                entering = pool.submit(events.__enter__)
                connection = meet(listener)
                connection.sendall(head)
                entering.result(10)
            reading = pool.submit(lambda: list(events))
            if not entered:
                connection = meet(listener)
                connection.sendall(head)
            client.close()
            assert reading.result(10) == []
        connection.close()
    with pytest.raises(ClientClosedError):
        client.events().__enter__()


def test_the_client_of_a_session_is_closed_along_and_not_the_other_way() -> None:
    steps = (answer(200, SESSION), answer(200, {"tasks": []}))
    with ScriptedServer(*steps) as server:
        client = Client(server.url, TOKEN)
        session = client.session()
        session.client.close()
        with pytest.raises(ClientClosedError):
            session.client.tasks()
        assert client.tasks() == []
        client.close()
        with pytest.raises(ClientClosedError):
            client.with_client_id("x").tasks()


def test_leaving_the_blocks_of_a_closed_client_is_quiet() -> None:
    with (
        ScriptedServer(answer(200, SESSION), stream()) as server,
        Client(server.url, TOKEN) as client,
        client.session(),
        client.events() as events,
    ):
        client.close()
        assert list(events) == []
    assert len(server.requests) <= 2


def test_nothing_is_kept_of_what_is_over() -> None:
    parent = Lifetime()
    child = Lifetime(parent)
    ended: list[str] = []
    with child.watched(lambda: ended.append("inner")):
        pass
    assert parent._enders == child._enders == {}
    with child.watched(lambda: ended.append("open")):
        parent.close()
    assert ended == ["open"]
    act: Callable[[], None] = child.check
    with pytest.raises(ClientClosedError):
        act()
    assert parent._enders == child._enders == {}
