"""The messages that actors exchange: frozen records, one heading per receiver.

Requests go down (gateway → lane → bridge), what happened comes up by ``tell``. A message that
wants an answer carries a ``reply`` future, which its receiver or somebody further down settles;
whoever sent it waits at the edge, never inside an actor.
"""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import dataclass
from enum import StrEnum

from qmemd.kinds import Scope
from qmemd.results import TaskResult
from qmemd.tasks import Task, TaskFailure, TaskRequest

# any actor


@dataclass(frozen=True, slots=True)
class Ping:
    """Asks an actor whether it is there; sent to each one when the daemon starts."""

    reply: Future[None]


# gateway


@dataclass(frozen=True, slots=True)
class Submit:
    """A validated request that wants to become a task."""

    request: TaskRequest
    client_id: str | None
    """Well-formed; the gateway checks that a live session knows it."""
    idempotency_key: str | None
    secret: str | None
    """The kind of secret that the text holds; then it is accepted without its text, and fails."""
    reply: Future[Task]
    """The accepted task, or a RequestError."""


@dataclass(frozen=True, slots=True)
class Cancel:
    """A task is not wanted any more; whoever tells this may see it. Passed on to the lane."""

    task_id: str
    reply: Future[Task]
    """The task, ended when it was queued, and about to end when it runs; or a RequestError."""


@dataclass(frozen=True, slots=True)
class OpenSession:
    """A client wants to create or attach to a session."""

    cwd: str | None
    """The workspace that it believes in; None means ours."""
    thread: bool
    """True forces a session of its own."""
    client_id: str | None
    reply: Future[SessionOpened]


@dataclass(frozen=True, slots=True)
class SessionOpened:
    """The answer to ``OpenSession``."""

    session_id: str
    attached: bool
    """False when the session was made by this request."""
    client_id: str
    created_at: str
    """ISO 8601."""


@dataclass(frozen=True, slots=True)
class CloseSession:
    """A client ends a session; its client ids stop being known."""

    session_id: str
    client_id: str | None
    reply: Future[None]


@dataclass(frozen=True, slots=True)
class StopAdmitting:
    """From now on everything new is refused with ``daemon_stopping``."""

    reply: Future[None]


# lane


@dataclass(frozen=True, slots=True)
class Enqueue:
    """An admitted request: accept it into the journal and run it in its turn."""

    request: TaskRequest
    client_id: str | None
    idempotency_key: str | None
    secret: str | None
    reply: Future[Task]


class Availability(StrEnum):
    """What is known of the child's answer to the availability question."""

    NO_CHILD = "no_child"
    """No live child; a task's own run decides."""
    ASKING = "asking"
    """A live child was asked and has not answered yet."""
    AVAILABLE = "available"
    UNAVAILABLE = "unavailable"
    FAILED = "failed"
    """The child erred on the question or was silent for too long."""


@dataclass(frozen=True, slots=True)
class AvailabilityChanged:
    """The bridge knows more, or less, about the child."""

    generation: int
    availability: Availability


@dataclass(frozen=True, slots=True)
class TaskFinished:
    """A run ended. Told once for each ``RunTask``."""

    task_id: str
    generation: int
    """Of the child that ran it."""
    outcome: TaskResult | TaskFailure


@dataclass(frozen=True, slots=True)
class Resume:
    """Everything is up: begin with what was queued before."""


@dataclass(frozen=True, slots=True)
class Drain:
    """Start nothing more; ``reply`` is settled when no task is in flight."""

    reply: Future[None]


@dataclass(frozen=True, slots=True)
class Abandon:
    """The running task gets no more time: unless it was applied, it goes back to queued."""


# event bus


@dataclass(frozen=True, slots=True)
class MemoryChanged:
    """Documents of the managed memory changed on disk."""

    source: str
    """``workspace_memory_<kind>``."""
    task_id: str
    touched_scopes: tuple[Scope, ...]
    originator: str | None
    """Client id of the request; None for anonymous ones."""

    def to_wire(self) -> dict[str, object]:
        """The ``data`` of the event."""
        return {
            "scope": "managed",
            "source": self.source,
            "taskId": self.task_id,
            "touchedScopes": [scope.value for scope in self.touched_scopes],
        }


@dataclass(frozen=True, slots=True)
class Publish:
    """Fan an event out to everybody who wants it."""

    event: MemoryChanged


# bridge


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
