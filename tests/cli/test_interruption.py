from __future__ import annotations

import signal

import pytest

from qmemd.cli.interruption import Interruption, held_back


def test_the_first_is_noted_and_the_second_raises() -> None:
    interruption = Interruption()
    before = signal.getsignal(signal.SIGINT)
    with interruption.watched():
        signal.raise_signal(signal.SIGINT)
        assert interruption.seen
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before


def test_a_wait_is_cut_short_by_the_first() -> None:
    interruption = Interruption()
    with interruption.watched(), pytest.raises(KeyboardInterrupt), interruption.waiting():
        signal.raise_signal(signal.SIGINT)
    assert interruption.seen


def test_a_wait_is_not_begun_after_one() -> None:
    interruption = Interruption()
    with interruption.watched():
        signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt), interruption.waiting():
            pytest.fail("it was begun")


def test_what_is_held_back_comes_when_it_is_known_what_was_begun() -> None:
    begun: list[str] = []

    def begin() -> None:
        with held_back():
            signal.raise_signal(signal.SIGINT)
            begun.append("a task")

    with pytest.raises(KeyboardInterrupt):
        begin()
    assert begun == ["a task"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_second_one_is_not_held_back() -> None:
    interruption = Interruption()
    went_on = False

    def begin() -> None:
        nonlocal went_on
        with interruption.watched(), interruption.waiting(), held_back():
            signal.raise_signal(signal.SIGINT)
            assert not interruption.seen
            signal.raise_signal(signal.SIGINT)
            went_on = True

    with pytest.raises(KeyboardInterrupt):
        begin()
    assert interruption.seen
    assert not went_on


def test_without_one_nothing_is_raised() -> None:
    with held_back():
        pass


def test_who_ignores_it_goes_on_ignoring_it() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with Interruption().watched(), held_back():
            signal.raise_signal(signal.SIGINT)
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)
