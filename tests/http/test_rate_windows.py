from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from qmemd.http.rate_windows import RateWindows, Standing


class Clock:
    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def windows(clock: Callable[[], float], limit: int = 2, most: int = 3) -> RateWindows:
    return RateWindows(limit, clock=clock, overflow="rest", window=60, most=most)


def test_so_many_and_no_more_until_the_window_is_over(clock: Clock) -> None:
    counted = windows(clock)
    assert counted.count("a") == Standing(True, 2, 1, 60)
    clock.now += 10
    assert counted.count("a") == Standing(True, 2, 0, 50)
    clock.now += 49.5
    assert counted.count("a") == Standing(False, 2, 0, 0.5)
    clock.now += 0.5
    assert counted.count("a") == Standing(True, 2, 1, 60)


def test_each_name_counts_for_itself_from_its_own_first_request(clock: Clock) -> None:
    counted = windows(clock, limit=1)
    assert counted.count("a").allowed
    clock.now += 30
    assert counted.count("b") == Standing(True, 1, 0, 60)
    clock.now += 30
    assert counted.count("a").allowed
    assert counted.count("b") == Standing(False, 1, 0, 30)


def test_newcomers_beyond_the_bound_share_one_window(clock: Clock) -> None:
    counted = windows(clock)
    for name in ("a", "b", "c"):
        counted.count(name)
    assert counted.count("d").remaining == 1
    assert counted.count("e").remaining == 0
    assert not counted.count("f").allowed
    assert counted.count("a").remaining == 0
    assert len(counted) == 4


def test_what_is_over_makes_room_and_never_piles_up(clock: Clock) -> None:
    counted = windows(clock, most=50)
    for number in range(10_000):
        clock.now += 2
        assert counted.count(f"client {number}").remaining == 1
        assert len(counted) <= 31
    clock.now += 60
    counted.count("a")
    clock.now += 60
    counted.count("b")
    assert len(counted) <= 29


@pytest.mark.parametrize("name", ["a", "rest"])
def test_a_full_house_lets_its_own_begin_anew(clock: Clock, name: str) -> None:
    counted = windows(clock, limit=1, most=1)
    counted.count(name)
    assert not counted.count(name).allowed
    clock.now += 60
    assert counted.count(name).allowed


def test_many_threads_get_exactly_the_limit(clock: Clock) -> None:
    counted = windows(clock, limit=1_000)
    allowed: list[int] = []

    def ask() -> None:
        allowed.append(sum(counted.count("a").allowed for _ in range(500)))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(allowed) == 1_000
