from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator

import pytest

from qmemd.http.dispatcher import Dispatcher
from qmemd.http.holding import has_left, hold_thread, on_leave


@pytest.fixture
def dispatcher() -> Iterator[Dispatcher]:
    dispatcher = Dispatcher()
    dispatcher.open_pool(2)
    yield dispatcher
    dispatcher.shutdown(timeout=5)


def test_a_server_without_these_services_is_no_trouble() -> None:
    with hold_thread({}):
        assert on_leave({}) is None
        assert has_left({}) is None


def test_waitress_is_asked() -> None:
    answers = [False, True]
    asked = has_left({"waitress.client_disconnected": lambda: answers.pop(0)})
    assert asked
    assert [asked(), asked()] == [False, True]


def test_under_gunicorn_the_connection_is_looked_at_and_nothing_is_taken_from_it() -> None:
    here, there = socket.socketpair()
    with here:
        left = has_left({"gunicorn.socket": here})
        assert left
        assert not left()
        there.sendall(b"GET")
        assert not left()
        there.close()
        assert not left()
        assert here.recv(3) == b"GET"
        assert left()
    assert left()


def test_the_pool_has_a_thread_more_for_each_request_that_holds_one(
    dispatcher: Dispatcher,
) -> None:
    env = {"qmemd.hold_thread": dispatcher.hold_thread}
    with hold_thread(env), hold_thread(env):
        assert len(dispatcher.threads) - dispatcher.stop_count == 4
    assert len(dispatcher.threads) - dispatcher.stop_count == 2


def test_many_come_and_go_at_once_and_the_count_is_right(dispatcher: Dispatcher) -> None:
    def hold_often() -> None:
        for _ in range(50):
            with dispatcher.hold_thread():
                pass

    run_at_once(hold_often, 8)
    assert len(dispatcher.threads) - dispatcher.stop_count == 2


def test_nothing_grows_again_after_the_end(dispatcher: Dispatcher) -> None:
    with dispatcher.hold_thread():
        dispatcher.shutdown(timeout=5)
    with dispatcher.hold_thread():
        assert not dispatcher.threads


def run_at_once(act: Callable[[], None], times: int) -> None:
    threads = [threading.Thread(target=act) for _ in range(times)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
