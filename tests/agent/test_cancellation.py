from __future__ import annotations

import threading

import pytest

from qmemd.agent.cancellation import Cancellation


def test_subscribers_are_told_once_on_the_thread_that_asks() -> None:
    cancellation = Cancellation()
    told: list[int] = []
    cancellation.subscribe(lambda: told.append(threading.get_ident()))
    assert not cancellation.requested
    cancellation.request()
    cancellation.request()
    assert cancellation.requested
    assert told == [threading.get_ident()]


def test_who_comes_late_is_told_at_once() -> None:
    cancellation = Cancellation()
    cancellation.request()
    told: list[str] = []
    cancellation.subscribe(lambda: told.append("late"))()
    assert told == ["late"]


def test_who_left_is_not_told() -> None:
    cancellation = Cancellation()
    told: list[str] = []
    leave = cancellation.subscribe(lambda: told.append("left"))
    leave()
    leave()
    cancellation.request()
    assert told == []


def test_one_that_fails_keeps_no_other_from_being_told(caplog: pytest.LogCaptureFixture) -> None:
    def fails() -> None:
        raise RuntimeError

    cancellation = Cancellation()
    told: list[str] = []
    cancellation.subscribe(fails)
    cancellation.subscribe(lambda: told.append("next"))
    cancellation.request()
    assert told == ["next"]
    assert "could not be interrupted" in caplog.text
