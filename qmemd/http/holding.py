"""Requests that take long on purpose: streams, and polls that wait.

Our own server offers two services for them in the WSGI environment: a thread more while such a
request holds one, and word when the client has left. Under another server both are absent.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any

HOLD_THREAD = "qmemd.hold_thread"
"""Environment key: makes a context in which the pool has one thread more."""
ON_LEAVE = "qmemd.on_leave"
"""Environment key: takes a function that is called once the client has left."""
GUNICORN_SOCKET = "gunicorn.socket"
"""Environment key: the connection, under gunicorn."""
WAITRESS_GONE = "waitress.client_disconnected"
"""Environment key: Waitress's way to ask whether the client has left."""


def hold_thread(env: Mapping[str, Any]) -> AbstractContextManager[object]:
    """A context for as long as this request needs its thread."""
    hold: Callable[[], AbstractContextManager[object]] = env.get(HOLD_THREAD, nullcontext)
    return hold()


def on_leave(env: Mapping[str, Any]) -> Callable[[Callable[[], None]], object] | None:
    """Takes a function that is called, from any thread, when the client leaves; None: unknown."""
    return env.get(ON_LEAVE)


def has_left(env: Mapping[str, Any]) -> Callable[[], bool] | None:
    """Says whether the client has left, where it has to be asked; None: nobody knows."""
    if isinstance(connection := env.get(GUNICORN_SOCKET), socket.socket):
        return partial(_at_end, connection)
    return env.get(WAITRESS_GONE)


def _at_end(connection: socket.socket) -> bool:
    """Whether the other side has closed; what it sent meanwhile stays to be read."""
    try:
        return not connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
    except (BlockingIOError, InterruptedError):
        return False
    except ValueError:  # TLS, which cannot be looked into
        return False
    except OSError:
        return True
