"""The memory of one workspace as a run sees it: where it is, what it holds, how it changes."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from qmemd.agent.run import Run
from qmemd.errors import QmemdError, TaskFailedError
from qmemd.kinds import ChangeAction, ChangeState, Scope
from qmemd.memory.changes import ChangeSet, FileChange
from qmemd.memory.commit import Committer
from qmemd.memory.draft import Draft
from qmemd.memory.history import History
from qmemd.memory.late_writes import LateWrites
from qmemd.memory.memorypath import MemoryPath
from qmemd.memory.paths import MemoryPaths, base_dir, resolve_paths
from qmemd.memory.scan import Scan, Scanner
from qmemd.memory.secrets import SecretPolicy


class WorkspaceMemory:
    """The two memory roots of a workspace, for the length of a run."""

    def __init__(
        self,
        paths: MemoryPaths,
        scanner: Scanner,
        *,
        secrets: SecretPolicy,
        clock: Callable[[], datetime],
        new_id: Callable[[], str],
        late: LateWrites | None = None,
        history: History | None = None,
    ) -> None:
        """A ``history`` that outlives this object knows that it was swept."""
        self.paths = paths
        self.secrets = secrets
        """What becomes of texts that hold one."""
        self._scanner = scanner
        self._committer = Committer(
            paths,
            history or History(paths.history),
            scanner=scanner,
            clock=clock,
            new_id=new_id,
            secrets=secrets,
            late=late,
        )

    def scan(self, scope: Scope) -> Scan:
        """What is on disk now."""
        return self._scanner.scan(self.paths.root(scope))

    def draft(self) -> Draft:
        """A fresh overlay, equal to the disk."""
        return Draft(self.paths)

    def commit(
        self,
        changes: Sequence[FileChange],
        run: Run,
        model: str,
        result: Callable[[ChangeSet], dict[str, Any]],
        unchanged: Mapping[MemoryPath, bytes | None] | None = None,
        erases: Sequence[str] = (),
    ) -> dict[str, Any]:
        """Applies the changes, all or none, and returns the task's result on the wire.

        ``unchanged`` are other documents that must still hold this content; ``erases`` are texts
        that are to leave the history as well.

        Raises:
            TaskFailedError: nothing was applied.
        """
        applied = self._committer.commit(
            changes,
            run.record(model),
            # What the history keeps is what the task reports, usage included.
            result=lambda done: run.usage.noted_in(result(done)),
            may_commit=run.may_commit,
            unchanged=unchanged or {},
            erases=erases,
        )
        return applied.result

    def preview(
        self,
        changes: Sequence[FileChange],
        run: Run,
        model: str,
        result: Callable[[ChangeSet], dict[str, Any]],
    ) -> dict[str, Any]:
        """Keeps the changes to be looked at; the task's result on the wire.

        Raises:
            TaskFailedError: they could not be applied.
        """
        kept = self._committer.preview(
            changes,
            run.record(model),
            result=lambda done: run.usage.noted_in(result(done)),
            may_commit=run.may_commit,
        )
        return kept.result

    def move(
        self,
        change_set_id: str,
        action: ChangeAction,
        run: Run,
        result: Callable[[ChangeSet, ChangeState], dict[str, Any]],
    ) -> dict[str, Any]:
        """Applies, reverts or discards a kept change set; the task's result on the wire.

        Raises:
            TaskFailedError: nothing was changed.
        """
        record = self._committer.move(
            change_set_id,
            action,
            run.record(None),
            result=result,
            may_commit=run.may_commit,
        )
        return record.result

    def look_again(self) -> None:
        """Keeps what editors wrote late into replaced documents. Raises as a lock does."""
        self._committer.look_again()

    def leave_as_is(self, run: Run, summary: str, *, preview: bool = False) -> str:
        """The end of a run without changes: repairs the indexes; the summary with any warnings.

        A preview leaves them alone as well.
        """
        run.check()
        if preview:
            return summary
        return " ".join([summary, *self._committer.rebuild_indexes(run.check)])


def locate(workspace: str, environ: Mapping[str, str]) -> MemoryPaths:
    """Where the memory of this workspace is.

    Raises:
        TaskFailedError: ``managed_memory_unavailable``: there is no place to keep it.
    """
    try:
        paths = resolve_paths(
            base_dir(environ),
            Path(workspace),
            project_scope=environ.get("QWEN_CODE_MEMORY_PROJECT_SCOPE") or "workspace",
            local=environ.get("QWEN_CODE_MEMORY_LOCAL") == "1",
        )
    except (QmemdError, OSError) as error:
        raise TaskFailedError("managed_memory_unavailable") from error
    if not all(_usable(root.path) for root in paths.roots):
        raise TaskFailedError("managed_memory_unavailable")
    return paths


def _usable(directory: Path) -> bool:
    """Whether the directory can be written, or made."""
    present = (path for path in (directory, *directory.parents) if os.access(path, os.F_OK))
    nearest = next(present, directory)
    return nearest.is_dir() and os.access(nearest, os.R_OK | os.W_OK | os.X_OK)
