"""How many requests the application answered, and how."""

from __future__ import annotations

import threading
from collections import Counter

METHODS = frozenset({"DELETE", "GET", "HEAD", "OPTIONS", "POST"})
"""Others are one: a client may send any word as a method."""
OTHER = "other"


class RequestTally:
    """Counted and read from any thread. Bounded by the methods and statuses that there are."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._answered: Counter[tuple[str, int]] = Counter()

    def answered(self, method: str, status: int) -> None:
        """One more."""
        key = (method if method in METHODS else OTHER, status)
        with self._lock:
            self._answered[key] += 1

    def numbers(self) -> dict[tuple[str, int], int]:
        """By method and status."""
        with self._lock:
            return dict(self._answered)
