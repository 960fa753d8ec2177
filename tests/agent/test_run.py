from __future__ import annotations

import threading

import pytest

from qmemd.agent.meter import UsageMeter
from qmemd.errors import TaskFailedError
from qmemd.kinds import TaskKind
from tests.agent.runs import make_run

TIMEOUT = 10.0


def test_what_is_left_of_the_time() -> None:
    seconds = 0.0
    run = make_run(seconds=5.0, clock=lambda: seconds)
    assert run.remaining() == 5.0
    seconds = 4.0
    assert run.remaining() == 1.0
    run.check()
    seconds = 6.0
    assert run.remaining() == 0.0
    with pytest.raises(TaskFailedError) as caught:
        run.check()
    assert caught.value.code == "remember_timeout"


def test_a_cancel_interrupts_on_the_thread_that_cancels() -> None:
    run = make_run()
    told: list[int] = []
    with run.interrupt(lambda: told.append(threading.get_ident())):
        canceller = threading.Thread(target=run.cancellation.request)
        canceller.start()
        ident = canceller.ident
        canceller.join()
    assert told == [ident]
    with pytest.raises(TaskFailedError, match="cancelled"):
        run.check()


def test_the_deadline_interrupts_by_itself() -> None:
    run = make_run(TaskKind.FORGET, seconds=0.05)
    woken = threading.Event()
    with run.interrupt(woken.set):
        assert woken.wait(TIMEOUT)
    with pytest.raises(TaskFailedError) as caught:
        run.check()
    assert caught.value.code == "forget_timeout"


def test_after_the_end_nothing_is_interrupted_and_no_timer_stays() -> None:
    run = make_run()
    told: list[str] = []
    before = threading.active_count()
    with run.interrupt(lambda: told.append("x")):
        assert threading.active_count() == before + 1
    run.cancellation.request()
    assert told == []
    assert threading.active_count() == before


def test_a_run_that_is_over_is_interrupted_at_once() -> None:
    run = make_run(seconds=-1.0)
    woken = threading.Event()
    with run.interrupt(woken.set):
        assert woken.wait(TIMEOUT)
    run = make_run()
    run.cancellation.request()
    told: list[str] = []
    with run.interrupt(lambda: told.append("x")):
        assert told == ["x"]


def test_a_deadline_at_the_end_of_all_days() -> None:
    with make_run(seconds=1e300).interrupt(lambda: None):
        pass


def test_the_usage_is_in_the_result_when_a_model_was_asked() -> None:
    meter = UsageMeter()
    assert meter.noted_in({"summary": "x"}) == {"summary": "x"}
    meter.model_calls = 2
    meter.add_tokens(10, 3)
    meter.add_tokens(20, 4)
    usage = {"modelCalls": 2, "inputTokens": 30, "outputTokens": 7}
    assert meter.noted_in({"summary": "x"}) == {"summary": "x", "usage": usage}
