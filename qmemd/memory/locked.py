"""The memory of one workspace under its locks: whoever takes them settles what others left open."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import chain

from qmemd.errors import MemoryFilesError
from qmemd.kinds import ChangeState, Scope
from qmemd.memory.application import Application, not_rebuilt, rebuild
from qmemd.memory.changes import ChangeSet
from qmemd.memory.history import History, Step, no_step
from qmemd.memory.late_writes import LateWrites
from qmemd.memory.paths import MemoryPaths, Root
from qmemd.memory.rootlocks import RootLocks, no_check
from qmemd.memory.scan import Scanner

LOCK_TIMEOUT = 10.0
"""Seconds that a commit waits for another process's commit."""

_COUNTING = (ChangeState.APPLIED, ChangeState.REVERTED, ChangeState.ERASED)
_logger = logging.getLogger(__name__)


class LockedMemory:
    """Settles open change sets and rebuilds indexes.

    Every method that changes files takes the locks itself: the user root's first, then the
    project's. One object may be used from several threads.
    """

    def __init__(
        self,
        paths: MemoryPaths,
        history: History,
        *,
        scanner: Scanner,
        lock_timeout: float = LOCK_TIMEOUT,
        late: LateWrites | None = None,
        step: Step = no_step,
    ) -> None:
        """``late`` outlives this object; without it nobody looks for late writes of editors."""
        self._paths = paths
        self._history = history
        self._scanner = scanner
        self._locks = RootLocks(paths, lock_timeout)
        self._late = late
        self._step = step

    def rebuild_indexes(self, check: Callable[[], object] = no_check) -> tuple[str, ...]:
        """Rebuilds the indexes of the roots that exist; for runs that changed nothing.

        Returns sentences for indexes that could not be rebuilt and files that could not be read.
        ``check`` is called while waiting for the locks, and may raise.
        """
        roots = [root for root in self._paths.roots if root.path.is_dir()]
        if not roots:
            return ()
        try:
            with self.locked(check, project_needed=False) as project_held:
                warnings = [
                    rebuild(self._scanner, root, self._history, self._step)
                    if project_held or root.scope is Scope.USER
                    else (not_rebuilt(root),)
                    for root in roots
                ]
        except (OSError, MemoryFilesError):
            _logger.warning("the indexes were not rebuilt", exc_info=True)
            return ("The indexes of the memory could not be rebuilt.",)
        return tuple(chain.from_iterable(warnings))

    def settle(self) -> None:
        """Finishes or puts back what a run that died left open.

        Raises:
            MemoryFilesError: ``memory_locked`` when another process holds the locks on.
            OSError: the system refuses.
        """
        if self._history.has_open():
            with self.locked(project_needed=False):
                pass

    def look_again(self) -> None:
        """Takes into the history what editors wrote late. Raises like `settle`."""
        if self._late and self._late.noticed():
            with self.locked(project_needed=False):
                pass

    def settle_task(self, task_id: str) -> ChangeSet | None:
        """The change set of a task whose run died, settled; None when the run changed nothing.

        Raises like `settle`.
        """
        found = self._history.find_task(task_id)
        if found and found.state in (ChangeState.OPEN, ChangeState.CONFLICT):
            self.settle()
            found = self._history.find_task(task_id)
        return found if found and found.state in _COUNTING else None

    @contextmanager
    def locked(
        self, check: Callable[[], object] = no_check, *, project_needed: bool = True
    ) -> Iterator[bool]:
        """Holds the locks, with everything settled and swept that dead runs left open.

        Yields whether the project's lock is among them.
        """
        with self._locks.both(check, project_needed=project_needed) as project_held:
            self._step("locked")
            try:
                self._history.sweep()
            except (OSError, MemoryFilesError):
                _logger.warning("temporary files stay in the history", exc_info=True)
            self._settle_open(project_held=project_held)
            if self._late:
                self._late.look(self._history)
            yield project_held

    def _settle_open(self, *, project_held: bool) -> None:
        for change_set in self._history.opened():
            try:
                with self._locks.also(self._project_of(change_set), own_held=project_held):
                    settled = self.application(change_set).settle()
            except (OSError, MemoryFilesError):
                # It stays open; a fault in one must not stop the others for ever.
                _logger.exception("change set %s is not settled", change_set.change_set_id)
            else:
                _logger.info(
                    "change set %s was left open: %s", settled.change_set_id, settled.state
                )

    def application(self, change_set: ChangeSet) -> Application:
        """A change set on its way to the files."""
        return Application(
            *(change_set, self._paths.base, self._history, self._scanner, self._step, self._late)
        )

    def _project_of(self, change_set: ChangeSet) -> Root | None:
        stored = change_set.roots.get(Scope.PROJECT)
        return None if stored is None else Root(Scope.PROJECT, self._paths.base / stored)
