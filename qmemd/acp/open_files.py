"""How many files a child may have open."""

from __future__ import annotations

import logging
import resource
import sys

log = logging.getLogger(__name__)


def limit_open_files(pid: int, most: int) -> None:
    """Lowers both limits of a process that was just started, and so of all that it starts.

    From outside, because code between fork and exec is not safe in a program with threads, and a
    wrapper would hide that a program cannot be run. The hard limit as well, because Node raises
    its own to that. Only Linux can do this; elsewhere the child has the daemon's limit, which the
    command line keeps at as much.
    """
    if sys.platform != "linux":
        return
    try:
        soft, hard = resource.prlimit(pid, resource.RLIMIT_NOFILE)
        lower = (_least(soft, most), _least(hard, most))
        resource.prlimit(pid, resource.RLIMIT_NOFILE, lower)
    except ProcessLookupError:  # it has ended already
        return
    except OSError as error:  # a program that runs as somebody else
        log.warning("the open files of child %d are not limited: %s", pid, error.strerror)


def _least(limit: int, most: int) -> int:
    return most if limit == resource.RLIM_INFINITY else min(limit, most)
