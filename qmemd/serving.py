"""The HTTP side of a daemon: its socket, its token, its application, and where clients find it."""

from __future__ import annotations

import logging
import os
import socket
import threading
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from qmemd.access_token import kept_token, read_token
from qmemd.actors.door import Door
from qmemd.actors.gateway import Server
from qmemd.announcement import Announcement, announce, announcement_path, withdraw
from qmemd.errors import MemoryFilesError
from qmemd.setting_values import is_loopback
from qmemd.settings import Settings

if TYPE_CHECKING:
    from qmemd.http.fields import Fields

log = logging.getLogger(__name__)

WsgiApp = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


class Serving:
    """Belongs to one daemon. Falcon and Waitress are heavy, and imported only when wanted."""

    def __init__(self, settings: Settings, door: Callable[[], Door]) -> None:
        self._settings = settings
        self._door = door
        self._lock = threading.Lock()
        self._token = settings.token
        self._port: int | None = None
        self._announced = announcement_path(settings.state_dir, settings.workspace)
        self._fields: Fields | None = None
        self._app: WsgiApp | None = None

    @property
    def token(self) -> str:
        """Raises RuntimeError before it is known."""
        if self._token is None:
            raise RuntimeError("the daemon was not started")
        return self._token

    @property
    def port(self) -> int:
        """Raises RuntimeError when nothing listens."""
        if self._port is None:
            raise RuntimeError("the daemon listens on no port")
        return self._port

    @property
    def url(self) -> str:
        """Without a trailing slash."""
        host = self._settings.hostname
        return f"http://[{host}]:{self.port}" if ":" in host else f"http://{host}:{self.port}"

    def affordable_streams(self) -> int:
        """As many as were wished for, if the limit of open files leaves some for other requests."""
        wished = self._settings.max_streams
        if not self._settings.http:
            return wished  # the host's server has its own limits
        from qmemd.http.descriptors import stream_limit  # noqa: PLC0415 — only who listens needs it

        affordable = min(wished, stream_limit())
        if affordable < wished:
            log.warning(
                "the limit of open files allows %d event streams, not %d", affordable, wished
            )
        return affordable

    def bind(self) -> socket.socket:
        """Listens, before anything else is started: a port in use is the commonest mistake."""
        from qmemd.http.binding import bind  # noqa: PLC0415 — only who listens needs it

        listening = bind(self._settings.hostname, self._settings.port)
        self._port = listening.getsockname()[1]
        if not is_loopback(self._settings.hostname):
            log.warning(
                "other machines may reach %s: every request needs the token, and plain HTTP shows "
                "it to whoever listens on the way; docs/proxy.md has TLS",
                self.url,
            )
        return listening

    def find_token(self) -> None:
        """Reads the token, or makes one. Raises SettingsError."""
        if self._token is None:
            file = self._settings.token_file
            place = self._settings.state_dir / "token"
            self._token = kept_token(place) if file is None else read_token(file)

    def server(self, listening: socket.socket, on_failure: Callable[[], object]) -> Server:
        """What serves the application on the socket, to be started."""
        from qmemd.http.server import HttpServer  # noqa: PLC0415

        return HttpServer(self.wsgi_app, listening, on_failure=on_failure)

    @property
    def wsgi_app(self) -> WsgiApp:
        """The application; made when it is first asked for."""
        from qmemd.http.app import create_app  # noqa: PLC0415
        from qmemd.http.fields import Fields  # noqa: PLC0415
        from qmemd.http.ports import Access  # noqa: PLC0415
        from qmemd.http.rate_limit import RateLimit, Rates  # noqa: PLC0415

        with self._lock:
            if self._app is None:
                self._fields = Fields()
                access = Access(
                    self.token,
                    self._settings.hostname,
                    self._port,
                    self._settings.allow_origins,
                    self._settings.require_auth,
                )
                door, wish = self._door(), self._settings
                rates = Rates(wish.rate_limit_mutations, wish.rate_limit_reads, wish.loopback)
                rate_limit = RateLimit(door, rates) if wish.rate_limit else None
                self._app = create_app(door, access, fields=self._fields, rate_limit=rate_limit)
            return self._app

    def warm_up(self) -> None:
        """What takes some tens of milliseconds the first time, and no request should wait for."""
        if self._fields is not None:
            self._fields.warm_up()

    def announce(self, workspace: str) -> None:
        """Tells clients on this machine where we are, if we listen."""
        if self._port is None:
            return
        me = Announcement(self.url, self.token, os.getpid(), workspace)
        try:
            announce(self._announced, me)
        except (OSError, MemoryFilesError):
            log.warning("clients cannot find this daemon by themselves", exc_info=True)

    def withdraw(self) -> None:
        """Clients are not to find us any more."""
        withdraw(self._announced, os.getpid())
