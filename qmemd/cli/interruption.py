"""Ctrl-C for a command of many steps: the step ends first, so that the report is true."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager


class Interruption:
    """Notes the first Ctrl-C; raises KeyboardInterrupt for the second, and where one waits."""

    def __init__(self) -> None:
        self.seen = False
        self._waiting = False

    @contextmanager
    def watched(self) -> Iterator[None]:
        """On the main thread; what was set before is set again at the end."""
        before = signal.signal(signal.SIGINT, self._on_signal)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """For a wait that Ctrl-C is to cut short. Raises KeyboardInterrupt."""
        self._waiting = True
        try:
            if self.seen:
                raise KeyboardInterrupt
            yield
        finally:
            self._waiting = False

    def _on_signal(self, *_: object) -> None:
        again, self.seen = self.seen, True
        if again or self._waiting:
            raise KeyboardInterrupt
