"""A server that does what a test wrote down for it, one connection after the other."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

Act = Callable[[socket.socket], None]


def answer(status: int, body: Any = None, **headers: str) -> bytes:
    data = b"" if body is None else json.dumps(body).encode()
    lines = [f"HTTP/1.1 {status} X", f"Content-Length: {len(data)}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode() + data


def stream(*blocks: str, epoch: str = "e1") -> bytes:
    """The head of a stream and the beginning of its body."""
    head = (
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n"
        f"X-Qwen-Event-Epoch: {epoch}\r\n\r\n"
    )
    return (head + "".join(f"{block}\n\n" for block in blocks)).encode()


def event(number: int | None, event_type: str = "memory_changed", data: Any = None) -> str:
    wire: dict[str, Any] = {"v": 1, "type": event_type, "data": data or {}}
    if number is not None:
        wire["id"] = number
    return f"data: {json.dumps(wire)}"


def drip(data: bytes, pause: float = 0.01) -> Act:
    """An act that sends it byte by byte, with as many seconds between two."""

    def act(connection: socket.socket) -> None:
        with suppress(ConnectionError):
            for byte in data:
                connection.sendall(bytes([byte]))
                time.sleep(pause)

    return act


class ScriptedServer:
    """Each connection gets the next act: bytes to send, or a function to call."""

    def __init__(self, *acts: bytes | Act) -> None:
        self._acts = list(acts)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self.requests: list[bytes] = []
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        for act in self._acts:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with connection:
                connection.settimeout(10)
                with suppress(ConnectionError):
                    self.requests.append(self._request(connection))
                with suppress(ConnectionError):  # it may have left meanwhile
                    if isinstance(act, bytes):
                        connection.sendall(act)
                    else:
                        act(connection)

    def _request(self, connection: socket.socket) -> bytes:
        data = b""
        while b"\r\n\r\n" not in data:
            received = connection.recv(65_536)
            if not received:
                raise ConnectionAbortedError
            data += received
        head, _, body = data.partition(b"\r\n\r\n")
        named = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
        length = int(named.get(b"content-length", 0))
        while len(body) < length:
            body += connection.recv(65_536)
        return head + b"\r\n\r\n" + body

    def header(self, number: int, name: str) -> str | None:
        """A header of the request with this number."""
        for line in self.requests[number].split(b"\r\n\r\n")[0].decode().split("\r\n")[1:]:
            key, _, value = line.partition(":")
            if key.lower() == name.lower():
                return value.strip()
        return None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        _type: type[BaseException] | None,
        _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)  # wakes who accepts
        self._thread.join(10)
        self._listener.close()
