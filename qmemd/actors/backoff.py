"""How long to wait before another child is started."""

from __future__ import annotations


class Backoff:
    """Doubles with each failure in a row, up to a bound. Times are monotonic seconds."""

    def __init__(self, first: float, longest: float) -> None:
        self._first = first
        self._longest = longest
        self._failed_at = 0.0
        self.failures = 0
        """In a row."""

    def failed(self, now: float) -> None:
        self.failures += 1
        self._failed_at = now

    def succeeded(self) -> None:
        self.failures = 0

    def delay(self, now: float) -> float:
        """Seconds from now until the next start; time that has passed already counts."""
        if self.failures == 0:
            return 0.0
        doublings = min(self.failures - 1, 30)  # beyond that a float would only get silly
        whole = min(self._longest, self._first * 2.0**doublings)
        return max(0.0, self._failed_at + whole - now)
