"""The HTTP server: Waitress, run and stopped as one object inside any process."""

from __future__ import annotations

import logging
import resource
import socket
import threading
import time
from collections.abc import Callable, Iterable
from typing import Any

from waitress import wasyncore
from waitress.adjustments import Adjustments
from waitress.server import TcpWSGIServer

from qmemd.http.binding import BACKLOG, bind
from qmemd.http.channel import Channel
from qmemd.http.dispatcher import Dispatcher

__all__ = ["HttpServer", "bind"]

_log = logging.getLogger(__name__)

WsgiApp = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]

MAX_CONNECTIONS = 1100
MAX_BUFFERED_BODY = 16 * 1024 * 1024
"""Bytes. The app refuses smaller bodies than this; above, Waitress does and may hang up."""

_THREADS_GRACE = 0.5
"""Seconds that the pool's threads get to notice that their connections are gone."""


class HttpServer:
    """Serves one app on one listening socket, from a daemon thread of its own.

    It owns the socket from the start on: ``stop`` closes it even if ``start`` was never called.
    """

    def __init__(
        self, app: WsgiApp, sock: socket.socket, *, threads: int = 16, channel_timeout: int = 120
    ) -> None:
        """Takes the socket over.

        Args:
            app: called on ``threads`` pool threads; look-ups also on the server's own.
            sock: as ``bind`` made it.
            threads: requests that may wait at the same time.
            channel_timeout: seconds after which a silent connection is closed, be it idle or in
                the middle of a request.
        """
        self.port: int = sock.getsockname()[1]
        self._app = app
        self._sock = sock
        self._threads = threads
        self._channel_timeout = channel_timeout
        self._lock = threading.Lock()
        self._loop: _Loop | None = None
        self._stopped = False

    def start(self) -> None:
        """Begins to serve; returns at once."""
        with self._lock:
            if self._loop or self._stopped:
                raise RuntimeError("an HTTP server is started once")
            self._loop = _Loop(
                self._app, self._sock, _adjustments(self._threads, self._channel_timeout)
            )
            self._loop.start()

    def stop(self, timeout: float) -> None:
        """Stops listening at once, lets running requests finish, then closes what is left.

        Idempotent, from any thread. Returns with the port free and every connection closed.

        Args:
            timeout: seconds that running requests get.
        """
        with self._lock:
            self._stopped = True
            loop = self._loop
        if loop is None:
            self._sock.close()
        else:
            loop.stop(timeout)


class _Loop(threading.Thread):
    """The I/O thread. All sockets are touched by it alone."""

    def __init__(self, app: WsgiApp, sock: socket.socket, adjustments: Adjustments) -> None:
        super().__init__(name=f"qmemd-http-{sock.getsockname()[1]}", daemon=True)
        self._map: dict[int, Any] = {}
        self._dispatcher = Dispatcher()
        self._server = _Server(app, sock, adjustments, self._dispatcher, self._map)
        self._dispatcher.set_thread_count(adjustments.threads)
        self._deadline: float | None = None

    def run(self) -> None:
        self._dispatcher.claim_io_thread()
        try:
            while self._goes_on():
                self._turn()
        except Exception:  # noqa: BLE001 - logged; what it held is still released
            _log.exception("the HTTP server failed")
        finally:
            self._server.release()
            self._dispatcher.shutdown(timeout=_THREADS_GRACE)

    def stop(self, timeout: float) -> None:
        deadline = time.monotonic() + timeout
        if self._deadline is None or deadline < self._deadline:
            self._deadline = deadline
        self._server.pull_trigger()
        self.join(timeout + 2 * _THREADS_GRACE)
        if self.is_alive():
            _log.error("the HTTP server did not stop in time")

    def _turn(self) -> None:
        wait = 1.0 if self._deadline is None else max(0.0, self._deadline - time.monotonic())
        wasyncore.loop(timeout=min(wait, 1.0), use_poll=True, map=self._map, count=1)
        self._dispatcher.serve_put_aside()

    def _goes_on(self) -> bool:
        if self._deadline is None:
            return True
        self._server.close_listener()
        self._server.close_channels(lambda channel: channel.idle)
        return bool(self._server.active_channels) and time.monotonic() < self._deadline


class _Server(TcpWSGIServer):  # type: ignore[misc]
    channel_class = Channel

    def __init__(
        self,
        app: WsgiApp,
        sock: socket.socket,
        adjustments: Adjustments,
        dispatcher: Dispatcher,
        socket_map: dict[int, Any],
    ) -> None:
        self._trigger_lock = threading.Lock()
        self._released = False
        super().__init__(
            app,
            socket_map,
            _sock=sock,
            dispatcher=dispatcher,
            adj=adjustments,
            sockinfo=(sock.family, sock.type, sock.proto, sock.getsockname()),
            bind_socket=False,
        )

    def pull_trigger(self) -> None:
        # The loop itself needs no waking, and would hang on a full pipe. A late worker must not
        # write to a descriptor that is closed, and perhaps someone else's by now.
        if self.task_dispatcher.on_io_thread:
            return
        with self._trigger_lock:
            if not self._released:
                super().pull_trigger()

    def close_listener(self) -> None:
        wasyncore.dispatcher.close(self)

    def close_channels(self, which: Callable[[Channel], bool]) -> None:
        for channel in list(self.active_channels.values()):
            if which(channel):
                channel.handle_close()

    def release(self) -> None:
        """Closes everything that is still open."""
        self.close_channels(lambda _: True)
        with self._trigger_lock:
            self._released = True
            self.close()


def _adjustments(threads: int, channel_timeout: int) -> Adjustments:
    return Adjustments(
        threads=threads,
        backlog=BACKLOG,
        ident=None,
        # select() ends the whole server at descriptor 1,024
        asyncore_use_poll=True,
        connection_limit=_connection_limit(),
        # reading on while a request runs is how a client's leaving is noticed
        channel_request_lookahead=1,
        channel_timeout=channel_timeout,
        cleanup_interval=max(1, channel_timeout // 4),
        max_request_body_size=MAX_BUFFERED_BODY + 1,
        expose_tracebacks=False,
        clear_untrusted_proxy_headers=True,
    )


def _connection_limit() -> int:
    """Leaves descriptors to the rest of the process: a server that cannot accept would spin."""
    open_files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if open_files == resource.RLIM_INFINITY:
        return MAX_CONNECTIONS
    return min(MAX_CONNECTIONS, open_files * 3 // 4)
