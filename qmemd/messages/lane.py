"""What the lane takes: tasks from above, what became of them from below."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import dataclass
from enum import StrEnum

from qmemd.results import TaskResult
from qmemd.tasks import Task, TaskFailure, TaskRequest


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
