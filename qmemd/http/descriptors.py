"""How many connections the process can afford: each of them holds an open file."""

from __future__ import annotations

import resource

from qmemd.errors import SettingsError

MAX_CONNECTIONS = 1100
FOR_REQUESTS = 64
"""Connections that streams leave to everything else."""
HEADROOM = 32
"""Open files that the rest of the process needs: journal, locks, pipes, memory documents."""


def connection_limit() -> int:
    """Connections to hold at once; a quarter of the open files stays free for buffered bodies.

    Raises:
        SettingsError: the limit of open files leaves none.
    """
    open_files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if open_files == resource.RLIM_INFINITY:
        return MAX_CONNECTIONS
    limit = min(MAX_CONNECTIONS, open_files * 3 // 4, open_files - HEADROOM)
    if limit < 1:
        raise SettingsError(
            f"the limit of {open_files} open files leaves none for connections; "
            f"raise it with ulimit -n, to {2 * HEADROOM} or more"
        )
    return limit


def stream_limit() -> int:
    """Event streams that may be open at once without taking the last connections; at least one."""
    limit = connection_limit()
    return max(1, limit - FOR_REQUESTS, limit // 2)
