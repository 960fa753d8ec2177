"""A run that has to stop does so at once, whatever the endpoint does."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest

from qmemd.agent.models.openai.retry import pause
from qmemd.errors import TaskFailedError
from qmemd.kinds import TaskKind
from tests.agent.models.openai.conftest import Bench, MakeBench, conversation
from tests.agent.runs import make_run
from tests.fakes.endpoint import TIMEOUT, Step, cuts, hangs, says

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
STREAM = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"

HANGING = [
    hangs(),
    hangs(b"HTT"),
    hangs(HEAD + b"\r\n{"),
    hangs(HEAD + b"Content-Length: 100\r\n\r\n{"),
    hangs(STREAM),
    hangs(STREAM + b'data: {"choices":[{"delta":{"content":"x"}}]}\n\nda'),
]


def cancelled_while(bench: Bench, act: Callable[[Callable[[], None]], None]) -> float:
    """Seconds from the cancel to the end of the run."""
    run = make_run()
    moment: list[float] = []

    def cancel() -> None:
        moment.append(time.monotonic())
        run.cancellation.request()

    canceller = threading.Thread(target=act, args=(cancel,))
    canceller.start()
    with pytest.raises(TaskFailedError) as caught:
        bench.model.respond(conversation(), run)
    end = time.monotonic()
    canceller.join()
    assert caught.value.code == "task_cancelled"
    return end - moment[0]


@pytest.mark.parametrize("step", HANGING)
def test_a_cancel_wakes_who_waits_for_the_endpoint(at: MakeBench, step: Step) -> None:
    bench = at(step)

    def act(cancel: Callable[[], None]) -> None:
        assert bench.endpoint.met.acquire(timeout=TIMEOUT)
        cancel()

    assert cancelled_while(bench, act) < 0.5


def test_a_cancel_before_the_request_sends_none(at: MakeBench) -> None:
    bench = at(says("Done."))
    run = make_run()
    run.cancellation.request()
    with pytest.raises(TaskFailedError, match="cancelled"):
        bench.model.respond(conversation(), run)
    assert bench.endpoint.asked == []


@pytest.mark.parametrize("step", [hangs(), hangs(STREAM)])
def test_the_end_of_the_time_wakes_too(at: MakeBench, step: Step) -> None:
    bench = at(step)
    run = make_run(TaskKind.DREAM, seconds=0.3)
    started = time.monotonic()
    with pytest.raises(TaskFailedError) as caught:
        bench.model.respond(conversation(), run)
    assert caught.value.code == "dream_timeout"
    assert 0.3 <= time.monotonic() - started < 0.6


def test_a_trickle_does_not_outlast_the_run(at: MakeBench) -> None:
    def trickles(wire: object) -> None:
        wire.send(STREAM)  # type: ignore[attr-defined]
        while not wire.closing.wait(0.02):  # type: ignore[attr-defined]
            wire.send(b": still there\n")  # type: ignore[attr-defined]

    bench = at(trickles)
    with pytest.raises(TaskFailedError) as caught:
        bench.model.respond(conversation(), make_run(seconds=0.2))
    assert caught.value.code == "remember_timeout"


def test_a_tls_handshake_that_never_ends_can_be_cancelled(at: MakeBench) -> None:
    # It speaks no TLS: the handshake's first bytes are not even a request to it.
    bench = at(hangs())
    bench.url = bench.url.replace("http:", "https:")
    connected = bench.endpoint.connected

    def act(cancel: Callable[[], None]) -> None:
        assert connected.acquire(timeout=TIMEOUT)
        cancel()

    assert cancelled_while(bench, act) < 0.5


def test_a_cancel_wakes_who_waits_to_ask_again() -> None:
    run = make_run()
    timer = threading.Timer(0.05, run.cancellation.request)
    timer.start()
    with pytest.raises(TaskFailedError) as caught:
        pause(run, 30.0)
    assert caught.value.code == "task_cancelled"
    timer.join()


def test_a_cancel_between_two_attempts(at: MakeBench) -> None:
    bench = at(cuts("x"), hangs())

    def act(cancel: Callable[[], None]) -> None:
        for _ in range(2):
            assert bench.endpoint.met.acquire(timeout=TIMEOUT)
        cancel()

    assert cancelled_while(bench, act) < 0.5
    assert len(bench.endpoint.asked) == 2


def test_nothing_stays_behind(at: MakeBench) -> None:
    before = threading.active_count()
    bench = at(says("Done."))
    running = threading.active_count()
    for _ in range(3):
        bench.model.respond(conversation(), make_run())
    bench.endpoint.stop()
    assert before < running
    assert threading.active_count() == before
