"""What the bridge hears from its own threads: the child's, and its timers'."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from qmemd.acp.connection import Call
from qmemd.acp.messages import Response
from qmemd.acp.process import ExitInfo
from qmemd.results import TaskResult


@dataclass(frozen=True, slots=True)
class ReplyArrived:
    """The child answered a call."""

    generation: int
    call: Call
    response: Response


@dataclass(frozen=True, slots=True)
class ChildExited:
    """A generation is over: its process is gone, or never came to be. Told exactly once each."""

    generation: int
    exit: ExitInfo
    settled: TaskResult | None
    """The result of the task that it left unanswered, when that was applied all the same."""
    begun: bool = True
    """False when the child had told that it would say so, and had not begun with that task."""


class Alarm(StrEnum):
    """What a timer of the bridge is for."""

    HANDSHAKE = "handshake"
    AVAILABILITY = "availability"
    TASK = "task"
    CANCEL = "cancel"
    IDLE = "idle"


@dataclass(frozen=True, slots=True)
class TimerTick:
    """A timer ran out."""

    alarm: Alarm
    serial: int
    """Of the timer; a tick of one that was cancelled or set anew is stale."""
