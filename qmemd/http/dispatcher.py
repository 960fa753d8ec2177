"""Where a request runs: in the pool, or at once on the I/O thread if it cannot wait."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

from waitress.task import ThreadedTaskDispatcher

from qmemd.http.channel import Channel
from qmemd.http.paths import never_waits

_log = logging.getLogger(__name__)

MAX_UNSENT = 1024 * 1024
"""Bytes of answers that a connection may leave unread before its next request is served."""


class Dispatcher(ThreadedTaskDispatcher):  # type: ignore[misc]
    """Waitress's pool, with a short way for look-ups and a bench for clients that do not read.

    Waitress announces a request while it holds the connection's lock, so a look-up is put aside
    and served once the loop has read what there was to read.
    """

    def __init__(self) -> None:
        super().__init__()
        self._io_thread: int | None = None
        self._put_aside: deque[Channel] = deque()
        self._unread: set[Channel] = set()
        self._pool_lock = threading.Lock()
        self._base = 0
        self._held = 0
        """Requests that keep their thread for long; for each the pool has one more."""

    def open_pool(self, threads: int) -> None:
        """Starts the threads that are there for requests which end soon."""
        with self._pool_lock:
            self._base = threads
            self.set_thread_count(threads + self._held)

    @contextmanager
    def hold_thread(self) -> Iterator[None]:
        """While a request stays in this context, the pool has one thread more for the others.

        The number follows from the count of such requests, never from that of the threads, which
        is late.
        """
        self._hold(1)
        try:
            yield
        finally:
            self._hold(-1)

    def shutdown(self, cancel_pending: bool = True, timeout: float = 5) -> bool:
        with self._pool_lock:
            self._base = 0
        ended: bool = super().shutdown(cancel_pending, timeout)
        return ended

    def claim_io_thread(self) -> None:
        """Called by the thread that runs the loop."""
        self._io_thread = threading.get_ident()

    @property
    def on_io_thread(self) -> bool:
        return threading.get_ident() == self._io_thread

    def add_task(self, channel: Channel) -> None:
        if channel.total_outbufs_len >= MAX_UNSENT:
            self._unread.add(channel)
        elif self.on_io_thread and _is_quick(channel):
            self._put_aside.append(channel)
        else:
            with self.lock:
                self.queue.append(channel)
                self.queue_cv.notify()

    def serve_put_aside(self) -> None:
        """Serves the look-ups that the loop has read, and those queued behind them."""
        if self._unread:
            self._resume_readers()
        while self._put_aside:
            channel = self._put_aside.popleft()
            try:
                channel.service()
            except BaseException:  # noqa: BLE001 - as the pool does: no request ends the loop
                _log.exception("a look-up failed")
                channel.handle_close()

    def _resume_readers(self) -> None:
        for channel in list(self._unread):
            if channel.total_outbufs_len < MAX_UNSENT:  # nothing is unsent once it is closed
                self._unread.discard(channel)
                self.add_task(channel)

    def _hold(self, requests: int) -> None:
        with self._pool_lock:
            self._held += requests
            if self._base:
                self.set_thread_count(self._base + self._held)


def _is_quick(channel: Channel) -> bool:
    request = channel.requests[0]
    return bool(request.error) or never_waits(request.command, request.path, request.query)
