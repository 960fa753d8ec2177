"""The composition root: who owns whom, in which order things start and stop."""

from __future__ import annotations

import logging
import os
import socket
import threading
import uuid
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from contextlib import ExitStack
from datetime import UTC, datetime
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import pykka

from qmemd.access_token import kept_token, read_token
from qmemd.actors.door import Door
from qmemd.actors.gateway import GatewayActor, Server
from qmemd.actors.guarded import tell
from qmemd.actors.life import in_background, ping, stop_actor
from qmemd.actors.sessions import Sessions
from qmemd.actors.subscription import Subscription
from qmemd.announcement import Announcement, announce, announcement_path, withdraw
from qmemd.context import ContextFiles
from qmemd.errors import MemoryFilesError, RequestError
from qmemd.events import MemoryChanged
from qmemd.journal import Journal
from qmemd.kinds import ContextMode, Scope
from qmemd.memory.secrets import find_secret
from qmemd.settings import Settings
from qmemd.status import Status
from qmemd.tasks import (
    Dream,
    Forget,
    Remember,
    Task,
    TaskRequest,
)
from qmemd.texts import check_key, clean_text
from qmemd.workspace import Workspace

if TYPE_CHECKING:
    from qmemd.http.fields import Fields

log = logging.getLogger(__name__)

STOP_PATIENCE = 6.0
"""Seconds that a second call of ``stop`` waits for the first."""
GATEWAY_TIMEOUT = 0.3
"""Seconds for the gateway to pass on what came before it stopped admitting."""
SERVER_TIMEOUT = 2.5
"""Seconds for the server to finish its requests and close its connections."""

WsgiApp = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


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
        self._workspace = Workspace(
            self.settings,
            journal=journal,
            on_watched=lambda message: tell(self._gateway, message),
            max_streams=self._affordable_streams(),
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
        self._door = Door(
            workspace=self._workspace.path,
            board=self._workspace.board,
            sessions=self._sessions,
            context_files=ContextFiles(
                self.settings.workspace,
                self.settings.user_directory,
                self.settings.base / "qmemd" / ".qmemd-context.lock",
            ),
            change_log=lambda: self._workspace.change_log,
            status=self._status.now,
            tell_gateway=lambda message: tell(self._gateway, message),
            tell_bus=self._workspace.tell_bus,
            secrets=self.settings.secrets,
        )
        self._gateway: pykka.ActorRef[GatewayActor]
        self._on_failure = on_failure
        self._lock = threading.Lock()
        self._started = False
        self._stops: list[Callable[[], None]] = []
        """What ``stop`` has to do, in its order."""
        self._stopped = threading.Event()
        self._stopped.set()
        self._token = self.settings.token
        self._port: int | None = None
        self._announced = announcement_path(self.settings.state_dir, self.settings.workspace)
        self._fields: Fields | None = None
        self._app: WsgiApp | None = None

    def start(self) -> None:
        """Starts everything; when something fails, what was started is stopped again.

        Raises:
            SettingsError: a directory, the token file, the port or the workspace cannot be used.
            RuntimeError: it was started before.
        """
        with self._lock:
            if self._started:
                raise RuntimeError("a daemon is started once; make a new one")
            self._started = True
        with ExitStack() as undo:
            listening = self._bind() if self.settings.http else None
            if listening is not None:
                undo.callback(listening.close)
            self._token = self._token or self._kept_token()
            self._workspace.start()
            undo.callback(self._workspace.stop)
            server = None if listening is None else self._make_server(listening)
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
        self._announce()
        self._stops = [
            lambda: withdraw(self._announced, os.getpid()),
            lambda: self._door.stop_admitting(GATEWAY_TIMEOUT),
            self._workspace.stop,
            lambda: stop_actor(self._gateway, SERVER_TIMEOUT),
        ]
        self._door.open()
        in_background(self._warm_up, "qmemd-warm-up")

    def stop(self) -> None:
        """Refuses new work, gives the running task a short grace, ends the child, then the rest.

        Idempotent; takes under five seconds. Futures that are still open fail with
        ``daemon_stopping``.
        """
        with self._lock:
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
        if self._token is None:
            raise RuntimeError("the daemon was not started")
        return self._token

    @property
    def port(self) -> int:
        """The port that is listened on. Known once a daemon with a server was started."""
        if self._port is None:
            raise RuntimeError("the daemon listens on no port")
        return self._port

    @property
    def url(self) -> str:
        """Where clients find the API, without a trailing slash."""
        host = self.settings.hostname
        return f"http://[{host}]:{self.port}" if ":" in host else f"http://{host}:{self.port}"

    @property
    def wsgi_app(self) -> WsgiApp:
        """The API as a WSGI application, to mount under a host's own threaded server.

        Its Host and Origin checks go by ``settings.hostname`` and by the port that the host's
        server says it listens on (``SERVER_PORT``).
        """
        from qmemd.http.app import create_app  # noqa: PLC0415 — heavy; not every host wants it
        from qmemd.http.fields import Fields  # noqa: PLC0415
        from qmemd.http.ports import Access  # noqa: PLC0415

        with self._lock:
            if self._app is None:
                self._fields = Fields()
                access = Access(
                    self.token,
                    self.settings.hostname,
                    self._port,
                    self.settings.allow_origins,
                    self.settings.require_auth,
                )
                self._app = create_app(self._door, access, fields=self._fields)
            return self._app

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
        request = Remember(
            clean_text(text, "invalid_content"),
            _member(ContextMode, context_mode, "invalid_context_mode"),
            None if scope is None else _member(Scope, scope, "invalid_scope"),
        )
        return self._run(request, client_id, idempotency_key)

    def forget(
        self,
        query: str,
        *,
        scope: Scope | str | None = None,
        client_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> Future[Task]:
        """Removes what the query names; as ``remember``."""
        request = Forget(
            clean_text(query, "invalid_query"),
            None if scope is None else _member(Scope, scope, "invalid_scope"),
        )
        return self._run(request, client_id, idempotency_key)

    def dream(
        self, *, client_id: str | None = None, idempotency_key: str | None = None
    ) -> Future[Task]:
        """Merges what is there twice and repairs the index; as ``remember``."""
        return self._run(Dream(), client_id, idempotency_key)

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

    def _bind(self) -> socket.socket:
        from qmemd.http.binding import bind  # noqa: PLC0415 — only who listens needs it

        listening = bind(self.settings.hostname, self.settings.port)
        self._port = listening.getsockname()[1]
        return listening

    def _announce(self) -> None:
        """Tells clients on this machine where we are, if we listen."""
        if self._port is None:
            return
        me = Announcement(self.url, self.token, os.getpid(), self._workspace.path)
        try:
            announce(self._announced, me)
        except (OSError, MemoryFilesError):
            log.warning("clients cannot find this daemon by themselves", exc_info=True)

    def _affordable_streams(self) -> int:
        """As many as were wished for, if the limit of open files leaves some for other requests."""
        wished = self.settings.max_streams
        if not self.settings.http:
            return wished  # the host's server has its own limits
        from qmemd.http.descriptors import stream_limit  # noqa: PLC0415 — only who listens needs it

        affordable = min(wished, stream_limit())
        if affordable < wished:
            log.warning(
                "the limit of open files allows %d event streams, not %d", affordable, wished
            )
        return affordable

    def _kept_token(self) -> str:
        if self.settings.token_file is not None:
            return read_token(self.settings.token_file)
        return kept_token(self.settings.state_dir / "token")

    def _make_server(self, listening: socket.socket) -> Server:
        # Falcon and Waitress are heavy: they are imported while the child starts.
        from qmemd.http.server import HttpServer  # noqa: PLC0415

        return HttpServer(self.wsgi_app, listening, on_failure=self._on_failure)

    def _warm_up(self) -> None:
        """What takes some tens of milliseconds the first time, and no request should wait for."""
        find_secret("")
        if self._fields is not None:
            self._fields.warm_up()


def _member(members: Any, value: object, code: str) -> Any:
    try:
        return members(value)
    except ValueError:
        raise RequestError(code) from None
