"""Signals to a child's whole process group, and waiting without giving its id away."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import subprocess

log = logging.getLogger(__name__)


def signal_group(group: int, number: signal.Signals) -> None:
    """Signals every process of a group. A group that is gone already counts as success."""
    if group <= 1 or group == os.getpgrp():
        log.error("refused to signal the process group %d, which is not a child's own", group)
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def has_exited(process: subprocess.Popen[bytes]) -> bool:
    """Whether the process has ended, known as soon as it has; it is not reaped."""
    if not hasattr(os, "waitid"):  # macOS before Python 3.13
        return process.returncode is not None
    try:
        state = os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG)
    except ChildProcessError:
        return True
    return state is not None


def await_exit(process: subprocess.Popen[bytes]) -> None:
    """Blocks until the process has ended, and where it can does not reap it.

    The unreaped process keeps its id, and so its group's id, from being used again: the group can
    still be signalled safely.
    """
    if not hasattr(os, "waitid"):  # macOS before Python 3.13
        process.wait()
        return
    with contextlib.suppress(ChildProcessError):  # reaped by the host, or SIGCHLD is ignored
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
