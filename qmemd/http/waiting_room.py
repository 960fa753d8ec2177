"""Where polls wait for the end of their task."""

from __future__ import annotations

import threading

import falcon

from qmemd.http.holding import hold_thread, on_leave
from qmemd.http.ports import Door

MAX_WAITING = 256
"""Polls that may wait at once. One more is answered at once, which a client has to expect anyway:
whoever waits is told the task's state at the end, whatever that is."""


class WaitingRoom:
    """A thread of its own for each poll that waits, up to a limit."""

    def __init__(self, door: Door, places: int = MAX_WAITING) -> None:
        self._door = door
        self._places = threading.BoundedSemaphore(places)

    def wait(self, req: falcon.Request, task_id: str, seconds: float) -> None:
        """Returns once the task has ended, or the time, or there is no use in waiting."""
        if not self._places.acquire(blocking=False):
            return
        try:
            with hold_thread(req.env):
                self._door.wait(task_id, seconds, on_leave(req.env) or _nobody_tells)
        finally:
            self._places.release()


def _nobody_tells(_act: object) -> None:
    """Under a server that cannot tell that the client left."""
