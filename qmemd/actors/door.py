"""The edge: what HTTP threads and host programs call, and where alone anybody waits.

A request is told to the gateway together with a future, and the caller waits for that future with
a limit. Polls read the board and the sessions' set of ids; they enter no mailbox.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

from qmemd._version import __version__
from qmemd.actors.board import TaskBoard
from qmemd.actors.sessions import MAX_SESSIONS, Sessions
from qmemd.errors import RequestError
from qmemd.http.ports import Polled
from qmemd.journal import Capacity
from qmemd.kinds import ContextMode
from qmemd.messages import (
    CloseSession,
    OpenSession,
    SessionOpened,
    StopAdmitting,
    Submit,
)
from qmemd.tasks import MAX_TEXT_BYTES, Task, TaskRequest

T = TypeVar("T")

ANSWER_TIMEOUT = 8.0
"""Seconds; above the five that a child has to answer the availability question."""

FEATURES = (
    "health",
    "capabilities",
    "session_create",
    "session_scope_override",
    "session_close",
    "client_identity",
    "workspace_memory_remember",
    "workspace_memory_remember_project_scope",
    "workspace_memory_remember_user_scope",
    "workspace_memory_forget",
    "workspace_memory_forget_scope",
    "workspace_memory_dream",
)
"""What works, by the names that clients look for."""


class Door:
    """Implements ``qmemd.http.ports.Door``; safe to call from any thread but an actor's."""

    def __init__(
        self,
        *,
        workspace: str,
        board: TaskBoard,
        sessions: Sessions,
        tell_gateway: Callable[[Any], None],
        timeout: float = ANSWER_TIMEOUT,
    ) -> None:
        self._workspace = workspace
        self._board = board
        self._sessions = sessions
        self._tell_gateway = tell_gateway
        self._timeout = timeout
        self._stopping = False

    @property
    def stopping(self) -> bool:
        """Nothing new is taken any more."""
        return self._stopping

    def submit(
        self, request: TaskRequest, client_id: str | None, idempotency_key: str | None = None
    ) -> Task:
        """The accepted task.

        Raises:
            RequestError: ``invalid_client_id``, ``managed_memory_unavailable``,
                ``<kind>_failed``, ``remember_queue_full``, ``daemon_stopping``, or
                ``daemon_busy`` when no answer came in time (nothing was accepted then).
        """
        reply: Future[Task] = Future()
        return self._ask(reply, Submit(request, client_id, idempotency_key, reply))

    def poll(self, task_id: str) -> Polled | None:
        """A task as the board shows it; who may see it is judged by the caller."""
        posted = self._board.get(task_id)
        return Polled(posted.task.kind, posted.task.client_id, posted.body) if posted else None

    def task(self, task_id: str) -> Task | None:
        """The present snapshot of a task."""
        posted = self._board.get(task_id)
        return posted.task if posted else None

    def watch(self, task_id: str) -> Future[Task]:
        """A future of the task's end."""
        return self._board.watch(task_id)

    def knows_client(self, client_id: str) -> bool:
        """Whether a live session gave this id out."""
        return self._sessions.knows(client_id)

    def open_session(self, cwd: str | None, scope: str, client_id: str | None) -> dict[str, Any]:
        """Creates or attaches; the wire body. ``scope`` is ``single`` or ``thread``."""
        if cwd is not None and os.path.realpath(cwd) == self._workspace:
            cwd = self._workspace  # in whichever spelling it was named
        reply: Future[SessionOpened] = Future()
        opened = self._ask(
            reply, OpenSession(cwd, thread=scope == "thread", client_id=client_id, reply=reply)
        )
        return {
            "sessionId": opened.session_id,
            "workspaceCwd": self._workspace,
            "attached": opened.attached,
            "clientId": opened.client_id,
            "createdAt": opened.created_at,
        }

    def close_session(self, session_id: str, client_id: str | None) -> None:
        """Ends a session and forgets its client ids."""
        reply: Future[None] = Future()
        self._ask(reply, CloseSession(session_id, client_id, reply))

    def stop_admitting(self) -> None:
        """From now on everything new is refused with ``daemon_stopping``."""
        reply: Future[None] = Future()
        self._ask(reply, StopAdmitting(reply))
        self._stopping = True

    def capabilities(self) -> dict[str, Any]:
        """The body of ``GET /capabilities``."""
        capacity = Capacity()
        return {
            "v": 1,
            "protocolVersions": {"current": "v1", "supported": ["v1"]},
            "mode": "http-bridge",
            "features": list(FEATURES),
            "featureDetails": {
                "workspace_memory_remember": {"modes": [mode.value for mode in ContextMode]}
            },
            "modelServices": [],
            "workspaceCwd": self._workspace,
            "transports": ["rest"],
            "limits": {
                "maxTextBytes": MAX_TEXT_BYTES,
                "maxPendingTasks": capacity.total,
                "maxPendingForgetAndDream": capacity.compacting,
                "maxSessions": MAX_SESSIONS,
            },
            "qmemdVersion": __version__,
        }

    def _ask(self, reply: Future[T], message: Any) -> T:
        if self._stopping:
            raise RequestError("daemon_stopping")
        try:
            self._tell_gateway(message)
            return reply.result(self._timeout)
        except TimeoutError:
            reply.cancel()
            raise RequestError("daemon_busy") from None
