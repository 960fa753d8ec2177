"""Timers that run out when a test says so."""

from __future__ import annotations

from collections.abc import Callable

from qmemd.actors.child_events import (
    TimerTick,
)


class FakeTimer:
    def __init__(self, seconds: float, action: Callable[[], None]) -> None:
        self.seconds = seconds
        self.action = action
        self.cancelled = False

    def cancel(self) -> None:
        self.cancelled = True


class FakeTimers:
    """Its ``start`` goes into `Timers`; a cancelled timer may still run out, as real ones do."""

    def __init__(self) -> None:
        self.started: list[FakeTimer] = []
        self.ticks: list[TimerTick] = []

    def start(self, seconds: float, action: Callable[[], None]) -> FakeTimer:
        self.started.append(FakeTimer(seconds, action))
        return self.started[-1]

    def run_all(self) -> None:
        started, self.started = self.started, []
        for timer in started:
            timer.action()
