"""One timer per purpose, whose late ticks are told apart from current ones."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Protocol

from qmemd.actors.child_events import (
    Alarm,
    TimerTick,
)

_ENDING = 1.0
"""Seconds for a cancelled timer's thread to wake up and end; it takes microseconds."""


class Cancellable(Protocol):
    """What starting a timer gives back."""

    def cancel(self) -> None: ...


class _Timer(threading.Timer):
    """Leaves no thread behind: once it is cancelled, it has ended."""

    def cancel(self) -> None:
        super().cancel()
        if self.is_alive() and threading.current_thread() is not self:
            self.join(_ENDING)


def start_thread_timer(seconds: float, action: Callable[[], None]) -> Cancellable:
    """Runs the action once, later, on a thread that keeps no program alive."""
    timer = _Timer(seconds, action)
    timer.daemon = True
    timer.name = "qmemd-timer"
    timer.start()
    return timer


class Timers:
    """Belongs to one actor and is used by its thread only; a timer does nothing but ``tell``."""

    def __init__(
        self,
        tell: Callable[[TimerTick], None],
        start: Callable[[float, Callable[[], None]], Cancellable] = start_thread_timer,
    ) -> None:
        self._tell = tell
        self._start = start
        self._serial = 0
        self._running: dict[Alarm, tuple[int, Cancellable]] = {}

    def set(self, alarm: Alarm, seconds: float) -> None:
        """Starts the timer anew."""
        self.cancel(alarm)
        self._serial += 1
        tick = TimerTick(alarm, self._serial)
        self._running[alarm] = (tick.serial, self._start(seconds, lambda: self._tell(tick)))

    def runs(self, alarm: Alarm) -> bool:
        return alarm in self._running

    def cancel(self, alarm: Alarm) -> None:
        _, timer = self._running.pop(alarm, (0, None))
        if timer is not None:
            timer.cancel()

    def cancel_all(self) -> None:
        for alarm in tuple(self._running):
            self.cancel(alarm)

    def take(self, tick: TimerTick) -> bool:
        """Whether the tick counts: its timer was neither cancelled nor set anew since."""
        serial, _ = self._running.get(tick.alarm, (0, None))
        if serial != tick.serial:
            return False
        del self._running[tick.alarm]
        return True
