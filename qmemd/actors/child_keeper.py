"""One child at a time: its start, handshake and availability, and whose fault its end is."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Protocol

from qmemd.acp.connection import Call
from qmemd.acp.messages import AVAILABILITY, CANCEL, INITIALIZE, PROTOCOL_VERSION
from qmemd.actors.availability import AvailabilityQuestion
from qmemd.actors.backoff import Backoff
from qmemd.actors.bridge_limits import BridgeLimits
from qmemd.actors.bridge_run import Run
from qmemd.actors.child_events import (
    Alarm,
    ChildExited,
    ReplyArrived,
)
from qmemd.actors.outcomes import availability_of
from qmemd.actors.timers import Timers
from qmemd.memory.secrets import redact
from qmemd.messages import (
    AvailabilityChanged,
    ChildPhase,
)
from qmemd.tasks import Task

log = logging.getLogger(__name__)


class Child(Protocol):
    """What the bridge needs of a `Generation`."""

    @property
    def pid(self) -> int | None: ...
    @property
    def stderr_tail_bytes(self) -> int: ...

    makes_changes: bool

    def call(self, method: str, params: object, task: Task | None = None) -> Call | None: ...
    def notify(self, method: str, params: object) -> None: ...
    def give_up(self, call: Call) -> bool: ...
    def stop(self, grace: float) -> None: ...
    def kill(self) -> None: ...


class ChildKeeper:
    """Used by one thread. A new child is started only once the exit of the old one is known.

    ``start_child`` gets the number of the generation and the seconds to wait before its start,
    and returns at once.
    """

    def __init__(
        self,
        *,
        start_child: Callable[[int, float], Child],
        tell: Callable[[AvailabilityChanged], None],
        timers: Timers,
        workspace: str,
        limits: BridgeLimits,
        clock: Callable[[], float],
    ) -> None:
        self._start_child = start_child
        self._tell = tell
        self._timers = timers
        self._workspace = workspace
        self._limits = limits
        self._clock = clock
        self._question = AvailabilityQuestion()
        self.backoff = Backoff(limits.first_backoff, limits.longest_backoff)
        self.generation = 0
        self.phase = ChildPhase.NONE
        self.child: Child | None = None
        """Set in every phase but NONE."""
        self._planned = False
        """We end this child, and it is not to blame."""
        self._fault: str | None = None
        """Why we end this child, when it is."""

    @property
    def availability(self) -> AvailabilityQuestion:
        return self._question

    def start(self) -> None:
        """Starts a child in the background, after the delay that earlier failures ask for."""
        delay = self.backoff.delay(self._clock())
        self.generation += 1
        self.child = self._start_child(self.generation, delay)
        self.phase = ChildPhase.STARTING
        self._timers.set(Alarm.HANDSHAKE, delay + self._limits.handshake_timeout)

    def answered(self, message: ReplyArrived) -> None:
        """The child answered the handshake or the availability question."""
        call, response = message.call, message.response
        if call.method == AVAILABILITY:
            if self._question.answered(call, availability_of(response)):
                self._timers.cancel(Alarm.AVAILABILITY)
                self._tell_availability()
        elif call.method == INITIALIZE and self.phase is ChildPhase.STARTING:
            self._timers.cancel(Alarm.HANDSHAKE)
            result = response.result
            if not isinstance(result, dict):
                self._blame("it refused the handshake")
            elif result.get("protocolVersion", PROTOCOL_VERSION) != PROTOCOL_VERSION:
                self._blame("it speaks another version of the protocol")
            else:
                self.phase = ChildPhase.LIVE
                self.ask()

    def handshake_late(self) -> None:
        self._blame(f"no answer to the handshake in {self._limits.handshake_timeout:g} s")

    def availability_late(self) -> None:
        if self._question.silent():
            self._tell_availability()

    def can(self, run: Run) -> bool:
        """Whether the child serves what the task needs."""
        return self.child is None or self.child.makes_changes or not run.makes_changes

    def send(self, run: Run) -> Call | None:
        """Sends the task. None when the child is going, and so never got it."""
        if self.child is None:
            return None
        return self.child.call(run.method, run.params, run.task)

    def cancel(self, call: Call) -> None:
        """Asks the child to end this call soon."""
        if self.child is not None:
            self.child.notify(CANCEL, {"id": call.id, "requestId": call.id})

    def give_up(self, call: Call) -> bool:
        """Drops the answer. False when it came already and waits to be handled."""
        return self.child is not None and self.child.give_up(call)

    def ask(self) -> None:
        """Puts the availability question to a live child."""
        if self.child is None or self.phase is not ChildPhase.LIVE:
            return
        call = self.child.call(AVAILABILITY, {"cwd": self._workspace})
        if call is not None:  # else the child is going
            self._question.asked(call, self._clock())
            self._timers.set(Alarm.AVAILABILITY, self._limits.availability_timeout)
            self._tell_availability()

    def ask_again(self) -> None:
        """The same, if the last question failed and is old enough."""
        if self._question.may_repeat(self._clock(), self._limits.availability_retry):
            self.ask()

    def end(self, grace: float) -> None:
        """Ends a child that is not to blame; with a grace of 0 it is killed."""
        if self.child is None:
            return
        self._planned = self._fault is None
        self.phase = ChildPhase.ENDING
        self._timers.cancel(Alarm.HANDSHAKE)
        self._forget_availability()
        if grace > 0:
            self.child.stop(grace)
        else:
            self.child.kill()

    def exited(self, message: ChildExited) -> str | None:
        """The child is gone. Says what went wrong, if it is to blame."""
        planned, failure = self._planned, self._fault or message.exit.sentence
        self.child, self.phase = None, ChildPhase.NONE
        self._planned, self._fault = False, None
        self._timers.cancel(Alarm.HANDSHAKE)
        self._forget_availability()
        if planned:
            return None
        self.backoff.failed(self._clock())
        stderr = redact(message.exit.stderr_tail)
        log.warning("child %d failed: %s\n%s", message.generation, redact(failure), stderr)
        return failure

    def _blame(self, fault: str) -> None:
        if self.child is not None and self.phase is ChildPhase.STARTING:
            self._fault = fault
            self.phase = ChildPhase.ENDING
            self.child.kill()

    def _forget_availability(self) -> None:
        self._timers.cancel(Alarm.AVAILABILITY)
        if self._question.lost():
            self._tell_availability()

    def _tell_availability(self) -> None:
        self._tell(AvailabilityChanged(self.generation, self._question.answer))
