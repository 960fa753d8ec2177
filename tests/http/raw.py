"""HTTP by hand, for requests that no client library would send."""

from __future__ import annotations

import http.client
import json
import socket
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

    def __init__(self, port: int) -> None:
        self._sock = socket.create_connection(("127.0.0.1", port), timeout=10)
        self._file = self._sock.makefile("rb")

    def send(self, data: bytes) -> None:
        self._sock.sendall(data)

    def read(self, method: str = "GET") -> Answer:
        """The next answer; ``ConnectionError`` when there is none."""
        status_line = self._file.readline()
        if not status_line:
            raise ConnectionAbortedError("the server closed the connection")
        headers = http.client.parse_headers(self._file)
        length = 0 if method == "HEAD" else int(headers["Content-Length"] or 0)
        return Answer(int(status_line.split()[1]), headers, self._file.read(length))

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
