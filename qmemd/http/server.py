"""The HTTP server: Waitress, run and stopped as one object inside any process."""

from __future__ import annotations

import logging
import socket
import threading
import time
from collections.abc import Callable, Iterable
from typing import Any

from waitress import wasyncore
from waitress.adjustments import Adjustments

from qmemd.http.app import App
from qmemd.http.binding import BACKLOG, bind
from qmemd.http.descriptors import connection_limit
from qmemd.http.dispatcher import Dispatcher
from qmemd.http.intake import MAX_BODIES, Intake
from qmemd.http.listener import Listener

__all__ = ["HttpServer", "bind"]

_log = logging.getLogger(__name__)

WsgiApp = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]

MAX_BUFFERED_BODY = 16 * 1024 * 1024
"""Bytes. The app refuses smaller bodies than this; above, Waitress does and may hang up."""

_IN_MEMORY = 1024 * 1024
"""Bytes of one body; a longer one goes to a temporary file, which costs an open file."""

_THREADS_GRACE = 0.5
"""Seconds that the pool's threads get to notice that their connections are gone."""


class HttpServer:
    """Serves one app on one listening socket, from a daemon thread of its own.

    It owns the socket from the start on: ``stop`` closes it even if ``start`` was never called.
    """

    def __init__(
        self,
        app: WsgiApp,
        sock: socket.socket,
        *,
        threads: int = 24,
        channel_timeout: int = 120,
        reader_patience: float = 30,
        max_bodies: int = MAX_BODIES,
        on_failure: Callable[[], object] = lambda: None,
    ) -> None:
        """Takes the socket over.

        Args:
            app: called on ``threads`` pool threads; look-ups also on the server's own. One of
                ``create_app`` is asked about a head before a large body is read.
            sock: as ``bind`` made it.
            threads: requests that may wait at the same time.
            channel_timeout: seconds after which a silent connection is closed, be it idle or in
                the middle of a request.
            reader_patience: seconds that an answer may wait for a client that does not read;
                then its connection is closed.
            max_bodies: bytes of request bodies that are held at once.
            on_failure: called once, on the server's thread, when it ended by itself.
        """
        self._on_failure = on_failure
        self.port: int = sock.getsockname()[1]
        self._app = app
        self._sock = sock
        self._threads = threads
        self._channel_timeout = channel_timeout
        self._reader_patience = reader_patience
        self._max_bodies = max_bodies
        self._lock = threading.Lock()
        self._loop: _Loop | None = None
        self._stopped = False

    def start(self) -> None:
        """Begins to serve; returns at once."""
        with self._lock:
            if self._loop or self._stopped:
                raise RuntimeError("an HTTP server is started once")
            check_head = self._app.refuse_head if isinstance(self._app, App) else None
            dispatcher = Dispatcher()
            listener = Listener(
                self._app,
                self._sock,
                _adjustments(self._threads, self._channel_timeout),
                dispatcher,
                Intake(check_head, self.port, self._max_bodies),
                connections=connection_limit(),
                reader_patience=self._reader_patience,
            )
            patience = min(self._channel_timeout, self._reader_patience)
            self._loop = _Loop(listener, dispatcher, min(1.0, patience / 4), self._on_failure)
            dispatcher.open_pool(self._threads)
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

    def __init__(
        self,
        listener: Listener,
        dispatcher: Dispatcher,
        between_inspections: float,
        on_failure: Callable[[], object],
    ) -> None:
        super().__init__(name=f"qmemd-http-{listener.effective_port}", daemon=True)
        self._server = listener
        self._dispatcher = dispatcher
        self._between_inspections = between_inspections
        self._next_inspection = 0.0
        self._on_failure = on_failure
        self._deadline: float | None = None

    def run(self) -> None:
        self._dispatcher.claim_io_thread()
        try:
            while self._goes_on():
                self._turn()
        except Exception:  # noqa: BLE001 - logged; what it held is still released
            _log.exception("the HTTP server failed")
            self._on_failure()
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
        wait = self._between_inspections
        if self._deadline is not None:
            wait = min(wait, max(0.0, self._deadline - time.monotonic()))
        # poll: select() ends the whole server at descriptor 1,024
        wasyncore.loop(timeout=wait, use_poll=True, map=self._server.sockets, count=1)
        self._dispatcher.serve_put_aside()
        now = time.time()
        if not 0 <= self._next_inspection - now <= self._between_inspections:  # or a clock was set
            self._next_inspection = now + self._between_inspections
            self._server.close_channels(lambda channel: channel.overdue(now))

    def _goes_on(self) -> bool:
        if self._deadline is None:
            if not self._server.accepting:
                raise RuntimeError("the listening socket was closed")
            return True
        self._server.close_listener()
        self._server.close_channels(lambda channel: channel.idle)
        return bool(self._server.active_channels) and time.monotonic() < self._deadline


def _adjustments(threads: int, channel_timeout: int) -> Adjustments:
    return Adjustments(
        threads=threads,
        backlog=BACKLOG,
        ident=None,
        # reading on while a request runs is how a client's leaving is noticed
        channel_request_lookahead=1,
        channel_timeout=channel_timeout,
        inbuf_overflow=_IN_MEMORY,
        max_request_body_size=MAX_BUFFERED_BODY + 1,
        expose_tracebacks=False,
        log_socket_errors=False,  # a client that vanished is nothing to tell
        clear_untrusted_proxy_headers=True,
    )
