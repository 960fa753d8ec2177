"""One reader's bounded queue between a feed and the thread that sends it out."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence

from qmemd.events import Event, envelope

MAX_QUEUED_BYTES = 2 * 2**20
"""Bytes that may wait for one reader."""
WARN_AT = 0.75
"""Share of either bound at which the reader is warned."""
REARM_AT = 0.375
"""Share below which the next warning may come."""


class FeedReader:
    """Implements ``Reader``. Offering never waits.

    A reader that missed events would trust a wrong picture: one that is too slow is told so, first
    as a warning, then by the end of its stream, and finds what it missed in the ring.
    """

    def __init__(
        self,
        *,
        stream_id: str,
        epoch: str,
        first: Sequence[Event],
        max_queued: int,
        clock: Callable[[], int],
        on_close: Callable[[], object],
        max_bytes: int = MAX_QUEUED_BYTES,
    ) -> None:
        """Makes a reader that begins with ``first``, which is exempt from its bounds.

        Args:
            stream_id: names this reader.
            epoch: of the feed.
            first: what it gets before anything new.
            max_queued: events that may wait.
            clock: milliseconds since the epoch.
            on_close: called once when the reader leaves by itself; must not wait.
            max_bytes: bytes that may wait.
        """
        self.stream_id = stream_id
        self.epoch = epoch
        self._first = deque(first)
        self._max_queued = max_queued
        self._max_bytes = max_bytes
        self._clock = clock
        self._on_close = on_close
        self._queue: deque[Event] = deque()
        self._numbered = 0
        """Events in the queue, without what concerns this reader alone."""
        self._bytes = 0
        self._last_id = 0
        self._warned = False
        self._closed = False
        self._ready = threading.Condition()

    @property
    def ended(self) -> bool:
        with self._ready:
            return self._closed and not self._first and not self._queue

    def offer(self, event: Event) -> bool:
        """The feed's: puts an event in line. False once nothing more will be taken."""
        with self._ready:
            if self._closed:
                return False
            if self._numbered >= self._max_queued:
                self._evict("queue_overflow", event)
            elif self._bytes + len(event.body) > self._max_bytes:
                self._evict("queue_bytes_overflow", event)
            else:
                self._append(event)
                self._warn()
            self._ready.notify()
            return not self._closed

    def take(self, timeout: float | None = None) -> Event | None:
        with self._ready:
            self._ready.wait_for(lambda: self._first or self._queue or self._closed, timeout)
            if self._first:
                return self._first.popleft()
            if not self._queue:
                return None
            event = self._queue.popleft()
            if event.event_id is not None:
                self._numbered -= 1
                self._bytes -= len(event.body)
            if self._fullness < REARM_AT:
                self._warned = False
            return event

    def end(self) -> None:
        """The feed's: what is in line can still be taken, then it is over."""
        with self._ready:
            self._closed = True
            self._ready.notify_all()

    def close(self) -> None:
        with self._ready:
            left, self._closed = not self._closed, True
            self._first.clear()
            self._queue.clear()
            self._ready.notify_all()
        if left:
            self._on_close()

    @property
    def _fullness(self) -> float:
        return max(self._numbered / self._max_queued, self._bytes / self._max_bytes)

    def _append(self, event: Event) -> None:
        self._queue.append(event)
        self._numbered += 1
        self._bytes += len(event.body)
        self._last_id = event.event_id or self._last_id
        if event.last:
            self._closed = True

    def _warn(self) -> None:
        if self._warned or self._closed or self._fullness < WARN_AT:
            return
        self._warned = True
        self._tell("slow_client_warning", {"lastEventId": self._last_id, **self._measures()})

    def _evict(self, reason: str, event: Event) -> None:
        self._closed = True
        data = {"reason": reason, "droppedAfter": self._last_id, **self._measures()}
        self._tell("client_evicted", data | {"eventBytes": len(event.body)}, last=True)

    def _measures(self) -> dict[str, int]:
        return {
            "queueSize": self._numbered,
            "maxQueued": self._max_queued,
            "queuedBytes": self._bytes,
            "maxQueuedBytes": self._max_bytes,
        }

    def _tell(self, event_type: str, data: dict[str, object], *, last: bool = False) -> None:
        self._queue.append(envelope(event_type, data, timestamp=self._clock(), last=last))
