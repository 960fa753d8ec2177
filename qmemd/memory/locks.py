"""Kernel locks: they die with the process that holds them, whatever way it ends."""

from __future__ import annotations

import fcntl
import json
import os
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from qmemd.errors import MemoryFilesError
from qmemd.memory import files

_OPEN = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_FIRST_PAUSE = 0.002
_LONGEST_PAUSE = 0.05
_MAX_HOLDER_BYTES = 4096


class FileLock:
    """An exclusive lock on a file of its own, which is made (0600) when missing and never deleted.

    What the file holds does not matter: junk or an old process id in it locks nobody out. The
    lock belongs to the open file: a child that was given `fileno` holds it on after `release`,
    until it ends too, if it is ``shared``.
    """

    def __init__(
        self,
        path: Path,
        *,
        shared: bool = False,
        monotonic: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Of a ``shared`` one, children are given the descriptor and hold it on after ``release``.

        Otherwise a process that was merely forked meanwhile holds nothing on.
        """
        self.path = path
        self._shared = shared
        self._guard = threading.Lock()
        self._monotonic = monotonic
        self._sleep = sleep
        self._descriptor: int | None = None

    @property
    def held(self) -> bool:
        """Whether this object holds the lock."""
        return self._descriptor is not None

    def acquire(self, timeout: float = 0.0) -> bool:
        """Takes the lock, waiting at most ``timeout`` seconds; False when others hold it on.

        Raises:
            MemoryFilesError: the way to the lock file leads through a link.
            OSError: the lock file cannot be made or opened.
        """
        if self._descriptor is not None:
            raise RuntimeError("the lock is already held by this object")
        with files.open_directory(self.path.parent, create=True) as directory:
            descriptor = os.open(self.path.name, _OPEN, files.NEW_FILE_MODE, dir_fd=directory)
        try:
            taken = self._take(descriptor, self._monotonic() + timeout)
        except BaseException:
            os.close(descriptor)
            raise
        if taken:
            self._descriptor = descriptor
        else:
            os.close(descriptor)
        return taken

    def release(self) -> None:
        """Gives the lock up; harmless when it is not held. From any thread."""
        with self._guard:
            descriptor, self._descriptor = self._descriptor, None
            if descriptor is None:
                return
            if not self._shared:
                fcntl.flock(descriptor, fcntl.LOCK_UN)
            os.close(descriptor)

    def fileno(self) -> int:
        """The descriptor that holds the lock, to be handed to a child (``pass_fds``)."""
        return self._held_descriptor()

    def write_holder(self, holder: Mapping[str, Any]) -> None:
        """Notes in the file who holds the lock, for whoever finds it taken. From any thread."""
        data = json.dumps(dict(holder)).encode()
        with self._guard:
            descriptor = self._held_descriptor()
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, data, 0)

    def __enter__(self) -> Self:
        if not self.acquire():
            raise MemoryFilesError("memory_locked", "The lock is held by another process.")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.release()

    def _held_descriptor(self) -> int:
        if self._descriptor is None:
            raise RuntimeError("the lock is not held")
        return self._descriptor

    def _take(self, descriptor: int, deadline: float) -> bool:
        pause = _FIRST_PAUSE
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                left = deadline - self._monotonic()
                if left <= 0:
                    return False
                self._sleep(min(pause, left))
                pause = min(2 * pause, _LONGEST_PAUSE)
            else:
                return True


def read_holder(path: Path) -> dict[str, Any] | None:
    """What the holder of a lock noted about itself; None when the file has nothing readable.

    It may be stale: only `FileLock.acquire` tells whether the lock is held.
    """
    try:
        data = files.read_regular(path.parent, path.name, limit=_MAX_HOLDER_BYTES)
        holder = json.loads(data)
    except (OSError, MemoryFilesError, ValueError, RecursionError):
        return None
    return holder if isinstance(holder, dict) else None
