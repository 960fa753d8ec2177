"""A journal that lives as long as its process."""

from __future__ import annotations

import itertools
import threading
from collections import OrderedDict
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from qmemd.erasure import holds, without
from qmemd.errors import RequestError
from qmemd.journal.fingerprints import fingerprints_of
from qmemd.journal.interface import (
    KEY_LIFETIME,
    Accepted,
    Capacity,
    Claim,
    ClaimLostError,
    IdempotencyKey,
    Retention,
)
from qmemd.journal.session_store import NoSessionStore, SessionStore
from qmemd.kinds import TaskKind, TaskStatus
from qmemd.results import TaskResult, result_from_wire
from qmemd.tasks import Task, TaskFailure, to_json


@dataclass(slots=True)
class _Record:
    workspace: str
    task: Task
    key: IdempotencyKey | None = None
    fence: int = 0
    """Of the claim in force; 0 when there is none."""
    lease_ends: datetime | None = None
    size: int = 0
    """About how many bytes its result holds."""


class _Line:
    """The pending tasks of one workspace, counted so that nobody has to scan."""

    def __init__(self) -> None:
        self.queued: OrderedDict[str, None] = OrderedDict()
        self.claimed: str | None = None
        self.pending = 0
        self.compacting = 0

    def count(self, kind: TaskKind, by: int) -> None:
        self.pending += by
        if kind is not TaskKind.REMEMBER:
            self.compacting += by


class InMemoryJournal:
    """Implements ``Journal``. Every method costs O(1), amortised, but ``list`` and ``recover``.

    Safe to call from several threads.
    """

    def __init__(
        self,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        *,
        retention: Retention | None = None,
    ) -> None:
        self._clock = clock
        self.sessions: SessionStore = NoSessionStore()
        self._retention = retention or Retention()
        self._bytes = 0
        """About how much the results of all records hold."""
        self._lock = threading.Lock()
        self._numbers = itertools.count(1)
        self._records: dict[str, _Record] = {}
        self._lines: dict[str, _Line] = {}
        self._keyed: OrderedDict[str, str] = OrderedDict()
        """Idempotency key → task id, oldest first."""
        self._terminal: OrderedDict[str, None] = OrderedDict()
        """Ids of terminal records without a young key, in the order in which they ended."""

    def accept(
        self,
        workspace: str,
        task: Task,
        capacity: Capacity,
        idempotency: IdempotencyKey | None = None,
    ) -> Accepted:
        with self._lock:
            self._age_keys()
            if idempotency and (known := self._keyed.get(idempotency.key)):
                record = self._records[known]
                if record.key and record.key.fingerprint != idempotency.fingerprint:
                    raise RequestError("idempotency_mismatch")
                return Accepted(record.task, replayed=True)
            line = self._lines.setdefault(workspace, _Line())
            compacting = task.kind is not TaskKind.REMEMBER
            if line.pending >= capacity.total or (
                compacting and line.compacting >= capacity.compacting
            ):
                raise RequestError("remember_queue_full")
            self._records[task.task_id] = _Record(workspace, task, idempotency)
            if idempotency:
                self._keyed[idempotency.key] = task.task_id
            line.queued[task.task_id] = None
            line.count(task.kind, +1)
            return Accepted(task, replayed=False, evicted=self._evict())

    def claim(self, workspace: str, holder: str, lease: timedelta) -> Claim | None:  # noqa: ARG002 — the store has one holder
        with self._lock:
            line = self._lines.get(workspace)
            now = self._clock()
            if line is None:
                return None
            if line.claimed is not None:
                ends = self._records[line.claimed].lease_ends
                if ends is None or ends > now:
                    return None
                self._requeue(self._records[line.claimed])
            if not line.queued:
                return None
            task_id, _ = line.queued.popitem(last=False)
            record = self._records[task_id]
            record.fence = next(self._numbers)
            record.lease_ends = now + lease
            line.claimed = task_id
            return Claim(record.task, record.fence)

    def start(self, claim: Claim) -> Task:
        with self._lock:
            record = self._held(claim)
            record.task = record.task.running(self._clock())
            return record.task

    def finish(self, task_id: str, outcome: TaskResult | TaskFailure, claim: Claim | None) -> Task:
        with self._lock:
            record = self._records[task_id]
            line = self._lines[record.workspace]
            if record.task.status.terminal:
                raise ValueError(f"{task_id} has ended already")
            if claim is not None:
                self._held(claim)
                line.claimed = None
            elif record.fence:
                raise ClaimLostError(task_id)
            else:
                del line.queued[task_id]
            record.fence, record.lease_ends = 0, None
            record.task = record.task.finished(outcome, self._clock())
            record.size = _size(outcome)
            self._bytes += record.size
            line.count(record.task.kind, -1)
            if record.key is None:
                self._terminal[task_id] = None
            return record.task

    def release(self, claim: Claim) -> Task:
        with self._lock:
            record = self._held(claim)
            self._requeue(record)
            return record.task

    def get(self, task_id: str) -> Task | None:
        record = self._records.get(task_id)
        return record.task if record else None

    def list(
        self, workspace: str, *, kind: TaskKind | None = None, limit: int | None = None
    ) -> tuple[Task, ...]:
        with self._lock:
            found = [
                record.task
                for record in reversed(self._records.values())
                if record.workspace == workspace and (kind is None or record.task.kind is kind)
            ]
        return tuple(found[:limit])

    def recover(self, workspace: str) -> tuple[Task, ...]:
        with self._lock:
            line = self._lines.get(workspace)
            if line is not None and line.claimed is not None:
                self._requeue(self._records[line.claimed])
            return tuple(
                record.task for record in self._records.values() if record.workspace == workspace
            )

    def erase(self, texts: Collection[str]) -> tuple[Task, ...]:
        texts = [text for text in texts if text]
        telling = fingerprints_of(texts)
        rewritten: list[Task] = []
        with self._lock:
            for task_id, record in self._records.items():
                before = task = record.task
                key = record.key
                if not task.status.terminal:
                    continue
                if task.result is not None:
                    cleaned = without(texts, task.result.to_wire())
                    record.task = replace(task, result=result_from_wire(task.kind, cleaned))
                elif task.error is not None and task.error.details:
                    details = without(texts, task.error.details)
                    record.task = replace(task, error=replace(task.error, details=details))
                if record.task != before:
                    rewritten.append(record.task)
                if key and (key.fingerprint in telling or holds(key.key, texts)):
                    del self._keyed[key.key]
                    record.key = None
                    self._terminal[task_id] = None
        return tuple(rewritten)

    def close(self) -> None:
        """Nothing to release: the records stay readable."""

    def _held(self, claim: Claim) -> _Record:
        record = self._records.get(claim.task.task_id)
        if record is None or record.fence != claim.fence:
            raise ClaimLostError(claim.task.task_id)
        return record

    def _requeue(self, record: _Record) -> None:
        line = self._lines[record.workspace]
        line.claimed = None
        record.fence, record.lease_ends = 0, None
        if record.task.status is TaskStatus.RUNNING:
            record.task = record.task.requeued(self._clock())
        line.queued[record.task.task_id] = None
        line.queued.move_to_end(record.task.task_id, last=False)

    def _age_keys(self) -> None:
        """Keys lose their force after a day, or when there are too many."""
        horizon = self._clock() - KEY_LIFETIME
        while self._keyed:
            key, task_id = next(iter(self._keyed.items()))
            record = self._records[task_id]
            if record.task.created_at > horizon and len(self._keyed) <= self._retention.keyed:
                return
            del self._keyed[key]
            record.key = None
            if record.task.status.terminal:
                self._terminal[task_id] = None

    def _evict(self) -> tuple[str, ...]:
        """See ``retention.evict``."""
        evicted: list[str] = []
        while True:
            if self._bytes > self._retention.size:
                oldest = self._oldest_large()
            elif len(self._records) - len(self._keyed) > self._retention.records:
                oldest = next(iter(self._terminal), None)
            else:
                return tuple(evicted)
            if oldest is None:
                return tuple(evicted)
            record = self._records.pop(oldest)
            self._terminal.pop(oldest, None)
            if record.key is not None:
                del self._keyed[record.key.key]
            self._bytes -= record.size
            evicted.append(oldest)

    def _oldest_large(self) -> str | None:
        """The record with a result that ended first; looked for only while there is too much."""
        ended = (
            (record.task.updated_at, task_id)
            for task_id, record in self._records.items()
            if record.size and record.task.status.terminal
        )
        return min(ended, default=(None, None))[1]


def _size(outcome: TaskResult | TaskFailure) -> int:
    return 0 if isinstance(outcome, TaskFailure) else len(to_json(outcome.to_wire()))
