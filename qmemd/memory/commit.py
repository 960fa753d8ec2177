"""Committing: the one way in which anything of ours changes a memory document."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from datetime import datetime
from types import MappingProxyType
from typing import Any

from qmemd.errors import MemoryFilesError, TaskFailedError
from qmemd.kinds import ChangeAction, ChangeState, Scope
from qmemd.memory import files
from qmemd.memory.application import Application
from qmemd.memory.changes import ChangeSet, FileChange, Move
from qmemd.memory.documents import MAX_DOCUMENT_BYTES
from qmemd.memory.history import History, Step, no_step
from qmemd.memory.late_writes import LateWrites
from qmemd.memory.locked import LOCK_TIMEOUT, LockedMemory
from qmemd.memory.memorypath import MemoryPath
from qmemd.memory.paths import MemoryPaths, claim_slug
from qmemd.memory.proposals import Proposals, RunRecord
from qmemd.memory.scan import Scanner
from qmemd.memory.secrets import SecretPolicy


class Committer(LockedMemory):
    """Applies change sets to the memory roots of one workspace; settles what is open first."""

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
        """See ``LockedMemory`` too."""
        super().__init__(
            paths, history, scanner=scanner, lock_timeout=lock_timeout, late=late, step=step
        )
        self._clock = clock
        self._proposals = Proposals(
            paths, scanner=scanner, clock=clock, new_id=new_id, secrets=secrets
        )

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
        touches_project = any(change.path.scope is Scope.PROJECT for change in changes)
        with self._failing(run), self._while(may_commit, project_needed=touches_project):
            self._check_unchanged(unchanged)
            change_set = replace(self._proposals.checked(changes, run), erases=tuple(erases))
            change_set = replace(change_set, result=result(change_set))
            return self._apply(change_set, may_commit)

    def restore(
        self,
        changes: Sequence[FileChange],
        run: RunRecord,
        *,
        result: Callable[[ChangeSet], dict[str, Any]],
        may_commit: Callable[[], bool],
    ) -> ChangeSet:
        """Brings in new documents that their owner kept elsewhere; otherwise like `commit`.

        They may be pinned, and have any name that a document may have.

        Raises:
            TaskFailedError: as `commit`.
        """
        touches_project = any(change.path.scope is Scope.PROJECT for change in changes)
        with self._failing(run), self._while(may_commit, project_needed=touches_project):
            change_set = self._proposals.restored(changes, run)
            return self._apply(replace(change_set, result=result(change_set)), may_commit)

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
        with self._failing(run), self._while(may_commit, project_needed=False):
            change_set = self._proposals.checked(changes, run)
            change_set = replace(change_set, state=ChangeState.PREVIEW)
            change_set = replace(change_set, result=result(change_set))
            _refuse_conflicts(self.application(change_set))
            _ask(may_commit)
            self._history.close(change_set)
            return change_set

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
        with self._failing(run), self._while(may_commit):
            moved = self._history.load(change_set_id)
            if moved is None or moved.workspace != run.workspace:
                raise TaskFailedError("change_conflict", details="It is not kept any more.")
            state = _after(moved.state, action)
            record = self._proposals.known(_changes_of(moved, action), run)
            record = replace(record, moves=Move(moved.change_set_id, state))
            record = replace(record, result=result(record, state))
            return self._apply(record, may_commit)

    def _apply(self, change_set: ChangeSet, may_commit: Callable[[], bool]) -> ChangeSet:
        application = self.application(change_set)
        _refuse_conflicts(application)
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

    def _while(
        self, may_commit: Callable[[], bool], *, project_needed: bool = True
    ) -> AbstractContextManager[bool]:
        return self.locked(lambda: _ask(may_commit), project_needed=project_needed)

    @contextmanager
    def _failing(self, run: RunRecord) -> Iterator[None]:
        """What the system or a lock refuses fails the task."""
        try:
            yield
        except OSError as error:
            raise TaskFailedError(f"{run.kind.value}_failed", details=error.strerror) from error
        except MemoryFilesError as error:
            raise TaskFailedError(f"{run.kind.value}_failed", details=error.message) from error


_AFTER = {
    (ChangeState.PREVIEW, ChangeAction.APPLY): ChangeState.APPLIED,
    (ChangeState.REVERTED, ChangeAction.APPLY): ChangeState.APPLIED,
    (ChangeState.APPLIED, ChangeAction.REVERT): ChangeState.REVERTED,
    (ChangeState.PREVIEW, ChangeAction.DISCARD): ChangeState.DISCARDED,
}


def _after(state: ChangeState, action: ChangeAction) -> ChangeState:
    """The state that follows.

    Raises:
        TaskFailedError: ``change_conflict``, the action does not fit the state.
    """
    after = _AFTER.get((state, action))
    if after is None:
        raise TaskFailedError("change_conflict", details=f"It is {state.value} already.")
    return after


def _changes_of(moved: ChangeSet, action: ChangeAction) -> tuple[FileChange, ...]:
    if action is ChangeAction.APPLY:
        return moved.files
    if action is ChangeAction.REVERT:
        return tuple(change.reversed for change in moved.files)
    return ()


def _refuse_conflicts(application: Application) -> None:
    if conflicts := application.conflicts():
        raise TaskFailedError("change_conflict", details=", ".join(conflicts))


def _ask(may_commit: Callable[[], bool]) -> None:
    if not may_commit():
        raise TaskFailedError("task_cancelled")
