"""Bounded queues between the event bus and those who read from it."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable

from qmemd.events import MemoryChanged
from qmemd.streams import DEFAULT_QUEUED

log = logging.getLogger(__name__)


class EventQueue:
    """What one reader has not read yet. Offering never waits; a full queue ends the reading.

    A reader that missed events would trust a wrong picture, so a queue that overflows is closed
    and says so, rather than drop something silently.
    """

    def __init__(self, capacity: int = DEFAULT_QUEUED) -> None:
        self._capacity = capacity
        self._events: deque[MemoryChanged] = deque()
        self._ready = threading.Condition()
        self._closed = False
        self.overflowed = False
        """True when the reader was too slow and was cut off."""

    def offer(self, event: MemoryChanged) -> bool:
        """False when the queue is closed or has just overflowed."""
        with self._ready:
            if not self._closed and len(self._events) >= self._capacity:
                self.overflowed = self._closed = True
            if self._closed:
                self._ready.notify_all()
                return False
            self._events.append(event)
            self._ready.notify()
            return True

    def take(self, timeout: float | None = None) -> MemoryChanged | None:
        """The next event; None after ``timeout`` seconds, or at once when closed and empty."""
        with self._ready:
            self._ready.wait_for(lambda: self._events or self._closed, timeout)
            return self._events.popleft() if self._events else None

    @property
    def ended(self) -> bool:
        """Closed, and everything has been taken."""
        with self._ready:
            return self._closed and not self._events

    def close(self) -> None:
        """What is queued can still be taken. Idempotent, from any thread."""
        with self._ready:
            self._closed = True
            self._ready.notify_all()


class Subscription:
    """A callback that is called with each event, on a thread of its own.

    A callback that raises is logged and called again for the next event; one that is slow delays
    nobody but itself, and is cut off when more than the queue's capacity waits for it.
    """

    def __init__(
        self,
        callback: Callable[[MemoryChanged], object],
        on_close: Callable[[Subscription], object],
        capacity: int = DEFAULT_QUEUED,
    ) -> None:
        self._callback = callback
        self._on_close = on_close
        self._queue = EventQueue(capacity)
        self._thread = threading.Thread(target=self._run, name="qmemd-subscription", daemon=True)
        self._thread.start()

    def offer(self, event: MemoryChanged) -> None:
        """The bus's: never waits."""
        if not self._queue.offer(event):
            self.close()

    def close(self) -> None:
        """No event comes after what is queued now. Idempotent, from any thread; never waits."""
        self._on_close(self)
        self._queue.close()

    def join(self, timeout: float) -> None:
        """Waits up to ``timeout`` seconds for the callback to see what is queued."""
        if threading.current_thread() is not self._thread:
            self._thread.join(timeout)

    def _run(self) -> None:
        while not self._queue.ended:
            event = self._queue.take()
            if event is None:
                continue
            try:
                self._callback(event)
            except BaseException:  # SystemExit in a callback ends no subscription
                log.exception("a subscriber's callback failed")
        if self._queue.overflowed:
            log.warning("a subscriber was too slow and was cut off")
