"""How many requests somebody has made of late: a counter and a start for each who made any."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

WINDOW = 60.0
"""Seconds from the first request that is counted until counting begins anew."""
MAX_WINDOWS = 4_096
"""Names that are counted apart at once; the windows of about a megabyte."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Where somebody stands after one more request."""

    allowed: bool
    limit: int
    """Requests per window."""
    remaining: int
    """Requests that are left of it."""
    resets_in: float
    """Seconds until the window is over; above 0."""


@dataclass(slots=True)
class _Window:
    started: float
    requests: int = 0


class RateWindows:
    """Fixed windows, each from a first request on, for one limit. Safe to use from any thread.

    Counting takes the same short time however many there are, because the server's I/O thread
    does it too: the windows lie in the order in which they began, so that those which are over
    are found at the front.
    """

    def __init__(
        self,
        limit: int,
        *,
        clock: Callable[[], float],
        overflow: str,
        window: float = WINDOW,
        most: int = MAX_WINDOWS,
    ) -> None:
        """Begins with nothing counted.

        Args:
            limit: requests per window.
            clock: monotonic seconds.
            overflow: whose window newcomers share while there are too many.
            window: seconds.
            most: names that are counted apart, beside ``overflow``.
        """
        self._limit = limit
        self._clock = clock
        self._overflow = overflow
        self._window = window
        self._most = most
        self._lock = threading.Lock()
        self._windows: dict[str, _Window] = {}

    def __len__(self) -> int:
        """How many windows are kept."""
        return len(self._windows)

    def count(self, name: str) -> Standing:
        """Counts one more request, unless it is over the limit."""
        with self._lock:
            now = self._clock()
            window = self._current(name, now)
            allowed = window.requests < self._limit
            window.requests += allowed
            return Standing(
                allowed,
                self._limit,
                self._limit - window.requests,
                self._window - (now - window.started),
            )

    def _current(self, name: str, now: float) -> _Window:
        self._forget_first(now)
        self._forget_first(now)  # two for each new one, so that they never pile up
        window = self._windows.get(name)
        if window is not None and not self._is_over(window, now):
            return window
        if window is None and name != self._overflow and len(self._windows) >= self._most:
            return self._current(self._overflow, now)
        self._windows.pop(name, None)  # it goes to the end, where the youngest are
        self._windows[name] = _Window(now)
        return self._windows[name]

    def _forget_first(self, now: float) -> None:
        name = next(iter(self._windows), None)
        if name is not None and self._is_over(self._windows[name], now):
            del self._windows[name]

    def _is_over(self, window: _Window, now: float) -> bool:
        return now - window.started >= self._window
