"""How many files this process may have open."""

from __future__ import annotations

import resource
from contextlib import suppress


def allow_open_files(wanted: int) -> None:
    """Raises the soft limit to ``wanted``, as far as the hard one allows; never lowers it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return
    reachable = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if reachable > soft:
        with suppress(OSError, ValueError):  # some systems allow less than they say
            resource.setrlimit(resource.RLIMIT_NOFILE, (reachable, hard))
