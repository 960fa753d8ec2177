"""A subscriber for tests."""

from __future__ import annotations

import threading

from qmemd.events import MemoryChanged


class Reader:
    """Collects events and lets a test wait for their number."""

    def __init__(self) -> None:
        self.seen: list[MemoryChanged] = []
        self._changed = threading.Condition()

    def __call__(self, seen: MemoryChanged) -> None:
        with self._changed:
            self.seen.append(seen)
            self._changed.notify_all()

    def wait(self, count: int) -> list[MemoryChanged]:
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.seen) >= count, 5)
        return self.seen
