"""The listening socket: accepts connections, within what the process can afford."""

from __future__ import annotations

import contextlib
import logging
import socket
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from waitress import wasyncore
from waitress.adjustments import Adjustments
from waitress.server import TcpWSGIServer

from qmemd.http.channel import Channel
from qmemd.http.dispatcher import Dispatcher
from qmemd.http.intake import Intake

_log = logging.getLogger(__name__)

_REST = 1.0
"""Seconds without accepting after the system had no descriptor or memory for a connection."""
_USER_TIMEOUT: int | None = getattr(socket, "TCP_USER_TIMEOUT", None)
_BETWEEN_COMPLAINTS = 60.0
"""Seconds between two log lines about connections that have to wait."""


class Listener(TcpWSGIServer):  # type: ignore[misc]
    """Waitress's server object: the socket, its connections and the pipe that wakes the loop."""

    channel_class = Channel

    def __init__(
        self,
        app: Any,
        sock: socket.socket,
        adjustments: Adjustments,
        dispatcher: Dispatcher,
        intake: Intake,
        *,
        connections: int,
        reader_patience: float,
    ) -> None:
        """Registers everything in a map of its own, ``sockets``.

        Args:
            app: what is served.
            sock: bound and listening.
            adjustments: Waitress's settings.
            dispatcher: runs the requests.
            intake: judges them before that.
            connections: how many are held at once; more wait in the backlog.
            reader_patience: seconds that a client may leave an answer unread.
        """
        self.sockets: dict[int, Any] = {}
        self.intake = intake
        self.reader_patience = reader_patience
        self._connections = connections
        self._rests_until = 0.0
        self._silent_until = 0.0
        self._trigger_lock = threading.Lock()
        self._released = False
        super().__init__(
            app,
            self.sockets,
            _sock=sock,
            dispatcher=dispatcher,
            adj=adjustments,
            sockinfo=(sock.family, sock.type, sock.proto, sock.getsockname()),
            bind_socket=False,
        )

    def set_socket_options(self, connection: socket.socket) -> None:
        super().set_socket_options(connection)
        if _USER_TIMEOUT is not None:  # a peer that vanished without a word is given up on
            milliseconds = int(self.reader_patience * 1000)
            connection.setsockopt(socket.IPPROTO_TCP, _USER_TIMEOUT, milliseconds)

    def readable(self) -> bool:
        if not self.accepting or time.monotonic() < self._rests_until:
            return False
        if len(self.active_channels) >= self._connections:
            self._complain("all %d connections are in use; others wait", self._connections)
            return False
        return True

    def handle_accept(self) -> None:
        try:
            accepted = self.accept()
        except OSError as error:  # out of descriptors or memory: trying again at once would spin
            self._rests_until = time.monotonic() + _REST
            self._complain("connections have to wait: %s", error.strerror)
            return
        if accepted is None:  # the client has left already
            return
        connection, address = accepted
        try:
            self.set_socket_options(connection)
        except OSError:
            connection.close()
        else:
            try:
                self.channel_class(self, connection, address, self.adj, map=self.sockets)
            except Exception:  # noqa: BLE001 - logged; one connection must not take the others with it
                _log.exception("a connection could not be taken over")
                connection.close()

    def handle_error(self) -> None:
        """Called while an exception is handled. It ends the server, and not the socket alone."""
        error = sys.exc_info()[1]
        if error is not None:
            raise error

    def pull_trigger(self) -> None:
        # The loop itself needs no waking, and would hang on a full pipe. A late worker must not
        # write to a descriptor that is closed, and perhaps someone else's by now.
        if self.task_dispatcher.on_io_thread:
            return
        with self._trigger_lock:
            if not self._released:
                with contextlib.suppress(OSError):  # closed by a fault in the loop
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

    def _complain(self, sentence: str, *args: object) -> None:
        now = time.monotonic()
        if now >= self._silent_until:
            self._silent_until = now + _BETWEEN_COMPLAINTS
            _log.warning(sentence, *args)
