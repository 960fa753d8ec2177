"""From what a run wants of the files to a change set that may be committed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from qmemd.errors import MemoryFilesError
from qmemd.kinds import ChangeState, Scope, TaskKind
from qmemd.memory import files
from qmemd.memory.changes import ChangeSet, FileChange
from qmemd.memory.checks import check_changes, check_places, check_restored, without_secrets
from qmemd.memory.document_names import is_index
from qmemd.memory.paths import MemoryPaths, Root
from qmemd.memory.scan import Scan, Scanner
from qmemd.memory.secrets import SecretPolicy


@dataclass(frozen=True, slots=True)
class RunRecord:
    """Whose changes these are."""

    task_id: str
    kind: TaskKind
    client_id: str | None
    workspace: str
    """The workspace's canonical path."""
    model: str | None = None


class Proposals:
    """Makes change sets that are judged and not done yet. The caller holds the locks."""

    def __init__(
        self,
        paths: MemoryPaths,
        *,
        scanner: Scanner,
        clock: Callable[[], datetime],
        new_id: Callable[[], str],
        secrets: SecretPolicy,
    ) -> None:
        self._paths = paths
        self._scanner = scanner
        self._clock = clock
        self._new_id = new_id
        self._secrets = secrets

    def checked(self, changes: Sequence[FileChange], run: RunRecord) -> ChangeSet:
        """What a model wants: paths, places, content, sizes, losses and secrets are judged.

        Raises:
            TaskFailedError: the codes of `check_changes` and `without_secrets`.
            MemoryFilesError: ``memory_path_refused``.
        """
        self._refuse_odd_places(changes)
        changes = without_secrets(changes, self._secrets)
        check_changes(changes, kind=run.kind, scan=self._scan)
        return self._change_set(changes, run)

    def restored(self, changes: Sequence[FileChange], run: RunRecord) -> ChangeSet:
        """What the owner of the memory brings back: places, content, sizes and secrets are judged.

        Raises:
            TaskFailedError: the codes of `without_secrets`.
            MemoryFilesError: ``memory_path_refused``, ``memory_document_unreadable``.
        """
        self._refuse_odd_places(changes)
        changes = without_secrets(changes, self._secrets)
        check_restored(changes)
        return self._change_set(changes, run)

    def known(self, changes: Sequence[FileChange], run: RunRecord) -> ChangeSet:
        """What was judged before, as it comes back from the history: paths and places only.

        Raises:
            MemoryFilesError: ``memory_path_refused``.
        """
        check_places(changes)
        self._refuse_odd_places(changes)
        return self._change_set(changes, run)

    def _refuse_odd_places(self, changes: Sequence[FileChange]) -> None:
        for scope in sorted({change.path.scope for change in changes}):
            _refuse_odd_places(self._paths.root(scope), changes)

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

    def _scan(self, scope: Scope) -> Scan:
        return self._scanner.scan(self._paths.root(scope))

    def _stored(self, path: Path) -> str:
        base = self._paths.base
        return str(path.relative_to(base) if path.is_relative_to(base) else path)


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
