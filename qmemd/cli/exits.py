"""How a command ends, for those who call it from a script."""

from __future__ import annotations

from enum import IntEnum


class Exit(IntEnum):
    """The exit codes; 2 is click's for a command line that makes no sense."""

    DONE = 0
    FAILED = 1
    """The task failed, ``doctor`` found something, or an export or import left something out."""
    USAGE = 2
    NO_DAEMON = 3
    """No daemon runs and none was started, or it does not answer."""
    REFUSED = 4
    """The request was refused, a file cannot be used, or there is nothing of that name."""
    DECLINED = 5
    """Somebody was asked, and said no."""
    INTERRUPTED = 130
