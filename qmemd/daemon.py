"""The composition root: who owns whom, in which order things start and stop."""

from __future__ import annotations

import logging
import threading
import uuid
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import ExitStack
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, Self

import pykka

from qmemd.actors.door import Door
from qmemd.actors.gateway import GatewayActor
from qmemd.actors.guarded import tell
from qmemd.actors.life import in_background, ping, stop_actor
from qmemd.actors.sessions import Sessions
from qmemd.actors.subscription import Subscription
from qmemd.context import ContextFiles
from qmemd.errors import RequestError
from qmemd.events import MemoryChanged
from qmemd.host_requests import change_request, entry_filter, forget_request, remember_request
from qmemd.journal import Journal
from qmemd.kinds import ChangeAction, ContextMode, Scope, Topic
from qmemd.memory.secrets import find_secret
from qmemd.metrics import Metrics
from qmemd.serving import Serving, WsgiApp
from qmemd.settings import Settings
from qmemd.status import Status
from qmemd.tasks import (
    Dream,
    Task,
    TaskRequest,
)
from qmemd.texts import check_key
from qmemd.workspace import Workspace

log = logging.getLogger(__name__)

STOP_PATIENCE = 6.0
"""Seconds that a second call of ``stop`` waits for the first."""
GATEWAY_TIMEOUT = 0.3
"""Seconds for the gateway to pass on what came before it stopped admitting."""
SERVER_TIMEOUT = 2.5
"""Seconds for the server to finish its requests and close its connections."""


class Daemon:
    """A running qmemd: ``with Daemon(Settings(workspace="…")) as daemon: …``.

    Every method may be called from any thread. Several may run in one process. Not restartable:
    make a new one.
    """

    def __init__(
        self,
        settings: Settings | None = None,
        *,
        journal: Journal | None = None,
        on_failure: Callable[[], object] = lambda: None,
    ) -> None:
        """Makes a daemon, to be started.

        Args:
            settings: ``Settings()`` when None.
            journal: where tasks live; as the settings say when None.
            on_failure: called when the HTTP server ended by itself, because of a fault that the
                log names; nothing is served any more then.
        """
        self.settings = settings or Settings()
        self._serving = Serving(self.settings, lambda: self._door)
        self._metrics = Metrics(self.status)
        self._workspace = Workspace(
            self.settings,
            journal=journal,
            on_watched=lambda message: tell(self._gateway, message),
            on_task=self._metrics.tasks.heard,
            max_streams=self._serving.affordable_streams(),
        )
        self._sessions = Sessions(
            self._workspace.path, clock=lambda: datetime.now(UTC), new_id=lambda: str(uuid.uuid4())
        )
        self._status = Status(
            self.settings,
            self._workspace,
            sessions=lambda: self._sessions.count,
            clock=lambda: datetime.now(UTC),
        )
        self._context_files = ContextFiles(
            self.settings.workspace,
            self.settings.user_directory,
            self.settings.base / "qmemd" / ".qmemd-context.lock",
        )
        self._door = Door(
            workspace=self._workspace.path,
            board=self._workspace.board,
            sessions=self._sessions,
            context_files=self._context_files,
            change_log=lambda: self._workspace.change_log,
            catalog=lambda: self._workspace.catalog,
            status=self._status.now,
            metrics=self._metrics.render,
            count_request=self._metrics.requests.answered,
            tell_gateway=lambda message: tell(self._gateway, message),
            tell_bus=self._workspace.tell_bus,
            secrets=self.settings.secrets,
        )
        self._gateway: pykka.ActorRef[GatewayActor]
        self._on_failure = on_failure
        self._lock = threading.Lock()
        self._starting = threading.Lock()
        """Held while it starts."""
        self._started = False
        self._stops: list[Callable[[], None]] = []
        """What ``stop`` has to do, in its order."""
        self._stopped = threading.Event()
        self._stopped.set()

    def start(self) -> None:
        """Starts everything; when something fails, what was started is stopped again.

        Raises:
            SettingsError: a directory, the token file, the port or the workspace cannot be used.
            RuntimeError: it was started before.
        """
        with self._starting, ExitStack() as undo:
            if self._started:
                raise RuntimeError("a daemon is started once; make a new one")
            self._started = True
            listening = self._serving.bind() if self.settings.http else None
            if listening is not None:
                undo.callback(listening.close)
            self._serving.find_token()
            self._workspace.start()
            undo.callback(self._workspace.stop)
            server = None
            if listening is not None:  # its imports take their time while the child starts
                server = self._serving.server(listening, self._on_failure)
            self._gateway = GatewayActor.start(
                sessions=self._sessions,
                session_store=self._workspace.session_store,
                server=server,
                tell_lane=self._workspace.tell_lane,
                tell_bridge=self._workspace.tell_bridge,
                tell_bus=self._workspace.tell_bus,
            )
            undo.callback(stop_actor, self._gateway, SERVER_TIMEOUT)
            ping(self._gateway)
            undo.pop_all()
            self._serving.announce(self._workspace.path)
            self._stops = [
                self._serving.withdraw,
                lambda: self._door.stop_admitting(GATEWAY_TIMEOUT),
                self._workspace.stop,
                lambda: stop_actor(self._gateway, SERVER_TIMEOUT),
            ]
            self._door.open()
        in_background(self._warm_up, "qmemd-warm-up")

    def stop(self) -> None:
        """Refuses new work, gives the running task a short grace, ends the child, then the rest.

        Idempotent; takes under five seconds, once a ``start`` that is going on is over. Futures
        that are still open fail with ``daemon_stopping``.
        """
        with self._starting, self._lock:
            stops, self._stops = self._stops, []
            if stops:
                self._stopped.clear()
        for step in stops:
            try:
                step()
            except Exception:
                log.exception("a step of stopping failed")
        if stops:
            self._stopped.set()
        else:  # somebody else may be at it
            self._stopped.wait(STOP_PATIENCE)

    def abort(self) -> None:
        """Kills the agent process and nothing else, for a host that will not wait for ``stop``."""
        self._workspace.abort()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()

    @property
    def token(self) -> str:
        """What clients send as their bearer token. Known once the daemon was started."""
        return self._serving.token

    @property
    def port(self) -> int:
        """The port that is listened on. Known once a daemon with a server was started."""
        return self._serving.port

    @property
    def url(self) -> str:
        """Where clients find the API, without a trailing slash."""
        return self._serving.url

    @property
    def wsgi_app(self) -> WsgiApp:
        """The API as a WSGI application, to mount under a host's own threaded server.

        Its Host and Origin checks go by ``settings.hostname`` and by the port that the host's
        server says it listens on (``SERVER_PORT``).
        """
        return self._serving.wsgi_app

    def remember(
        self,
        text: str,
        *,
        scope: Scope | str | None = None,
        context_mode: ContextMode | str = ContextMode.WORKSPACE,
        client_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> Future[Task]:
        """Keeps a fact. The future gives the task once it ended, completed or failed.

        Returns once the task was accepted.

        Raises:
            RequestError: it was not accepted; ``code`` says why.
        """
        request = remember_request(text, scope, context_mode)
        return self._run(request, client_id, idempotency_key)

    def forget(
        self,
        query: str,
        *,
        scope: Scope | str | None = None,
        preview: bool = False,
        erase: bool = False,
        client_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> Future[Task]:
        """Removes what the query names; as ``remember``.

        With ``preview`` it only says what would go, with ``erase`` the texts leave the history as
        well.
        """
        request = forget_request(query, scope, preview=preview, erase=erase)
        return self._run(request, client_id, idempotency_key)

    def dream(
        self,
        *,
        preview: bool = False,
        client_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> Future[Task]:
        """Merges what is there twice and repairs the index; as ``remember``."""
        return self._run(Dream(preview), client_id, idempotency_key)

    def change(
        self,
        change_set_id: str,
        action: ChangeAction | str,
        *,
        client_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> Future[Task]:
        """Applies, reverts or discards a change set; as ``remember``.

        Raises:
            RequestError: ``change_not_found`` too, it is unknown or another client's.
        """
        request = change_request(change_set_id, action)
        if not self._workspace.change_log.has(change_set_id, client_id):
            raise RequestError("change_not_found")
        return self._run(request, client_id, idempotency_key)

    def changes(
        self, *, client_id: str | None = None, limit: int = 100, cursor: str | None = None
    ) -> dict[str, Any]:
        """What a client's tasks did, the newest first: ``changes`` and perhaps ``nextCursor``."""
        return self._workspace.change_log.page(client_id, limit=limit, cursor=cursor)

    def change_set(
        self, change_set_id: str, *, client_id: str | None = None
    ) -> dict[str, Any] | None:
        """One change set with its diffs; None when the client has none with this id."""
        return self._workspace.change_log.detail(change_set_id, client_id)

    def entries(
        self,
        words: str = "",
        *,
        scope: Scope | str | None = None,
        topic: Topic | str | None = None,
        client_id: str | None = None,
        limit: int = 100,
        first: int = 0,
    ) -> dict[str, Any]:
        """What is remembered: ``entries``, their ``total``, and ``nextCursor`` if there are more.

        Args:
            words: blank for all, the newest first; else the best come first.
            scope: ``user`` or ``project``.
            topic: the type of the documents.
            client_id: whose tasks may be named as the last change.
            limit: how many at most.
            first: how many are skipped.

        Raises:
            RequestError: ``invalid_scope``, ``invalid_type``.
        """
        wanted = entry_filter(words, scope, topic)
        return self._workspace.catalog.page(wanted, client_id, limit=limit, first=first)

    def entry(self, key: str, *, client_id: str | None = None) -> dict[str, Any] | None:
        """One of them with its text and its whole document; None when there is none."""
        return self._workspace.catalog.detail(key, client_id)

    def task(self, task_id: str) -> Task | None:
        """The present snapshot of a task."""
        posted = self._door.poll(task_id)
        return posted.task if posted else None

    def status(self) -> dict[str, Any]:
        """How it is: process, queue, agent, streams, usage, last errors; nothing of any text."""
        return self._status.now()

    @property
    def streams(self) -> int:
        """How many event streams are open."""
        return self._workspace.streams

    def subscribe(
        self, callback: Callable[[MemoryChanged], object], client_id: str | None = None
    ) -> Subscription:
        """Calls ``callback`` after each change of the memory, on a thread of its own.

        With ``client_id`` only for changes that this client asked for. End it with ``close()``.
        """
        return self._workspace.fanout.subscribe(callback, client_id)

    def _run(
        self, request: TaskRequest, client_id: str | None, idempotency_key: str | None
    ) -> Future[Task]:
        if idempotency_key is not None:
            check_key(idempotency_key)
        task = self._door.submit(request, client_id, idempotency_key)
        return self._door.watch(task.task_id)

    def _warm_up(self) -> None:
        """What takes some tens of milliseconds the first time, and no request should wait for."""
        find_secret("")
        self._serving.warm_up()
        self._context_files.tidy()
