"""The gateway actor: the one door for requests, whether they come over HTTP or from the host.

It owns the life of the HTTP server, if there is one, and the sessions; it admits requests and
passes them down to the lane together with the future on which the asker waits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from qmemd.actors.guarded import GuardedActor, answer, refuse
from qmemd.actors.sessions import Sessions
from qmemd.errors import QmemdError, RequestError
from qmemd.messages import (
    Cancel,
    CloseSession,
    Enqueue,
    OpenSession,
    SessionsLive,
    StopAdmitting,
    Submit,
)


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
        stop_timeout: float = 1.0,
    ) -> None:
        super().__init__()
        self._sessions = sessions
        self._server = server
        self._tell_lane = tell_lane
        self._tell_bridge = tell_bridge
        self._stop_timeout = stop_timeout
        self._admitting = True

    def begin(self) -> None:
        if self._server is not None:
            self._server.start()

    def handle(self, message: Any) -> None:
        match message:
            case Submit():
                self._answering(message.reply, lambda: self._submit(message))
            case Cancel():
                self._answering(message.reply, lambda: self._tell_lane(message))
            case OpenSession():
                self._answering(message.reply, lambda: self._open(message))
            case CloseSession():
                self._answering(message.reply, lambda: self._close(message))
            case StopAdmitting():
                self._admitting = False
                answer(message.reply, None)
            case _:
                raise TypeError(f"the gateway does not take {type(message).__name__}")

    def release(self) -> None:
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
        self._tell_bridge(SessionsLive(self._sessions.count))
        answer(message.reply, opened)

    def _close(self, message: CloseSession) -> None:
        self._sessions.close(message.session_id, message.client_id)
        self._tell_bridge(SessionsLive(self._sessions.count))
        answer(message.reply, None)

    def _answering(self, reply: Any, act: Callable[[], None]) -> None:
        """A refusal is an answer and no failure of the actor."""
        try:
            if not self._admitting:
                raise RequestError("daemon_stopping")
            act()
        except QmemdError as refusal:
            refuse(reply, refusal)
