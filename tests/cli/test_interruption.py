from __future__ import annotations

import signal

import pytest

from qmemd.cli.interruption import Interruption


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
