"""The composition root: who owns whom, in which order things start and stop."""

from __future__ import annotations

import logging
import threading
import uuid
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, Self

import pykka

from qmemd.access_token import kept_token, read_token
from qmemd.actors.door import Door
from qmemd.actors.gateway import GatewayActor, Server
from qmemd.actors.guarded import tell
from qmemd.actors.sessions import Sessions
from qmemd.actors.subscription import Subscription
from qmemd.errors import RequestError
from qmemd.journal import Journal
from qmemd.kinds import ContextMode, Scope
from qmemd.messages import (
    MemoryChanged,
)
from qmemd.settings import Settings
from qmemd.tasks import (
    Dream,
    Forget,
    Remember,
    Task,
    TaskRequest,
)
from qmemd.texts import clean_text
from qmemd.workspace import Workspace, ping, stop_actor

log = logging.getLogger(__name__)

WsgiApp = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


class Daemon:
    """A running qmemd: ``with Daemon(Settings(workspace="…")) as daemon: …``.

    Every method may be called from any thread. Several may run in one process. Not restartable:
    make a new one.
    """

    def __init__(self, settings: Settings | None = None, *, journal: Journal | None = None) -> None:
        self.settings = settings or Settings()
        self._workspace = Workspace(self.settings, journal=journal)
        self._sessions = Sessions(
            self._workspace.path, clock=lambda: datetime.now(UTC), new_id=lambda: str(uuid.uuid4())
        )
        self._door = Door(
            workspace=self._workspace.path,
            board=self._workspace.board,
            sessions=self._sessions,
            tell_gateway=lambda message: tell(self._gateway, message),
        )
        self._gateway: pykka.ActorRef[GatewayActor]
        self._lock = threading.Lock()
        self._stops: list[Callable[[], None]] = []
        """What ``stop`` has to do, in its order."""
        self._token = self.settings.token
        self._port = self.settings.port
        self._app: WsgiApp | None = None

    def start(self) -> None:
        """Starts everything; when something fails, what was started is stopped again.

        Raises:
            SettingsError: a directory, the token file, the port or the workspace cannot be used.
        """
        settings = self.settings
        if self._token is None:
            self._token = (
                read_token(settings.token_file)
                if settings.token_file
                else kept_token(settings.state_dir / "token")
            )
        try:
            self._workspace.start()
            self._stops = [self._workspace.stop]
            server = self._make_server() if settings.http else None
            self._gateway = GatewayActor.start(
                sessions=self._sessions,
                server=server,
                tell_lane=self._workspace.tell_lane,
                tell_bridge=self._workspace.tell_bridge,
            )
            self._stops = [
                self._door.stop_admitting,
                self._workspace.stop,
                lambda: stop_actor(self._gateway),
            ]
            ping(self._gateway)
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Refuses new work, gives the running task a short grace, ends the child, then the rest.

        Idempotent; takes under five seconds. Futures that are still open fail with
        ``daemon_stopping``.
        """
        with self._lock:
            stops, self._stops = self._stops, []
        for step in stops:
            try:
                step()
            except Exception:
                log.exception("a step of stopping failed")

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
        """The port that is listened on, or the configured one without a server."""
        return self._port

    @property
    def url(self) -> str:
        """Where clients find the API, without a trailing slash."""
        host = self.settings.hostname
        return f"http://[{host}]:{self.port}" if ":" in host else f"http://{host}:{self.port}"

    @property
    def wsgi_app(self) -> WsgiApp:
        """The API as a WSGI application, to mount under a host's own threaded server."""
        if self._app is None:
            from qmemd.http.app import create_app  # noqa: PLC0415 — heavy; not every host wants it
            from qmemd.http.fields import Fields  # noqa: PLC0415
            from qmemd.http.ports import Access  # noqa: PLC0415

            fields = Fields()
            access = Access(self.token, self.settings.hostname, self._port)
            self._app = create_app(self._door, access, fields=fields)
            # Building the validators takes a tenth of a second that no request should wait for.
            threading.Thread(target=fields.warm_up, name="qmemd-warm-up", daemon=True).start()
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
        return self._door.task(task_id)

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
        task = self._door.submit(request, client_id, idempotency_key)
        return self._door.watch(task.task_id)

    def _make_server(self) -> Server:
        # Falcon and Waitress are heavy: they are imported while the child starts.
        from qmemd.http.server import HttpServer, bind  # noqa: PLC0415

        listening = bind(self.settings.hostname, self.settings.port)
        self._port = listening.getsockname()[1]
        return HttpServer(self.wsgi_app, listening)


def _member(members: Any, value: object, code: str) -> Any:
    try:
        return members(value)
    except ValueError:
        raise RequestError(code) from None
