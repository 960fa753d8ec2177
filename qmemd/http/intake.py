"""What may come in: bodies are bounded before any app is asked for its opinion."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any

from qmemd.http.replies import Reply, error_reply

MAX_UNASKED_BODY = 64 * 1024
"""Bytes. A longer body is read only after its head was judged; a shorter one costs less."""
MAX_BODIES = 256 * 1024 * 1024
"""Bytes of bodies that are held at once, over all connections."""

HeadCheck = Callable[[Mapping[str, Any], bool], Reply | None]
"""Given the head as WSGI has it, and whether a large body follows: the answer that makes reading
the body pointless, or None."""

_TOO_MANY = error_reply(
    "daemon_busy", "Too many request bodies are being received at once; try again."
)


class Intake:
    """One server's: asked by the I/O thread; bodies are given back by any thread."""

    def __init__(self, check_head: HeadCheck | None, port: int, max_bodies: int) -> None:
        self._check_head = check_head
        self._port = str(port)
        self._free = max_bodies
        self._lock = threading.Lock()

    def refuse_head(self, request: Any, large: bool) -> Reply | None:
        """The answer to a request whose body need not be read; None lets the body in.

        Args:
            request: as Waitress parsed it.
            large: whether its body is, or may become, a large one.
        """
        if self._check_head is None:
            return None
        head = {f"HTTP_{name}": value for name, value in request.headers.items()}
        head |= {
            "REQUEST_METHOD": request.command,
            "PATH_INFO": request.path,
            "SERVER_PORT": self._port,
        }
        return self._check_head(head, large)

    def take(self, size: int) -> Reply | None:
        """Counts more bytes of a body; the answer when there is no room for them."""
        with self._lock:
            if size > self._free:
                return _TOO_MANY
            self._free -= size
            return None

    def give_back(self, size: int) -> None:
        with self._lock:
            self._free += size
