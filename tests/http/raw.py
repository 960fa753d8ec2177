"""HTTP by hand, for requests that no client library would send."""

from __future__ import annotations

import http.client
import json
import socket
import struct
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self


@dataclass(frozen=True)
class Answer:
    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Connection:
    """One connection on which answers are read one after the other."""

    def __init__(self, port: int, *, receive_buffer: int | None = None) -> None:
        self._sock = socket.socket()
        self._sock.settimeout(10)
        if receive_buffer is not None:  # before connecting, so that the window is small as well
            self._sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self._sock.connect(("127.0.0.1", port))
        self._file = self._sock.makefile("rb")

    def send(self, data: bytes) -> None:
        self._sock.sendall(data)

    def send_no_more(self) -> None:
        self._sock.shutdown(socket.SHUT_WR)

    def reset(self) -> None:
        """Leaves without a goodbye."""
        self._sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close()

    def send_while_it_listens(self, data: bytes, times: int) -> bool:
        """Whether everything could be sent."""
        try:
            for _ in range(times):
                self._sock.sendall(data)
        except ConnectionError:
            return False
        return True

    def read(self, method: str = "GET") -> Answer:
        """The next answer; ``ConnectionError`` when there is none."""
        status_line = self._file.readline()
        if not status_line:
            raise ConnectionAbortedError("the server closed the connection")
        headers = http.client.parse_headers(self._file)
        length = 0 if method == "HEAD" else int(headers["Content-Length"] or 0)
        return Answer(int(status_line.split()[1]), headers, self._file.read(length))

    def line(self) -> bytes:
        return self._file.readline()

    def exactly(self, length: int) -> bytes:
        return self._file.read(length)

    def at_end(self) -> bool:
        """Waits until the server has sent something, or closed the connection."""
        return self._file.read(1) == b""

    def close(self) -> None:
        self._file.close()
        self._sock.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        _type: type[BaseException] | None,
        _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        self.close()


def exchange(port: int, data: bytes, method: str = "GET") -> Answer:
    with Connection(port) as connection:
        connection.send(data)
        return connection.read(method)


def post(port: int, path: str, body: bytes) -> Answer:
    head = get(
        path, "Content-Type: application/json", f"Content-Length: {len(body)}", method="POST"
    )
    return exchange(port, head + body)


def get(path: str, *headers: str, method: str = "GET") -> bytes:
    """The bytes of a well-formed and authorized request without a body."""
    lines = [
        f"{method} {path} HTTP/1.1",
        "Host: localhost",
        "Authorization: Bearer s3cret",
        *headers,
    ]
    return "\r\n".join([*lines, "", ""]).encode("latin-1")
