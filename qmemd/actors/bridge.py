"""The actor that owns the ACP child and the idle timer."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from typing import Any

import pykka

from qmemd.acp.process import SpawnConfig
from qmemd.actors.bridge_limits import BridgeLimits
from qmemd.actors.bridge_state import BridgeState
from qmemd.actors.child_events import (
    ChildExited,
    ReplyArrived,
    TimerTick,
)
from qmemd.actors.generation import Generation, Settle
from qmemd.actors.guarded import GuardedActor, answer
from qmemd.actors.timers import Timers
from qmemd.messages import (
    CancelTask,
    GetChildState,
    RefreshAvailability,
    RunTask,
    SessionsLive,
    StartChild,
    StopChild,
)


class BridgeActor(GuardedActor):
    """Hands each message to the state; everything that waits has a thread of its own.

    ``lane`` gets what happened and must not wait. ``settle`` is called on a child's own thread.
    ``task_timeout`` counts from sending a task; ``idle_timeout`` (seconds) of None keeps an idle
    child for ever, and of 0 stops it after each task.
    """

    def __init__(
        self,
        *,
        lane: Callable[[object], None],
        settle: Settle,
        spawn: SpawnConfig,
        workspace: str,
        task_timeout: float,
        idle_timeout: float | None,
        clock: Callable[[], float] = time.monotonic,
        limits: BridgeLimits | None = None,
    ) -> None:
        super().__init__()
        self._settle = settle
        self._spawn = spawn
        self._state = BridgeState(
            start_child=self._start_child,
            lane=lane,
            timers=Timers(self._tell_self),
            workspace=workspace,
            task_timeout=task_timeout,
            idle_timeout=idle_timeout,
            limits=limits or BridgeLimits(),
            clock=clock,
        )

    def handle(self, message: Any) -> None:
        state = self._state
        match message:
            case RunTask():
                state.run_task(message)
            case ReplyArrived():
                state.reply_arrived(message)
            case ChildExited():
                state.child_exited(message)
            case TimerTick():
                state.tick(message)
            case StopChild():
                state.stop_child(message)
            case _:
                self._handle_request(message)
        state.advance()

    def failed(self, message: Any) -> None:
        self._state.broke(message)
        self._state.advance()

    def release(self) -> None:
        self._state.release()

    def _handle_request(self, message: Any) -> None:
        match message:
            case CancelTask():
                self._state.cancel_task(message.task_id)
            case SessionsLive():
                self._state.sessions_live(message.count)
            case RefreshAvailability():
                self._state.refresh_availability()
            case StartChild():
                self._state.want_child()
            case GetChildState():
                answer(message.reply, self._state.snapshot())
            case _:
                raise TypeError(f"the bridge does not take {type(message).__name__}")

    def _start_child(self, number: int, delay: float) -> Generation:
        generation = Generation(number, self._spawn, settle=self._settle, tell=self._tell_self)
        generation.start(delay)
        return generation

    def _tell_self(self, message: object) -> None:
        """For threads that may outlive the actor."""
        with contextlib.suppress(pykka.ActorDeadError):
            self.actor_ref.tell(message)
