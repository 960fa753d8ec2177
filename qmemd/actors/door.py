"""The edge: what HTTP threads and host programs call, and where alone anybody waits.

A request is told to the gateway together with a future, and the caller waits for that future with
a limit. Polls read the board and the sessions' set of ids; they enter no mailbox.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import replace
from typing import Any, TypeVar

from qmemd.actors.board import Posted, TaskBoard
from qmemd.actors.sessions import Sessions
from qmemd.catalog import Catalog
from qmemd.context import ContextFiles
from qmemd.errors import RequestError
from qmemd.events import FileChanged
from qmemd.kinds import TaskKind, TaskStatus
from qmemd.memory.change_log import ChangeLog
from qmemd.memory.secrets import SecretPolicy, find_secret, mask
from qmemd.messages import (
    Cancel,
    CloseSession,
    Detach,
    Heartbeat,
    OpenSession,
    Publish,
    SessionOpened,
    StopAdmitting,
    Submit,
    Subscribe,
)
from qmemd.streams import Reader, StreamWish
from qmemd.tasks import Remember, Task, TaskRequest

T = TypeVar("T")

ANSWER_TIMEOUT = 8.0
"""Seconds; above the five that a child has to answer the availability question."""
LAST_MOMENT = 2.0
"""Seconds for an answer that is being given just when the asker's patience ends."""


class Door:
    """Implements ``qmemd.http.ports.Door``; safe to call from any thread but an actor's.

    Closed until ``open`` is called, and again from ``stop_admitting`` on.
    """

    def __init__(
        self,
        *,
        workspace: str,
        board: TaskBoard,
        sessions: Sessions,
        context_files: ContextFiles,
        change_log: Callable[[], ChangeLog],
        catalog: Callable[[], Catalog],
        status: Callable[[], dict[str, Any]],
        metrics: Callable[[], tuple[str, bytes]],
        count_request: Callable[[str, int], None],
        tell_gateway: Callable[[Any], None],
        tell_bus: Callable[[Any], None],
        secrets: SecretPolicy = SecretPolicy.REFUSE,
        timeout: float = ANSWER_TIMEOUT,
        last_moment: float = LAST_MOMENT,
    ) -> None:
        self._workspace = workspace
        self._board = board
        self._sessions = sessions
        self.context_files = context_files
        self._change_log = change_log
        self._catalog = catalog
        self.status = status
        """How the daemon is."""
        self.metrics = metrics
        """Its numbers, and in which media type they are."""
        self.count_request = count_request
        self._tell_gateway = tell_gateway
        self._tell_bus = tell_bus
        self._secrets = secrets
        self._timeout = timeout
        self._last_moment = last_moment
        self._stopping = True

    @property
    def workspace(self) -> str:
        """The bound workspace, as it is named on the wire."""
        return self._workspace

    @property
    def change_log(self) -> ChangeLog:
        """What tasks did to the documents."""
        return self._change_log()

    @property
    def catalog(self) -> Catalog:
        """What is remembered."""
        return self._catalog()

    @property
    def stopping(self) -> bool:
        """Nothing new is taken, any more or yet."""
        return self._stopping

    def open(self) -> None:
        """The gateway is up: from now on requests are taken."""
        self._stopping = False

    def submit(
        self, request: TaskRequest, client_id: str | None, idempotency_key: str | None = None
    ) -> Task:
        """The accepted task, or the one that the key named before.

        Raises:
            RequestError: ``invalid_client_id``, ``managed_memory_unavailable``,
                ``<kind>_failed``, ``remember_queue_full``, ``idempotency_mismatch``,
        XX
        """
        request, secret = self._without_secrets(request)
        reply: Future[Task] = Future()
        return self._ask(reply, Submit(request, client_id, idempotency_key, secret, reply))

    def poll(self, task_id: str) -> Posted | None:
        """A task as the board shows it; who may see it is judged by the caller."""
        return self._board.get(task_id)

    def watch(self, task_id: str) -> Future[Task]:
        """A future of the task's end. Raises KeyError for an unknown id."""
        return self._board.watch(task_id)

    def wait(
        self, task_id: str, seconds: float, on_leave: Callable[[Callable[[], None]], object]
    ) -> None:
        """Returns once the task has ended, at the latest after ``seconds``.

        Earlier when the daemon stops, or when what was handed to ``on_leave`` is called.
        """
        with self._board.alarm(task_id) as alarm:
            on_leave(alarm.set)
            alarm.wait(seconds)

    def cancel(self, task_id: str) -> Task:
        """Ends a queued task at once and a running one soon; the task as it is now.

        Raises:
            RequestError: ``task_finished``, ``<kind>_task_not_found``, ``daemon_stopping``.
        """
        reply: Future[Task] = Future()
        return self._ask(reply, Cancel(task_id, reply))

    def newest(
        self, client_id: str | None, kind: TaskKind | None, status: TaskStatus | None, limit: int
    ) -> list[bytes]:
        """The bodies of the newest tasks of this client, or of the anonymous ones."""

        def wanted(task: Task) -> bool:
            return (
                task.client_id == client_id
                and kind in (None, task.kind)
                and status in (None, task.status)
            )

        return [posted.body for posted in self._board.newest(wanted, limit)]

    def knows_client(self, client_id: str) -> bool:
        """Whether a live session gave this id out."""
        return self._sessions.knows(client_id)

    def open_session(
        self, cwd: str | None, *, thread: bool, client_id: str | None
    ) -> SessionOpened:
        """Creates or attaches.

        Raises:
            RequestError: ``workspace_mismatch``, ``session_limit_exceeded``,
                ``daemon_stopping``, ``daemon_busy``.
        """
        if cwd is not None and os.path.realpath(cwd) == self._workspace:
            cwd = self._workspace  # in whichever spelling it was named
        reply: Future[SessionOpened] = Future()
        return self._ask(reply, OpenSession(cwd, thread=thread, client_id=client_id, reply=reply))

    def heartbeat(self, session_id: str, client_id: str | None) -> int:
        """A client is still there; when that was, in milliseconds since the epoch.

        Raises:
            RequestError: ``session_not_found``, ``invalid_client_id``, ``daemon_stopping``.
        """
        reply: Future[int] = Future()
        return self._ask(reply, Heartbeat(session_id, client_id, reply))

    def detach(self, session_id: str, client_id: str | None) -> None:
        """A client leaves; the last one ends the session.

        Raises:
            RequestError: ``session_not_found``, ``invalid_client_id``, ``daemon_stopping``.
        """
        reply: Future[None] = Future()
        self._ask(reply, Detach(session_id, client_id, reply))

    def subscribe(self, wish: StreamWish) -> Reader:
        """Begins to read events; whoever reads has to close it.

        Raises:
            RequestError: ``session_not_found``, ``subscriber_limit_exceeded``,
                ``daemon_stopping``.
        """
        reply: Future[Reader] = Future()
        try:
            return self._ask(reply, Subscribe(wish, reply), self._tell_bus)
        except RequestError:
            reply.add_done_callback(_close_unwanted)
            raise

    def publish(self, event: FileChanged) -> None:
        """A context file was written. Never waits, never fails."""
        self._tell_bus(Publish(event))

    def close_session(self, session_id: str, client_id: str | None) -> None:
        """Ends a session and forgets its client ids.

        Raises:
            RequestError: ``session_not_found``, ``invalid_client_id``, ``daemon_stopping``.
        """
        reply: Future[None] = Future()
        self._ask(reply, CloseSession(session_id, client_id, reply))

    def stop_admitting(self, timeout: float) -> None:
        """From now on everything new is refused; returns when what came before has been passed on.

        Gives up on a gateway that does not answer within ``timeout`` seconds.
        """
        if not self._stopping:
            self._stopping = True
            reply: Future[None] = Future()
            self._tell_gateway(StopAdmitting(reply))
            with suppress(TimeoutError):
                reply.exception(timeout)

    def _without_secrets(self, request: TaskRequest) -> tuple[TaskRequest, str | None]:
        """What may be journaled of a request, and the kind of secret for which it is refused.

        Here and not in an actor: a long text takes some tens of milliseconds.
        """
        if not isinstance(request, Remember) or self._secrets is SecretPolicy.ALLOW:
            return request, None
        if self._secrets is SecretPolicy.MASK:
            return replace(request, content=mask(request.content)), None
        return request, find_secret(request.content)

    def _ask(self, reply: Future[T], message: Any, told: Callable[[Any], None] | None = None) -> T:
        if self._stopping:
            raise RequestError("daemon_stopping")
        (told or self._tell_gateway)(message)
        try:
            return reply.result(self._timeout)
        except TimeoutError:
            if reply.cancel():
                raise RequestError("daemon_busy") from None
        # Somebody has begun to answer: what they say counts.
        try:
            return reply.result(self._last_moment)
        except TimeoutError:
            raise RequestError("daemon_busy") from None


def _close_unwanted(late: Future[Reader]) -> None:
    """A reader that came when nobody waited for it any more."""
    if not late.cancelled() and late.exception() is None:
        late.result().close()
