"""The gateway actor: the one door for requests, whether they come over HTTP or from the host.

It owns the life of the HTTP server, if there is one, and the sessions; it admits requests and
passes them down to the lane together with the future on which the asker waits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from qmemd.actors.guarded import GuardedActor, answer, refuse, tell
from qmemd.actors.sessions import Sessions
from qmemd.actors.timers import Cancellable, start_thread_timer
from qmemd.errors import QmemdError, RequestError
from qmemd.journal.session_store import SessionStore
from qmemd.messages import (
    Cancel,
    CloseFeed,
    CloseSession,
    Detach,
    Enqueue,
    FeedWatched,
    Heartbeat,
    OpenFeed,
    OpenSession,
    Reap,
    SessionsLive,
    StopAdmitting,
    Submit,
)

REAP_INTERVAL = 60.0
"""Seconds between two looks for sessions that nobody uses."""


class Server(Protocol):
    """What the gateway needs of an HTTP server. The socket is bound already."""

    def start(self) -> None: ...

    def stop(self, timeout: float) -> None: ...


class GatewayActor(GuardedActor):
    """A shell over ``Sessions`` and a server."""

    def __init__(
        self,
        *,
        sessions: Sessions,
        server: Server | None,
        tell_lane: Callable[[Any], None],
        tell_bridge: Callable[[Any], None],
        tell_bus: Callable[[Any], None],
        session_store: SessionStore | None = None,
        stop_timeout: float = 1.0,
        start_timer: Callable[[float, Callable[[], None]], Cancellable] = start_thread_timer,
    ) -> None:
        super().__init__()
        self._sessions = sessions
        self._server = server
        self._tell_lane = tell_lane
        self._tell_bridge = tell_bridge
        self._tell_bus = tell_bus
        self._session_store = session_store
        self._stop_timeout = stop_timeout
        self._start_timer = start_timer
        self._timer: Cancellable | None = None
        self._admitting = True

    def begin(self) -> None:
        if self._session_store is not None:
            for session_id in self._sessions.restore(self._session_store):
                self._tell_bus(OpenFeed(session_id))
            self._count()
        if self._server is not None:
            self._server.start()
        self._set_timer()

    def handle(self, message: Any) -> None:
        match message:
            case Submit():
                self._answering(message.reply, lambda: self._submit(message))
            case Cancel():
                self._answering(message.reply, lambda: self._tell_lane(message))
            case OpenSession():
                self._answering(message.reply, lambda: self._open(message))
            case Heartbeat():
                self._answering(message.reply, lambda: self._heartbeat(message))
            case Detach():
                self._answering(message.reply, lambda: self._detach(message))
            case CloseSession():
                self._answering(message.reply, lambda: self._close(message))
            case FeedWatched():
                self._sessions.watched(message.session_id, message.readers)
            case Reap():
                self._reap()
            case StopAdmitting():
                self._admitting = False
                answer(message.reply, None)
            case _:
                raise TypeError(f"the gateway does not take {type(message).__name__}")

    def release(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if self._server is not None:
            self._server.stop(self._stop_timeout)

    def _submit(self, message: Submit) -> None:
        if message.client_id is not None and not self._sessions.knows(message.client_id):
            raise RequestError("invalid_client_id", extra={"clientId": message.client_id})
        self._tell_lane(
            Enqueue(
                message.request,
                message.client_id,
                message.idempotency_key,
                message.secret,
                message.reply,
            )
        )

    def _open(self, message: OpenSession) -> None:
        if not message.reply.set_running_or_notify_cancel():
            return  # whoever asked has gone, and would never close it
        opened = self._sessions.open(
            message.cwd, thread=message.thread, client_id=message.client_id
        )
        self._tell_bus(OpenFeed(opened.session_id))
        self._count()
        answer(message.reply, opened)

    def _heartbeat(self, message: Heartbeat) -> None:
        seen_at = self._sessions.heartbeat(message.session_id, message.client_id)
        answer(message.reply, int(seen_at.timestamp() * 1000))

    def _detach(self, message: Detach) -> None:
        if self._sessions.detach(message.session_id, message.client_id):
            self._ended(message.session_id, "last_client_detached", message.client_id)
        answer(message.reply, None)

    def _close(self, message: CloseSession) -> None:
        self._sessions.close(message.session_id, message.client_id)
        self._ended(message.session_id, "client_close", message.client_id)
        answer(message.reply, None)

    def _reap(self) -> None:
        try:
            for session_id in self._sessions.reap():
                self._ended(session_id, "idle_timeout", None)
        finally:
            self._set_timer()

    def _ended(self, session_id: str, reason: str, closed_by: str | None) -> None:
        self._tell_bus(CloseFeed(session_id, reason, closed_by))
        self._count()

    def _count(self) -> None:
        self._tell_bridge(SessionsLive(self._sessions.count))

    def _set_timer(self) -> None:
        self._timer = self._start_timer(REAP_INTERVAL, lambda: tell(self.actor_ref, Reap()))

    def _answering(self, reply: Any, act: Callable[[], None]) -> None:
        """A refusal is an answer and no failure of the actor."""
        try:
            if not self._admitting:
                raise RequestError("daemon_stopping")
            act()
        except QmemdError as refusal:
            refuse(reply, refusal)
