"""What the bridge takes: runs, and the life of the child."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import dataclass
from enum import StrEnum

from qmemd.messages.lane import Availability
from qmemd.tasks import Task


@dataclass(frozen=True, slots=True)
class StartChild:
    """Start a child in the background, so that the first task finds it ready."""


@dataclass(frozen=True, slots=True)
class RunTask:
    """Run this task now; its end is told as ``TaskFinished``. At most one runs at a time."""

    task: Task
    workspace: str
    """Absolute path; the child's ``cwd`` for this call."""


@dataclass(frozen=True, slots=True)
class CancelTask:
    """End a running task; the child is killed when it does not obey in time.

    A task that was applied all the same ends with its result. Ignored for any other task.
    """

    task_id: str


@dataclass(frozen=True, slots=True)
class SessionsLive:
    """How many sessions there are; while there is one, an idle child is kept."""

    count: int


@dataclass(frozen=True, slots=True)
class RefreshAvailability:
    """Ask the child again, if its last answer was no good and a while ago."""


@dataclass(frozen=True, slots=True)
class StopChild:
    """Stop the child for good: no other one is started afterwards.

    A task that runs or waits ends with its result if it was applied, else as
    ``daemon_restarted``, before ``reply`` is settled.
    """

    grace: float
    """Seconds from closing its stdin to SIGTERM, and again to SIGKILL. 0 kills at once."""
    reply: Future[None]
    """Settled when the child is gone."""


class ChildPhase(StrEnum):
    """Where the child's life stands."""

    NONE = "none"
    STARTING = "starting"
    """Being spawned, or not through the handshake yet."""
    LIVE = "live"
    ENDING = "ending"
    """Told to stop, or killed; its exit is not known yet."""


@dataclass(frozen=True, slots=True)
class ChildState:
    """The bridge's child at one moment."""

    generation: int
    """Counts the children; 0 before the first."""
    phase: ChildPhase
    pid: int | None
    """None without a process."""
    availability: Availability
    task_id: str | None
    """The task in flight or waiting for a child."""
    failures_in_a_row: int
    """What the delay of the next start depends on."""
    idle_timer_runs: bool
    stderr_tail_bytes: int
    """How much log text of this child is kept."""


@dataclass(frozen=True, slots=True)
class GetChildState:
    """Asks how the child is."""

    reply: Future[ChildState]
