"""Documents come in as change sets, each applied as a whole, listed in the history, undoable."""

from __future__ import annotations

import errno
import uuid
from collections.abc import Callable, Sequence
from datetime import datetime

from qmemd.errors import MemoryFilesError, TaskFailedError
from qmemd.kinds import TaskKind
from qmemd.memory.changes import ChangeSet
from qmemd.memory.commit import Committer
from qmemd.memory.history import History
from qmemd.memory.paths import MemoryPaths
from qmemd.memory.proposals import RunRecord
from qmemd.memory.scan import Scanner
from qmemd.memory.secrets import SecretPolicy
from qmemd.porting.placing import Placed
from qmemd.results import RememberResult

MAX_BATCH = 500
"""Documents of one change set."""
MAX_BATCH_BYTES = 8 << 20
"""Bytes of them; the history holds each change set as one file."""

_OF_ALL_DOCUMENTS = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO, errno.EMFILE, errno.ENFILE)


class Committing:
    """Commits batches of new documents for one workspace, under the locks of its memory."""

    def __init__(
        self,
        paths: MemoryPaths,
        *,
        clock: Callable[[], datetime],
        lock_timeout: float,
        goes_on: Callable[[], bool],
    ) -> None:
        """``goes_on`` is asked while waiting for a lock, and last: see ``Committer.commit``."""
        self._paths = paths
        self._goes_on = goes_on
        self._committer = Committer(
            paths,
            History(paths.history),
            scanner=Scanner(),
            clock=clock,
            new_id=lambda: str(uuid.uuid4()),
            secrets=SecretPolicy.ALLOW,  # each was judged when it was placed; it takes its time
            lock_timeout=lock_timeout,
        )

    def commit(self, batch: Sequence[Placed]) -> str:
        """All of them or none; the change set's id.

        Raises:
            TaskFailedError: nothing was changed.
        """
        record = RunRecord(
            task_id=f"import-{uuid.uuid4()}",
            kind=TaskKind.REMEMBER,  # what readers of the history know: documents came in
            client_id=None,
            workspace=str(self._paths.workspace),
        )
        done = self._committer.restore(
            [one.change for one in batch], record, result=self._result, may_commit=self._goes_on
        )
        return done.change_set_id

    def settle(self) -> None:
        """Finishes what an import or a run that died left half done, before anything is compared.

        Raises:
            MemoryFilesError: ``memory_locked`` when another process holds the locks on.
            OSError: the system refuses.
        """
        self._committer.settle()

    def rebuild_indexes(self) -> None:
        """In the order of the times that were restored."""
        self._committer.rebuild_indexes()

    def _result(self, done: ChangeSet) -> dict[str, object]:
        count = len(done.files)
        return RememberResult(
            summary=f"Imported {count} document{'' if count == 1 else 's'}.",
            files_touched=tuple(
                str(self._paths.root(one.path.scope).path / one.path.relative) for one in done.files
            ),
            touched_scopes=done.touched_scopes,
            change_set_id=done.change_set_id,
        ).to_wire()


def is_of_one_document(failure: TaskFailedError) -> bool:
    """Whether other documents may fare better than the one that made a batch fail."""
    cause = failure.__cause__
    if isinstance(cause, MemoryFilesError):
        return cause.code != "memory_locked"
    return not isinstance(cause, OSError) or cause.errno not in _OF_ALL_DOCUMENTS


def reason_of(failure: TaskFailedError) -> str:
    """Why a batch failed, as a sentence. The details of a conflict are nothing but paths."""
    if failure.code == "change_conflict":
        return failure.message
    return failure.details or failure.message
