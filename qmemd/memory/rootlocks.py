"""The locks of the memory roots, in the order that keeps two processes from locking each other up.

A commit takes the user root's lock, then its project's. A holder of the user lock may take any
project's on top: nobody waits for the user lock while holding a project's.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

from qmemd.errors import MemoryFilesError
from qmemd.memory.locks import FileLock
from qmemd.memory.paths import MemoryPaths, Root


def no_check() -> None:
    """Waits on, whatever happens."""


class RootLocks:
    """Takes locks for a bounded time, in seconds each."""

    def __init__(self, paths: MemoryPaths, timeout: float) -> None:
        self._paths = paths
        self._timeout = timeout

    @contextmanager
    def both(
        self, check: Callable[[], object] = no_check, *, project_needed: bool = True
    ) -> Iterator[bool]:
        """Holds the locks of both roots. ``check`` is called while waiting, and may raise.

        Yields:
            Whether the project's is held: without ``project_needed`` a project root that lies
            where no lock can be made, say behind a link, is left alone.

        Raises:
            MemoryFilesError: ``memory_locked`` when another process holds one on;
                ``memory_path_refused`` when the way to one leads through a link.
            OSError: a lock file cannot be made.
        """
        with self._one(self._paths.user, check), ExitStack() as project:
            held = True
            try:
                project.enter_context(self._one(self._paths.project, check))
            except (OSError, MemoryFilesError) as error:
                if project_needed or getattr(error, "code", None) == "memory_locked":
                    raise
                held = False
            yield held

    @contextmanager
    def also(self, project: Root | None, *, own_held: bool = True) -> Iterator[None]:
        """Holds another project's lock on top of `both`; nothing more for the own one.

        Raises like `both`, and so for the own one when `both` could not take it.
        """
        if project is None or (own_held and project.path == self._paths.project.path):
            yield
        else:
            with self._one(project, no_check):
                yield

    @contextmanager
    def _one(self, root: Root, check: Callable[[], object]) -> Iterator[None]:
        def pause(seconds: float) -> None:
            check()
            time.sleep(seconds)

        lock = FileLock(root.lock_path, sleep=pause)
        if not lock.acquire(self._timeout):
            raise MemoryFilesError(
                "memory_locked", f"The {root.scope.value} memory is locked by another process."
            )
        try:
            yield
        finally:
            lock.release()
