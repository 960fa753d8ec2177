"""Committing: the one way in which anything of ours changes a memory document."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Any

from qmemd.errors import MemoryFilesError, TaskFailedError
from qmemd.kinds import ChangeAction, ChangeState, Scope, TaskKind
from qmemd.memory import files
from qmemd.memory.application import Application, not_rebuilt, rebuild
from qmemd.memory.changes import ChangeSet, FileChange, Move
from qmemd.memory.checks import check_changes, check_paths, without_secrets
from qmemd.memory.document_names import is_index
from qmemd.memory.documents import MAX_DOCUMENT_BYTES
from qmemd.memory.history import History, Step, no_step
from qmemd.memory.late_writes import LateWrites
from qmemd.memory.memorypath import MemoryPath
from qmemd.memory.paths import MemoryPaths, Root, claim_slug
from qmemd.memory.rootlocks import RootLocks, no_check
from qmemd.memory.scan import Scan, Scanner
from qmemd.memory.secrets import SecretPolicy

LOCK_TIMEOUT = 10.0
"""Seconds that a commit waits for another process's commit."""

_COUNTING = (ChangeState.APPLIED, ChangeState.REVERTED, ChangeState.ERASED)
_logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class RunRecord:
    """Whose changes these are."""

    task_id: str
    kind: TaskKind
    client_id: str | None
    workspace: str
    """The workspace's canonical path."""
    model: str | None = None


class Committer:
    """Applies change sets to the memory roots of one workspace, and settles what is open.

    Every method that changes files takes the locks itself: the user root's first, then the
    project's. One object may be used from several threads.
    """

    def __init__(
        self,
        paths: MemoryPaths,
        history: History,
        *,
        scanner: Scanner,
        clock: Callable[[], datetime],
        new_id: Callable[[], str],
        secrets: SecretPolicy = SecretPolicy.REFUSE,
        lock_timeout: float = LOCK_TIMEOUT,
        late: LateWrites | None = None,
        step: Step = no_step,
    ) -> None:
        """``late`` outlives this object; without it nobody looks for late writes of editors."""
        self._paths = paths
        self._history = history
        self._scanner = scanner
        self._clock = clock
        self._new_id = new_id
        self._secrets = secrets
        self._locks = RootLocks(paths, lock_timeout)
        self._late = late
        self._step = step

    def commit(
        self,
        changes: Sequence[FileChange],
        run: RunRecord,
        *,
        result: Callable[[ChangeSet], dict[str, Any]],
        may_commit: Callable[[], bool],
        unchanged: Mapping[MemoryPath, bytes | None] = MappingProxyType({}),
        erases: Sequence[str] = (),
    ) -> ChangeSet:
        """Applies the changes of one run as a whole and returns the applied change set.

        ``result`` makes the task's wire result, which is stored with the change set before the
        first file changes. ``may_commit`` is asked while waiting for the locks, and last: False
        ends the run without a trace. ``unchanged`` are documents that the run relies on, with the
        content (None: absent) that they must still have. ``erases`` are texts that leave the
        history with it.

        Raises:
            TaskFailedError: nothing is changed, or everything was put back. ``change_conflict``
                when a file does not hold what the run read; ``task_cancelled``; the codes of
                `check_changes` and `without_secrets`; ``<kind>_failed`` when the system or a lock
                refuses.
        """
        if not changes:
            raise ValueError("there is nothing to commit")
        try:
            touches_project = any(change.path.scope is Scope.PROJECT for change in changes)
            with self._locked(lambda: _ask(may_commit), project_needed=touches_project):
                self._check_unchanged(unchanged)
                return self._commit(changes, run, result, may_commit, tuple(erases))
        except OSError as error:
            raise TaskFailedError(f"{run.kind.value}_failed", details=error.strerror) from error
        except MemoryFilesError as error:
            raise TaskFailedError(f"{run.kind.value}_failed", details=error.message) from error

    def preview(
        self,
        changes: Sequence[FileChange],
        run: RunRecord,
        *,
        result: Callable[[ChangeSet], dict[str, Any]],
        may_commit: Callable[[], bool],
    ) -> ChangeSet:
        """Checks the changes like `commit`, and keeps them in the history instead of doing them.

        Raises:
            TaskFailedError: as `commit`.
        """
        try:
            with self._locked(lambda: _ask(may_commit), project_needed=False):
                change_set = self._checked(changes, run)
                change_set = replace(change_set, state=ChangeState.PREVIEW)
                change_set = replace(change_set, result=result(change_set))
                if conflicts := self._application(change_set).conflicts():
                    raise TaskFailedError("change_conflict", details=", ".join(conflicts))
                _ask(may_commit)
                self._history.close(change_set)
                return change_set
        except OSError as error:
            raise TaskFailedError(f"{run.kind.value}_failed", details=error.strerror) from error
        except MemoryFilesError as error:
            raise TaskFailedError(f"{run.kind.value}_failed", details=error.message) from error

    def move(
        self,
        change_set_id: str,
        action: ChangeAction,
        run: RunRecord,
        *,
        result: Callable[[ChangeSet, ChangeState], dict[str, Any]],
        may_commit: Callable[[], bool],
    ) -> ChangeSet:
        """Does a kept change set, undoes it, or drops it; returns the record of that.

        Its files must hold what they are to hold before. Content, sizes and losses are not judged
        again, paths are.

        Raises:
            TaskFailedError: ``change_conflict``, it is in no state for that or a file has changed
                since; nothing is changed then. Else as `commit`.
        """
        try:
            with self._locked(lambda: _ask(may_commit)):
                moved = self._history.load(change_set_id)
                if moved is None or moved.workspace != run.workspace:
                    raise TaskFailedError("change_conflict", details="It is not kept any more.")
                state = after_action(moved.state, action)
                return self._move(moved, action, state, run, result, may_commit)
        except OSError as error:
            raise TaskFailedError("change_failed", details=error.strerror) from error
        except MemoryFilesError as error:
            raise TaskFailedError("change_failed", details=error.message) from error

    def rebuild_indexes(self, check: Callable[[], object] = no_check) -> tuple[str, ...]:
        """Rebuilds the indexes of the roots that exist; for runs that changed nothing.

        Returns sentences for indexes that could not be rebuilt and files that could not be read.
        ``check`` is called while waiting for the locks, and may raise.
        """
        roots = [root for root in self._paths.roots if root.path.is_dir()]
        if not roots:
            return ()
        try:
            with self._locked(check, project_needed=False) as project_held:
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
            with self._locked(project_needed=False):
                pass

    def look_again(self) -> None:
        """Takes into the history what editors wrote late. Raises like `settle`."""
        if self._late and self._late.noticed():
            with self._locked(project_needed=False):
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

    def _commit(
        self,
        changes: Sequence[FileChange],
        run: RunRecord,
        result: Callable[[ChangeSet], dict[str, Any]],
        may_commit: Callable[[], bool],
        erases: tuple[str, ...],
    ) -> ChangeSet:
        change_set = replace(self._checked(changes, run), erases=erases)
        change_set = replace(change_set, result=result(change_set))
        return self._apply(change_set, may_commit)

    def _checked(self, changes: Sequence[FileChange], run: RunRecord) -> ChangeSet:
        for scope in sorted({change.path.scope for change in changes}):
            _refuse_odd_places(self._paths.root(scope), changes)
        changes = without_secrets(changes, self._secrets)
        check_changes(changes, kind=run.kind, scan=self._scan)
        return self._change_set(changes, run)

    def _move(
        self,
        moved: ChangeSet,
        action: ChangeAction,
        state: ChangeState,
        run: RunRecord,
        result: Callable[[ChangeSet, ChangeState], dict[str, Any]],
        may_commit: Callable[[], bool],
    ) -> ChangeSet:
        changes: tuple[FileChange, ...] = ()
        if action is ChangeAction.APPLY:
            changes = moved.files
        elif action is ChangeAction.REVERT:
            changes = tuple(change.reversed for change in moved.files)
        check_paths(changes)
        for scope in sorted({change.path.scope for change in changes}):
            _refuse_odd_places(self._paths.root(scope), changes)
        record = self._change_set(changes, run)
        record = replace(record, moves=Move(moved.change_set_id, state))
        record = replace(record, result=result(record, state))
        return self._apply(record, may_commit)

    def _apply(self, change_set: ChangeSet, may_commit: Callable[[], bool]) -> ChangeSet:
        application = self._application(change_set)
        if conflicts := application.conflicts():
            raise TaskFailedError("change_conflict", details=", ".join(conflicts))
        if Scope.PROJECT in change_set.touched_scopes and not self._owns_slug():
            raise MemoryFilesError(
                "memory_path_refused", "The memory directory belongs to another project by now."
            )
        _ask(may_commit)
        self._history.open(change_set)
        change_set = application.settle()
        if application.error is not None:
            raise application.error
        if change_set.state is not ChangeState.APPLIED:
            raise TaskFailedError("change_conflict")
        return change_set

    def _check_unchanged(self, unchanged: Mapping[MemoryPath, bytes | None]) -> None:
        for path, content in unchanged.items():
            root = self._paths.root(path.scope).path
            try:
                present = files.read_regular(root, path.relative, limit=MAX_DOCUMENT_BYTES)
            except FileNotFoundError:
                present = None
            if present != content:
                raise TaskFailedError("change_conflict", details=str(path))

    def _owns_slug(self) -> bool:
        local = not self._paths.project.path.is_relative_to(self._paths.project_state)
        return claim_slug(self._paths, self._clock()) or local

    def _change_set(self, changes: Sequence[FileChange], run: RunRecord) -> ChangeSet:
        roots = {change.path.scope: self._paths.root(change.path.scope) for change in changes}
        return ChangeSet(
            change_set_id=self._new_id(),
            task_id=run.task_id,
            kind=run.kind,
            workspace=run.workspace,
            client_id=run.client_id,
            created_at=self._clock(),
            state=ChangeState.OPEN,
            files=tuple(changes),
            model=run.model,
            roots={scope: self._stored(root.path) for scope, root in roots.items()},
            made_directories=tuple(
                self._stored(directory)
                for directory in sorted(
                    {
                        directory
                        for change in changes
                        if change.after is not None
                        for directory in _missing(roots[change.path.scope].path, change)
                    }
                )
            ),
        )

    def _settle_open(self, *, project_held: bool) -> None:
        for change_set in self._history.opened():
            try:
                with self._locks.also(self._project_of(change_set), own_held=project_held):
                    settled = self._application(change_set).settle()
            except (OSError, MemoryFilesError):
                # It stays open; a fault in one must not stop the others for ever.
                _logger.exception("change set %s is not settled", change_set.change_set_id)
            else:
                _logger.info(
                    "change set %s was left open: %s", settled.change_set_id, settled.state
                )

    def _application(self, change_set: ChangeSet) -> Application:
        return Application(
            *(change_set, self._paths.base, self._history, self._scanner, self._step, self._late)
        )

    def _project_of(self, change_set: ChangeSet) -> Root | None:
        stored = change_set.roots.get(Scope.PROJECT)
        return None if stored is None else Root(Scope.PROJECT, self._paths.base / stored)

    def _scan(self, scope: Scope) -> Scan:
        return self._scanner.scan(self._paths.root(scope))

    def _stored(self, path: Path) -> str:
        base = self._paths.base
        return str(path.relative_to(base) if path.is_relative_to(base) else path)

    @contextmanager
    def _locked(
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


_AFTER = {
    (ChangeState.PREVIEW, ChangeAction.APPLY): ChangeState.APPLIED,
    (ChangeState.REVERTED, ChangeAction.APPLY): ChangeState.APPLIED,
    (ChangeState.APPLIED, ChangeAction.REVERT): ChangeState.REVERTED,
    (ChangeState.PREVIEW, ChangeAction.DISCARD): ChangeState.DISCARDED,
}


def after_action(state: ChangeState, action: ChangeAction) -> ChangeState:
    """The state that follows.

    Raises:
        TaskFailedError: ``change_conflict``, the action does not fit the state.
    """
    after = _AFTER.get((state, action))
    if after is None:
        raise TaskFailedError("change_conflict", details=f"It is {state.value} already.")
    return after


def _ask(may_commit: Callable[[], bool]) -> None:
    if not may_commit():
        raise TaskFailedError("task_cancelled")


def _refuse_odd_places(root: Root, changes: Sequence[FileChange]) -> None:
    """Refuses a root behind a link, and a document that this disk takes for the index.

    Raises:
        MemoryFilesError: ``memory_path_refused``.
    """
    with suppress(FileNotFoundError), files.open_directory(root.path) as directory:
        for change in changes:
            if change.path.scope is root.scope and is_index(directory, change.path.relative):
                raise MemoryFilesError(
                    "memory_path_refused", "The index of the memory is not written by hand."
                )


def _missing(root: Path, change: FileChange) -> list[Path]:
    directories = [root]
    for part in change.path.parts[:-1]:
        directories.append(directories[-1] / part)
    return [directory for directory in directories if not directory.exists()]
