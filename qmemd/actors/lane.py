"""The lane actor: the one mailbox through which every change of a task's state goes."""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from qmemd.actors.guarded import GuardedActor, refuse, tell
from qmemd.actors.lane_state import LaneState
from qmemd.actors.timers import Cancellable, start_thread_timer
from qmemd.errors import QmemdError, RequestError
from qmemd.messages import (
    Abandon,
    AvailabilityChanged,
    Cancel,
    Drain,
    Enqueue,
    Resume,
    TaskFinished,
)
from qmemd.tasks import Task

log = logging.getLogger(__name__)


RETRY = 5.0
"""Seconds until a journal that did not do what it was asked is asked again."""


class LaneActor(GuardedActor):
    """A shell over ``LaneState``."""

    def __init__(
        self,
        state: LaneState,
        start_timer: Callable[[float, Callable[[], None]], Cancellable] = start_thread_timer,
    ) -> None:
        super().__init__()
        self._state = state
        self._start_timer = start_timer
        self._timer: Cancellable | None = None
        state.on_stuck = self._look_again_later

    def handle(self, message: Any) -> None:
        match message:
            case Enqueue():
                self._enqueue(message)
            case Cancel():
                self._answering(message.reply, lambda: self._state.cancel(message))
            case TaskFinished():
                self._state.finished(message)
            case AvailabilityChanged():
                for held in self._state.take_held(message.availability):
                    self._enqueue(held)
            case Resume():
                self._state.advance()
            case Drain():
                self._state.drain(message.reply)
            case Abandon():
                self._state.abandon()
            case _:
                raise TypeError(f"the lane does not take {type(message).__name__}")

    def release(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def _look_again_later(self) -> None:
        """A disk may be full for a while; what was accepted must not wait for the next request."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._start_timer(RETRY, lambda: tell(self.actor_ref, Resume()))

    def failed(self, message: Any) -> None:
        if isinstance(message, TaskFinished):
            self._state.fail_in_flight()

    def _enqueue(self, message: Enqueue) -> None:
        self._answering(message.reply, lambda: self._state.enqueue(message))

    def _answering(self, reply: Future[Task], act: Callable[[], None]) -> None:
        """A refusal is an answer and no failure of the actor."""
        try:
            act()
        except QmemdError as refusal:
            refuse(reply, refusal)
        except Exception:
            log.exception("a request broke the lane's handler")
            refuse(reply, RequestError("internal_error"))
