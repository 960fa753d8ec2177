"""How long things took, as counts below bounds."""

from __future__ import annotations

from bisect import bisect_left
from itertools import accumulate

BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0, 900.0)
"""Seconds. A rule takes milliseconds, a language model many seconds, a full queue minutes."""


class Histogram:
    """For one thread at a time."""

    def __init__(self) -> None:
        self._counts = [0] * (len(BOUNDS) + 1)
        self.sum = 0.0
        """Seconds in all."""

    def observe(self, seconds: float) -> None:
        """Counts one."""
        self._counts[bisect_left(BOUNDS, seconds)] += 1
        self.sum += seconds

    def cumulative(self) -> list[tuple[str, int]]:
        """Bounds as Prometheus writes them, and how many were not above; all of them at last."""
        bounds = (*map(str, BOUNDS), "+Inf")
        return list(zip(bounds, accumulate(self._counts), strict=True))
