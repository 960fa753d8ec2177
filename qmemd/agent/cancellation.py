"""The wish that a run may stop: asked for from any thread, and told at once."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

_log = logging.getLogger(__name__)


class Cancellation:
    """Set once, for good. Whoever waits for something slow subscribes, to be woken."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._cancelled = False
        self._callbacks: dict[object, Callable[[], object]] = {}

    @property
    def requested(self) -> bool:
        """Whether somebody asked for it."""
        return self._cancelled

    def request(self) -> None:
        """Asks for it, and runs what is subscribed, here and now. Never raises."""
        with self._lock:
            self._cancelled = True
            callbacks, self._callbacks = self._callbacks, {}
        for callback in callbacks.values():
            _run(callback)

    def subscribe(self, callback: Callable[[], object]) -> Callable[[], None]:
        """Has the callback run once when it is asked for, at once if it was; gives the way out.

        The callback runs on the thread that asks; it must be quick and may come while the way out
        is taken.
        """
        key = object()
        with self._lock:
            late = self._cancelled
            if not late:
                self._callbacks[key] = callback
        if late:
            _run(callback)

        def leave() -> None:
            with self._lock:
                self._callbacks.pop(key, None)

        return leave


def _run(callback: Callable[[], object]) -> None:
    # One that fails must keep neither the others from running nor the pipe from being read.
    try:
        callback()
    except Exception:  # noqa: BLE001 - whatever a subscriber did wrong
        _log.exception("a run could not be interrupted")
