"""The paths that are served, and which requests are mere look-ups."""

from __future__ import annotations

import re

from qmemd.kinds import TaskKind

ROOT = "/"
PAGE = "/page"
HEALTH = "/health"
CAPABILITIES = "/capabilities"
MEMORY = "/workspace/memory"
ENTRIES = f"{MEMORY}/entries"
SESSION = "/session"
FILE = "/file"
STATUS = "/daemon/status"
METRICS = "/metrics"
OPENAPI = "/openapi.json"
EVENTS = "/workspace/events"

READ_METHODS = frozenset({"GET", "HEAD"})

_POLL = re.compile(rf"{MEMORY}/(?:{'|'.join(TaskKind)})/[^/]+/?")
_ALWAYS_READY = frozenset({HEALTH, CAPABILITIES})


def is_poll(method: str, path: str) -> bool:
    """Whether this asks for the state of one task."""
    return method in READ_METHODS and _POLL.fullmatch(path) is not None


def never_waits(method: str, path: str, query: str) -> bool:
    """Whether the answer is a look-up, so that it may be made on the server's I/O thread.

    A query may ask for more than a look-up, so requests with one are not among them.
    """
    if query or method not in READ_METHODS:
        return False
    return path in _ALWAYS_READY or is_poll(method, path)
