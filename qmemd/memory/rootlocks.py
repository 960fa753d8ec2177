"""The locks of the memory roots, in the order that keeps two processes from locking each other up.

A commit takes the user root's lock, then its project's. A holder of the user lock may take any
project's on top: nobody waits for the user lock while holding a project's.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from qmemd.errors import MemoryFilesError
from qmemd.memory.locks import FileLock
from qmemd.memory.paths import MemoryPaths, Root


class RootLocks:
    """Takes locks for a bounded time, in seconds each."""

    def __init__(self, paths: MemoryPaths, timeout: float) -> None:
        self._paths = paths
        self._timeout = timeout

    @contextmanager
    def both(self) -> Iterator[None]:
        """Holds the locks of both roots.

        Raises:
            MemoryFilesError: ``memory_locked`` when another process holds one on.
            OSError: a lock file cannot be made.
        """
        with self._one(self._paths.user), self._one(self._paths.project):
            yield

    @contextmanager
    def also(self, project: Root | None) -> Iterator[None]:
        """Holds another project's lock on top of `both`; nothing more for the own one.

        Raises like `both`.
        """
        if project is None or project.path == self._paths.project.path:
            yield
        else:
            with self._one(project):
                yield

    @contextmanager
    def _one(self, root: Root) -> Iterator[None]:
        lock = FileLock(root.lock_path)
        if not lock.acquire(self._timeout):
            raise MemoryFilesError(
                "memory_locked", f"The {root.scope.value} memory is locked by another process."
            )
        try:
            yield
        finally:
            lock.release()
