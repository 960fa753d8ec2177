"""Sessions in their smallest form: a place where client ids come from, and end.

One writer, the gateway; ``knows`` may be asked from any thread, since it reads one immutable set.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from qmemd.errors import RequestError
from qmemd.messages import (
    SessionOpened,
)
from qmemd.tasks import iso

MAX_SESSIONS = 32
MAX_CLIENTS = 1_024
"""Client ids of one session; the oldest goes first."""


@dataclass(slots=True)
class _Session:
    session_id: str
    created_at: datetime
    single: bool
    clients: dict[str, None] = field(default_factory=dict)


class Sessions:
    """The live sessions of one workspace."""

    def __init__(
        self, workspace: str, *, clock: Callable[[], datetime], new_id: Callable[[], str]
    ) -> None:
        self._workspace = workspace
        self._clock = clock
        self._new_id = new_id
        self._sessions: dict[str, _Session] = {}
        self._clients: frozenset[str] = frozenset()

    @property
    def count(self) -> int:
        """How many sessions are live."""
        return len(self._sessions)

    def knows(self, client_id: str) -> bool:
        """Whether any live session gave this id out."""
        return client_id in self._clients

    def open(self, cwd: str | None, *, thread: bool, client_id: str | None) -> SessionOpened:
        """Attaches to the shared session, or makes one.

        An id that the session does not know is replaced by a fresh one.

        Raises:
            RequestError: ``workspace_mismatch``, ``session_limit_exceeded``.
        """
        if cwd is not None and cwd != self._workspace:
            raise RequestError(
                "workspace_mismatch",
                extra={"boundWorkspace": self._workspace, "requestedWorkspace": cwd},
            )
        shared = next((s for s in self._sessions.values() if s.single), None)
        session = None if thread else shared
        attached = session is not None
        if session is None:
            if len(self._sessions) >= MAX_SESSIONS:
                raise RequestError("session_limit_exceeded", extra={"limit": MAX_SESSIONS})
            session = _Session(self._new_id(), self._clock(), single=not thread)
            self._sessions[session.session_id] = session
        if client_id is None or client_id not in session.clients:
            client_id = f"client_{self._new_id()}"
            while len(session.clients) >= MAX_CLIENTS:
                del session.clients[next(iter(session.clients))]
            session.clients[client_id] = None
            self._publish()
        return SessionOpened(session.session_id, attached, client_id, iso(session.created_at))

    def close(self, session_id: str, client_id: str | None) -> None:
        """Ends a session.

        Raises:
            RequestError: ``session_not_found``, or ``invalid_client_id`` for an id that is not
                this session's.
        """
        session = self._sessions.get(session_id)
        if session is None:
            raise RequestError("session_not_found", extra={"sessionId": session_id})
        if client_id is not None and client_id not in session.clients:
            raise RequestError(
                "invalid_client_id", extra={"sessionId": session_id, "clientId": client_id}
            )
        del self._sessions[session_id]
        self._publish()

    def _publish(self) -> None:
        self._clients = frozenset(
            client for session in self._sessions.values() for client in session.clients
        )
