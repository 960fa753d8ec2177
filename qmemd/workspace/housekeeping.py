"""Keeps the history within its bounds, while a daemon runs."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from datetime import datetime

from qmemd.memory.history import History

log = logging.getLogger(__name__)

INTERVAL = 6 * 3600.0
"""Seconds between two looks."""

IsUnfinished = Callable[[str, str], bool]
"""Whether a task of a workspace may still be run, so that its change sets must stay."""


class Housekeeping:
    """A loop for a thread of its own."""

    def __init__(
        self, history: History, is_unfinished: IsUnfinished, clock: Callable[[], datetime]
    ) -> None:
        self._history = history
        self._is_unfinished = is_unfinished
        self._clock = clock
        self._over = threading.Event()

    def run(self) -> None:
        """Now and every few hours, until it is over."""
        while True:
            try:
                self._history.prune(self._clock(), is_unfinished=self._is_unfinished)
            except OSError:
                log.warning("the history could not be pruned", exc_info=True)
            if self._over.wait(INTERVAL):
                return

    def end(self) -> None:
        """There is no house to keep any more."""
        self._over.set()
