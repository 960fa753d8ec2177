"""How long a client lives, and what wakes those who wait for it when it ends."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from qmemd.client.connection import wake
from qmemd.client.errors import ClientClosedError


class Lifetime:
    """A client's. Nothing is kept of what is over. May be used from any thread."""

    def __init__(self, parent: Lifetime | None = None) -> None:
        """It ends with its parent's, and not the other way round."""
        self._parent = parent
        self._lock = threading.Lock()
        self._closed = False
        self._enders: dict[object, Callable[[], None]] = {}

    def close(self) -> None:
        """Ends what goes on. Idempotent."""
        with self._lock:
            self._closed = True
            enders = list(self._enders.values())
        for end in enders:
            end()

    def check(self) -> None:
        """Raises ClientClosedError once it is over."""
        if self._closed:
            raise ClientClosedError
        if self._parent is not None:
            self._parent.check()

    @contextmanager
    def watched(self, end: Callable[[], None]) -> Iterator[None]:
        """What goes on in the block is ended by ``end``, which must not wait, or not begun.

        Raises:
            ClientClosedError: it is over already.
        """
        token = object()
        try:
            for one in self._line():
                with one._lock:  # noqa: SLF001 — of the same class
                    if one._closed:  # noqa: SLF001
                        raise ClientClosedError
                    one._enders[token] = end  # noqa: SLF001
            yield
        finally:
            for one in self._line():
                with one._lock:  # noqa: SLF001
                    one._enders.pop(token, None)  # noqa: SLF001

    def pause(self, seconds: float) -> None:
        """Sleeps. Raises ClientClosedError as soon as it is over."""
        over = threading.Event()
        with self.watched(over.set):
            over.wait(seconds)
        self.check()

    def _line(self) -> Iterator[Lifetime]:
        one: Lifetime | None = self
        while one is not None:
            yield one
            one = one._parent  # noqa: SLF001


class Wakeable:
    """The socket of one request, which another thread may end."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None
        self._over = False

    def take(self, opened: socket.socket) -> None:
        """As ``Connection`` tells of it. Raises ConnectionError when it is over already."""
        with self._lock:
            self._socket = opened
            if self._over:
                raise ConnectionError("the client was closed")

    def end(self) -> None:
        """Wakes whoever waits on it."""
        with self._lock:
            self._over = True
            if self._socket is not None:
                with suppress(OSError):
                    wake(self._socket)
