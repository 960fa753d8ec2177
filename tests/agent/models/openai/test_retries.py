"""What is tried again, when, and for how long."""

from __future__ import annotations

import threading
from datetime import timedelta
from email.utils import format_datetime

import pytest

from qmemd.agent.models.openai.retry import MAX_RETRIES, backoff, retry_after
from tests.agent.models.openai.conftest import MakeBench
from tests.conftest import FakeClock
from tests.fakes.endpoint import closes, cuts, fails, says, waits_for


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 529])
def test_what_passes_is_asked_again(at: MakeBench, status: int) -> None:
    step = fails(status) if status != 529 else lambda wire: wire.send(b"HTTP/1.1 529 Busy\r\n\r\n")
    bench = at(step, says("Done."))
    run = bench.run()
    assert bench.respond(run=run).text == "Done."
    assert bench.pauses == [pytest.approx(0.375)]
    assert run.usage.model_calls == 1


def test_a_broken_connection_is_asked_again(at: MakeBench) -> None:
    bench = at(closes, cuts("Do"), cuts(""), says("Done."))
    assert bench.respond().text == "Done."
    assert len(bench.pauses) == 3


def test_the_pauses_grow_and_end(at: MakeBench) -> None:
    bench = at(fails(500, "The fact was: geese"))
    details = bench.failure(bench.run(300.0))
    assert details == "The model endpoint failed (HTTP 500)."
    assert len(bench.endpoint.asked) == 1 + MAX_RETRIES
    assert bench.pauses == sorted(bench.pauses)
    assert len(set(bench.pauses)) == MAX_RETRIES


def test_no_pause_is_longer_than_the_time_that_is_left(at: MakeBench) -> None:
    bench = at(fails(503))
    assert "HTTP 503" in bench.failure(bench.run(2.0))
    assert sum(bench.pauses) < 2.0


@pytest.mark.parametrize("text", ["7", "7.0", "date"])
def test_the_endpoint_says_how_long(at: MakeBench, text: str) -> None:
    bench = at(says(""))
    if text == "date":
        text = format_datetime(bench.now + timedelta(seconds=7), usegmt=True)
    bench.endpoint.then(fails(429, Retry_After=text), says("Done."))
    assert bench.respond().text == "Done."
    assert bench.pauses == [pytest.approx(7.0)]


def test_a_rate_limit_that_outlasts_the_run_fails_at_once(at: MakeBench) -> None:
    bench = at(fails(429, Retry_After="3600"))
    assert "rate limit" in bench.failure()
    assert bench.pauses == []


def test_a_quota_that_is_used_up_is_not_waited_for(at: MakeBench) -> None:
    bench = at(fails(429, {"code": "insufficient_quota", "message": "You exceeded …"}))
    assert "quota" in bench.failure()
    assert len(bench.endpoint.asked) == 1


def test_an_unreachable_endpoint(at: MakeBench) -> None:
    bench = at(says(""))
    bench.endpoint.stop()
    details = bench.failure()
    assert "cannot be reached" in details
    assert bench.endpoint.url.rpartition("/v1")[0] in details
    assert len(bench.pauses) == MAX_RETRIES


def test_a_cut_answer_is_paid_for(at: MakeBench) -> None:
    bench = at(cuts("Do"), says("Done."))
    run = bench.run()
    bench.respond(run=run)
    assert run.usage.model_calls == 2
    assert run.usage.input_tokens > 150


def test_the_pauses_are_spread() -> None:
    assert backoff(0, 0.0) == 0.25
    assert backoff(0, 1.0) == 0.5
    assert backoff(50, 1.0) == 20.0


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("", None),
        ("soon", None),
        ("nan", None),
        ("inf", None),
        ("-5", 0.0),
        ("2.5", 2.5),
        ("Sun, 01 Mar 2026 12:00:30 GMT", 29.876544),
        ("Sun, 01 Mar 2026 12:00:30 -0000", 29.876544),
        ("Sun, 01 Mar 2020 12:00:30 GMT", 0.0),
        ("Sun, 99 Mar 2026 12:00:30 GMT", None),
    ],
)
def test_retry_after(clock: FakeClock, value: str, seconds: float | None) -> None:
    found = retry_after({"retry-after": value}, clock())
    assert found == (None if seconds is None else pytest.approx(seconds))


def test_a_slow_endpoint_is_waited_for(at: MakeBench) -> None:
    gate = threading.Event()
    bench = at(waits_for(gate, says("Done.")))
    opener = threading.Thread(target=lambda: bench.endpoint.met.acquire() and gate.set())
    opener.start()
    assert bench.respond().text == "Done."
    opener.join()
