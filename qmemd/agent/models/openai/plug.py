"""Waking a thread that is blocked on a connection."""

from __future__ import annotations

import socket
import threading
from collections.abc import Mapping
from contextlib import suppress
from typing import Any


class Plug:
    """Holds the socket of one request, so that another thread can end its waiting.

    Closing a socket does not wake who reads from it; shutting it down does. A duplicate is held:
    TLS takes the first descriptor over, and whoever is done with it may close it at any time.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None
        self._pulled = False

    def trace(self, event: str, info: Mapping[str, Any]) -> None:
        """Told by the HTTP library what it does."""
        if event.endswith("connect_tcp.complete"):
            self._hold(info["return_value"].get_extra_info("socket"))

    def pull(self) -> None:
        """Ends what is sent and read, now and from now on. From any thread."""
        with self._lock:
            self._pulled = True
            self._shut_down()

    def close(self) -> None:
        """Lets go of the socket: the request is over."""
        with self._lock:
            held, self._socket = self._socket, None
            if held is not None:
                held.close()

    def _hold(self, connected: socket.socket) -> None:
        with self._lock:
            if self._socket is not None:
                self._socket.close()
            self._socket = connected.dup()
            if self._pulled:
                self._shut_down()

    def _shut_down(self) -> None:
        if self._socket is not None:
            with suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)
