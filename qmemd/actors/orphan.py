"""A child that outlived its daemon: it is waited for, and ended if it does not end by itself.

The daemon holds the child lock and hands its open descriptor to every child, whatever program
that is, so the lock stays taken as long as any of them lives.
"""

from __future__ import annotations

import contextlib
import logging
import os
import signal
from collections.abc import Callable
from pathlib import Path

import psutil

from qmemd.errors import SettingsError
from qmemd.memory.locks import FileLock, read_holder

log = logging.getLogger(__name__)

PATIENCE = 5.0
"""Seconds that an orphan gets to end by itself; a child of ours ends when its stdin does."""
SAME_START = 1.0
"""Two clocks of one start time may differ by so many seconds."""


def take_child_lock(
    path: Path,
    *,
    patience: float = PATIENCE,
    kill: Callable[[int, int], None] = os.killpg,
) -> FileLock:
    """Takes the lock once no child of an earlier daemon lives.

    Raises:
        SettingsError: an orphan cannot be ended; the sentence names it.
    """
    lock = FileLock(path, shared=True)
    if lock.acquire(patience):
        return lock
    holder = read_holder(path) or {}
    pid, started = holder.get("pid"), holder.get("started")
    if isinstance(pid, int) and isinstance(started, float):
        log.warning("ending the agent process %d, which an earlier daemon left behind", pid)
        kill_child(pid, started, kill)
        if lock.acquire(patience):
            return lock
        if not _is_same(pid, started):
            # The child is gone; only a process that it left behind holds on. Others of our kind
            # are kept out by the lane's lock, so a new file may take the place of the old one.
            log.warning("process %d left another one behind, which still holds its lock", pid)
            path.unlink()
            if lock.acquire():
                return lock
    raise SettingsError(
        f"an agent process of an earlier daemon still holds {path}; end it and start again"
    )


def note_child(lock: FileLock, pid: int, started: float) -> None:
    """Says in the lock file which process holds it, for whoever has to end it."""
    lock.write_holder({"pid": pid, "started": started})


def kill_child(pid: int, started: float, kill: Callable[[int, int], None] = os.killpg) -> None:
    """Kills a child's process group at once, if the process is still the one that was started."""
    if _is_same(pid, started):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            kill(pid, signal.SIGKILL)  # children lead a process group of their own


def _is_same(pid: int, started: float) -> bool:
    if pid <= 1 or pid == os.getpid():
        return False
    try:
        process = psutil.Process(pid)
        return abs(process.create_time() - started) < SAME_START
    except psutil.Error:
        return False
