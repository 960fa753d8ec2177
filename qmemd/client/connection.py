"""One connection: what it may take is a span of time, and another thread can end its waiting."""

from __future__ import annotations

import http.client
import io
import socket
import ssl
from collections.abc import Callable
from typing import Any

Left = Callable[[], float]
"""Seconds that the next step may take; raises TimeoutError when there are none."""
OnSocket = Callable[[socket.socket], None]


class Connection(http.client.HTTPConnection):
    """The standard library's, with two differences.

    It asks ``left`` before each step. A timeout of a socket is one for each read, so that a peer
    who sends a byte now and then would hold its reader for as long as it likes.

    Whoever connects it can have its socket before anything waits on it: see ``wake``.
    """

    def __init__(
        self,
        host: str,
        port: int | None,
        *,
        secure: bool,
        left: Left,
        on_socket: OnSocket = lambda _: None,
    ) -> None:
        """Opens nothing yet. A port of None is that of HTTP, or of HTTPS.

        ``on_socket`` is told of each socket before it waits and once it is connected. It may raise
        OSError, which ends the attempt.
        """
        self.default_port = http.client.HTTPS_PORT if secure else http.client.HTTP_PORT
        super().__init__(host, port or self.default_port)
        self.left = left
        self._secure = secure
        self._on_socket = on_socket

    def connect(self) -> None:
        """Opens it.

        Raises:
            OSError: nobody takes the connection, or no certificate says who it is.
        """
        failure: OSError | None = None
        for family, kind, protocol, _, address in socket.getaddrinfo(
            self.host, self.port, type=socket.SOCK_STREAM
        ):
            try:
                self.sock = self._connected(socket.socket(family, kind, protocol), address)
            except ssl.SSLCertVerificationError:
                raise
            except OSError as error:
                failure = error
            else:
                return
        raise failure or OSError("the host has no address")

    def send(self, data: Any) -> None:
        """As the standard library's."""
        if self.sock is None:
            self.connect()
        self.sock.settimeout(self.left())
        super().send(data)

    def response_class(  # type: ignore[override]  # it is only called
        self, connected: socket.socket, *given: Any, **named: Any
    ) -> http.client.HTTPResponse:
        """What reads the answer."""
        response = http.client.HTTPResponse(connected, *given, **named)
        response.fp.close()
        response.fp = io.BufferedReader(_Reader(connected, self))
        return response

    def _connected(self, plain: socket.socket, address: Any) -> socket.socket:
        opened = plain
        try:
            opened.settimeout(self.left())
            self._on_socket(opened)
            opened.connect(address)
            # Woken before it began, it returns at once as if it were connected.
            self._on_socket(opened)
            opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self._secure:
                context = ssl.create_default_context()
                context.set_alpn_protocols(["http/1.1"])
                opened = secured = context.wrap_socket(
                    plain, server_hostname=self.host, do_handshake_on_connect=False
                )
                self._on_socket(secured)
                secured.settimeout(self.left())
                secured.do_handshake()
        except BaseException:
            opened.close()
            raise
        return opened


class _Reader(io.RawIOBase):
    def __init__(self, connected: socket.socket, connection: Connection) -> None:
        super().__init__()
        self._socket = connected
        self._file = connected.makefile("rb", buffering=0)
        self._connection = connection

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        self._socket.settimeout(self._connection.left())
        return self._file.readinto(buffer)

    def close(self) -> None:
        self._file.close()
        super().close()


def wake(waited_on: socket.socket) -> None:
    """Ends what a thread waits for on this socket. Raises OSError when it is not connected.

    Closing it alone would not. TLS's own shutdown would take the session away from under a reader.
    """
    socket.socket.shutdown(waited_on, socket.SHUT_RDWR)
