"""Ctrl-C at a better moment: once it is known what was begun, so that what is said is true."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def held_back() -> Iterator[None]:
    """On the main thread: Ctrl-C counts when this is over, a second one at once.

    For a request that is short: when it is cut off, nobody knows whether a task was accepted.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in the background of a shell
        yield
        return
    seen = False

    def on_signal(*_: object) -> None:
        nonlocal seen
        if seen:
            raise KeyboardInterrupt
        seen = True

    before = signal.signal(signal.SIGINT, on_signal)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if seen and callable(before):
            before(signal.SIGINT, None)


class Interruption:
    """For a command of many steps: the first Ctrl-C is noted, and ends a wait at once.

    The second one raises KeyboardInterrupt wherever it comes.
    """

    def __init__(self) -> None:
        self.seen = False
        self._waiting = False

    @contextmanager
    def watched(self) -> Iterator[None]:
        """On the main thread; what was set before is set again at the end."""
        if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
            yield
            return
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
