from __future__ import annotations

import pytest

from qmemd.actors.backoff import Backoff


def test_the_delay_doubles_up_to_a_bound() -> None:
    backoff = Backoff(0.1, 5.0)
    delays = [backoff.delay(0)]
    for _ in range(8):
        backoff.failed(0)
        delays.append(backoff.delay(0))
    assert delays == pytest.approx([0, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5, 5])
    for _ in range(5_000):
        backoff.failed(0)
    assert backoff.delay(0) == 5


def test_time_that_has_passed_counts() -> None:
    backoff = Backoff(0.1, 5.0)
    backoff.failed(100.0)
    assert backoff.delay(100.04) == pytest.approx(0.06)
    assert backoff.delay(200.0) == 0


def test_a_success_starts_over() -> None:
    backoff = Backoff(0.1, 5.0)
    backoff.failed(0)
    backoff.succeeded()
    assert backoff.delay(0) == 0
    assert backoff.failures == 0
