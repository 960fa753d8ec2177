"""What the gateway takes: everything that clients and hosts ask for."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import dataclass

from qmemd.tasks import Task, TaskRequest


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


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """A client is still there."""

    session_id: str
    client_id: str | None
    reply: Future[int]
    """When it was seen, in milliseconds since the epoch."""


@dataclass(frozen=True, slots=True)
class Detach:
    """A client leaves its session; with the last one the session ends."""

    session_id: str
    client_id: str | None
    """None: somebody anonymous leaves, which changes nothing."""
    reply: Future[None]


@dataclass(frozen=True, slots=True)
class FeedWatched:
    """From the bus: how many read a session's events now."""

    session_id: str
    readers: int


@dataclass(frozen=True, slots=True)
class Reap:
    """Time to end the sessions that nobody uses."""
