"""What runs left that died: finished or put back, and told as what it was."""

from __future__ import annotations

import logging

from qmemd.errors import MemoryFilesError
from qmemd.memory.commit import Committer
from qmemd.memory.history import History
from qmemd.results import ERASED_TEXTS, TaskResult, result_from_wire

log = logging.getLogger(__name__)


class Settling:
    """Speaks for the history to those who ask what became of a task."""

    def __init__(self, committer: Committer, history: History) -> None:
        self._committer = committer
        self._history = history

    def settle_all(self) -> None:
        """Finishes or puts back whatever is half-done."""
        try:
            self._committer.settle()
        except MemoryFilesError as error:  # another workspace's commit is at it; it settles too
            log.warning("what an earlier run left open is not settled yet: %s", error)

    def applied(self, task_id: str) -> TaskResult | None:
        """The result of a task whose change set was applied, whatever became of its run.

        Raises:
            MemoryFilesError: ``memory_locked``, another process is at the memory.
        """
        change_set = self._committer.settle_task(task_id)
        if change_set is None:
            return None
        wire = dict(change_set.result)
        if owed := self._history.owed.of_task(task_id):
            wire[ERASED_TEXTS] = list(owed)
        return result_from_wire(change_set.kind, wire)
