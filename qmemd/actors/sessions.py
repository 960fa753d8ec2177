"""Sessions: where client ids come from, and how long they last.

One writer, the gateway; ``knows`` may be asked from any thread, since it reads one immutable set.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from qmemd.errors import RequestError
from qmemd.journal.session_store import NoSessionStore, SessionRecord, SessionStore
from qmemd.messages import SessionOpened
from qmemd.tasks import iso

MAX_SESSIONS = 32
MAX_CLIENTS = 1_024
"""Client ids of one session; the oldest goes first."""
IDLE_LIFETIME = timedelta(minutes=30)
"""A session without a reader and a heartbeat for so long is over."""


@dataclass(slots=True)
class Session:
    """One session. Only the gateway changes it."""

    session_id: str
    created_at: datetime
    single: bool
    """Whether plain requests share it."""
    clients: dict[str, None] = field(default_factory=dict)
    """Ids in the order in which they were given out."""
    seen_at: datetime | None = None
    """When a client was last heard of; None: not since the daemon started."""
    readers: int = 0


class Sessions:
    """The live sessions of one workspace."""

    def __init__(
        self, workspace: str, *, clock: Callable[[], datetime], new_id: Callable[[], str]
    ) -> None:
        self._workspace = workspace
        self._clock = clock
        self._new_id = new_id
        self._sessions: dict[str, Session] = {}
        self._clients: frozenset[str] = frozenset()
        self._store: SessionStore = NoSessionStore()

    def restore(self, store: SessionStore) -> tuple[str, ...]:
        """Takes up the sessions of an earlier daemon, and keeps all from now on; their ids."""
        self._store = store
        for record in store.load(self._workspace):
            clients = dict.fromkeys(record.clients)
            session = Session(record.session_id, record.created_at, record.single, clients)
            self._sessions[record.session_id] = session
        self._publish()
        return tuple(self._sessions)

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
            session = self._make(single=not thread)
        if client_id is None or client_id not in session.clients:
            client_id = f"client_{self._new_id()}"
            self._keep(session, [*session.clients, client_id][-MAX_CLIENTS:])
        session.seen_at = self._clock()
        return SessionOpened(session.session_id, attached, client_id, iso(session.created_at))

    def heartbeat(self, session_id: str, client_id: str | None) -> datetime:
        """A client is still there; says when that was.

        Raises:
            RequestError: ``session_not_found``, ``invalid_client_id``.
        """
        session = self._of(session_id, client_id)
        session.seen_at = self._clock()
        return session.seen_at

    def detach(self, session_id: str, client_id: str | None) -> bool:
        """A client leaves; whether that ended the session, since it was the last one.

        Raises:
            RequestError: ``session_not_found``, ``invalid_client_id``.
        """
        session = self._of(session_id, client_id)
        if client_id is None:
            return False
        left = [each for each in session.clients if each != client_id]
        if left:
            self._keep(session, left)
        else:
            self._end(session_id)
        return not left

    def close(self, session_id: str, client_id: str | None) -> None:
        """Ends a session.

        Raises:
            RequestError: ``session_not_found``, or ``invalid_client_id`` for an id that is not
                this session's.
        """
        self._end(self._of(session_id, client_id).session_id)

    def watched(self, session_id: str, readers: int) -> None:
        """So many read the session's events now. An unknown session is ignored: it has ended."""
        session = self._sessions.get(session_id)
        if session is not None:
            session.readers = readers
            session.seen_at = self._clock()

    def reap(self) -> tuple[str, ...]:
        """Ends the sessions that nobody uses; their ids."""
        now = self._clock()
        idle = []
        for session in self._sessions.values():
            # A clock that was set back must not make a session immortal.
            session.seen_at = min(session.seen_at or now, now)
            if not session.readers and now - session.seen_at >= IDLE_LIFETIME:
                idle.append(session.session_id)
        self._end(*idle)
        return tuple(idle)

    def _make(self, *, single: bool) -> Session:
        if len(self._sessions) >= MAX_SESSIONS:
            raise RequestError("session_limit_exceeded", extra={"limit": MAX_SESSIONS})
        return Session(self._new_id(), self._clock(), single)

    def _of(self, session_id: str, client_id: str | None) -> Session:
        session = self._sessions.get(session_id)
        if session is None:
            raise RequestError("session_not_found", extra={"sessionId": session_id})
        if client_id is not None and client_id not in session.clients:
            raise RequestError(
                "invalid_client_id", extra={"sessionId": session_id, "clientId": client_id}
            )
        return session

    # What cannot be stored has not happened: nobody would be told of it, and asking again works.

    def _keep(self, session: Session, clients: Sequence[str]) -> None:
        record = SessionRecord(
            session.session_id, session.created_at, session.single, tuple(clients)
        )
        self._store.save(self._workspace, record)
        session.clients = dict.fromkeys(clients)
        self._sessions[session.session_id] = session
        self._publish()

    def _end(self, *session_ids: str) -> None:
        if session_ids:
            self._store.forget(session_ids)
            for session_id in session_ids:
                del self._sessions[session_id]
            self._publish()

    def _publish(self) -> None:
        self._clients = frozenset(
            client for session in self._sessions.values() for client in session.clients
        )
