"""One thread that settles the futures of hosts.

What a host hangs on a future runs on the thread that settles it. That must not be an actor's, or
a callback that waits would stop the lane.
"""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable

log = logging.getLogger(__name__)


class Completions:
    """Runs what it is given, in order, on a daemon thread of its own."""

    def __init__(self) -> None:
        self._queue: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="qmemd-completions", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def put(self, complete: Callable[[], None]) -> None:
        """Never waits. At most one call for each future that a host holds is queued."""
        self._queue.put(complete)

    def stop(self, timeout: float) -> None:
        """Runs what is queued and ends; a host's callback that waits is left behind."""
        self._queue.put(None)
        if threading.current_thread() is not self._thread:
            self._thread.join(timeout)

    def _run(self) -> None:
        while (complete := self._queue.get()) is not None:
            try:
                complete()
            except Exception:
                log.exception("a future could not be settled")
