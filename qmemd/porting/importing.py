"""Importing: documents through change sets, facts through the daemon, and a report of both."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from qmemd.errors import TaskFailedError
from qmemd.kinds import Scope
from qmemd.memory.locked import LOCK_TIMEOUT
from qmemd.memory.paths import MemoryPaths
from qmemd.memory.secrets import SecretPolicy
from qmemd.porting.committing import (
    MAX_BATCH,
    MAX_BATCH_BYTES,
    Committing,
    is_of_one_document,
    reason_of,
)
from qmemd.porting.known import Known
from qmemd.porting.placing import Placed, Placing, RefusedError, TakenError
from qmemd.porting.records import ReadDocument, ReadFact, Source
from qmemd.porting.remembering import Remember, Remembering
from qmemd.porting.report import Item, Report
from qmemd.porting.times import restore_time

Advance = Callable[[int, int | None], object]
"""Told how many items are done, and of how many, if that is known."""


class Import:
    """One import into the memory of one workspace."""

    def __init__(
        self,
        paths: MemoryPaths,
        *,
        policy: SecretPolicy,
        clock: Callable[[], datetime],
        remember: Remember | None,
        scope: Scope | None = None,
        lock_timeout: float = LOCK_TIMEOUT,
        advance: Advance = lambda _done, _all: None,
        goes_on: Callable[[], bool] = lambda: True,
    ) -> None:
        """Without ``remember`` it is a dry run: nothing is written. ``scope`` is that of facts.

        Once ``goes_on`` says no, it ends before the next item, and so does a wait for a lock.
        """
        self._paths = paths
        self._placing = Placing(paths, policy)
        self._committing = Committing(
            paths, clock=clock, lock_timeout=lock_timeout, goes_on=goes_on
        )
        self._remembering = Remembering(Known(paths.roots), policy, scope, remember)
        self._dry = remember is None
        self._advance = advance
        self._goes_on = goes_on
        self._batch: list[Placed] = []
        self._size = 0
        self._reordered = False
        self.report = Report()

    def run(self, source: Source) -> Report:
        """Takes in what it can; the report says the rest. Can be begun again after any end.

        Raises:
            MemoryFilesError: ``memory_locked``, and something that was left half done waits for it.
            OSError: the system refuses to finish that.
        """
        if not self._dry:
            self._committing.settle()
        try:
            for done, read in enumerate(source.items, 1):
                if not self._goes_on():
                    self.report.interrupted = True
                    break
                if isinstance(read, ReadDocument):
                    self._document(read)
                elif isinstance(read, ReadFact):
                    self._remembering.take(read, self.report)
                else:
                    self._skip(read.where, read.reason)
                self._advance(done, source.count)
            self._flush()
        finally:
            if self._reordered:
                self._committing.rebuild_indexes()
        return self.report

    def _document(self, read: ReadDocument) -> None:
        try:
            placed = self._placing.place(read)
        except RefusedError as error:
            self._skip(read.where, str(error))
        except TakenError as error:
            self.report.conflicts.append(Item(read.where, str(error)))
        else:
            if placed is None:
                self.report.present.append(Item(read.where, read.where))
                # As after an import that was killed before it came to the times.
                self._restore_time(read, read.content, only_back=True)
                return
            self._batch.append(placed)
            self._size += len(read.content)
            if len(self._batch) == MAX_BATCH or self._size > MAX_BATCH_BYTES:
                self._flush()

    def _flush(self) -> None:
        batch, self._batch, self._size = self._batch, [], 0
        if self._dry:
            self._added(batch)
        elif batch:
            self._commit(batch)

    def _commit(self, batch: Sequence[Placed]) -> None:
        """One that cannot come in must not keep the others out: a batch that fails is halved."""
        try:
            change_set = self._committing.commit(batch)
        except TaskFailedError as failure:
            if failure.code == "task_cancelled":
                self.report.interrupted = True
                return
            middle = len(batch) // 2
            if middle and is_of_one_document(failure):
                self._commit(batch[:middle])
                self._commit(batch[middle:])
                return
            for one in batch:
                self._skip(one.read.where, reason_of(failure))
            return
        self._added(batch)
        for one in batch:
            self._restore_time(one.read, one.change.after, only_back=False)
        self.report.change_sets.append(change_set)

    def _restore_time(self, read: ReadDocument, content: bytes | None, *, only_back: bool) -> None:
        if self._dry or content is None or read.modified_ns is None:
            return
        path = self._paths.root(read.scope).path / read.relative
        if restore_time(path, content, read.modified_ns, only_back=only_back):
            self._reordered = True

    def _added(self, batch: Sequence[Placed]) -> None:
        self.report.added.extend(Item(one.read.where, one.read.where) for one in batch)

    def _skip(self, where: str, reason: str) -> None:
        self.report.skipped.append(Item(where, reason))
