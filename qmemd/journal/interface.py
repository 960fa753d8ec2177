"""What a journal promises: where tasks live from their acceptance to their end.

The lane is its only writer and works only through this interface. An implementation may keep the
tasks in memory or on disk, for one daemon or for several that share a store: a task is worked on
only under a *claim*, whose fencing number makes the words of a holder that lost it harmless.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol

from qmemd.errors import QmemdError
from qmemd.journal.session_store import SessionStore
from qmemd.kinds import TaskKind
from qmemd.results import TaskResult
from qmemd.tasks import MAX_COMPACTING, MAX_PENDING, Task, TaskFailure

RETAINED = 1_000
"""Records kept; the oldest terminal ones go first, queued and running ones never."""
RETAINED_BYTES = 64 * 2**20
"""Of results; a child may report much. The oldest terminal records go first, keyed or not."""
RETAINED_KEYED = 10_000
"""Records with a young idempotency key, kept beyond the others."""
KEY_LIFETIME = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class Retention:
    """How much is kept of tasks that have ended."""

    records: int = RETAINED
    keyed: int = RETAINED_KEYED
    size: int = RETAINED_BYTES


@dataclass(frozen=True, slots=True)
class Capacity:
    """How many tasks may be pending (queued and running) in one workspace."""

    total: int = MAX_PENDING
    compacting: int = MAX_COMPACTING
    """Of these, forget and dream together."""


@dataclass(frozen=True, slots=True)
class IdempotencyKey:
    """Says that two requests are meant to be one."""

    key: str
    """Already scoped by client id and kind."""
    fingerprint: str
    """Digest of the validated fields; the same key with another one is a mistake."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """The answer to ``accept``."""

    task: Task
    """The new task, or the present state of the one that the key named before."""
    replayed: bool
    evicted: tuple[str, ...] = ()
    """Ids of old records that went to make room."""


@dataclass(frozen=True, slots=True)
class Claim:
    """The right to run one task until the lease ends."""

    task: Task
    fence: int
    """Grows with every claim of this journal; a lower one has lost its right."""


class ClaimLostError(QmemdError):
    """The claim is not in force any more: its lease ended and another holder took the task."""

    def __init__(self, task_id: str) -> None:
        super().__init__("claim_lost", f"the claim on {task_id} is not in force any more")


class ErasureIncompleteError(QmemdError):
    """The texts, or old bytes of them, may be left in the store."""

    def __init__(self, why: str) -> None:
        super().__init__("erasure_incomplete", f"the journal could not be cleaned: {why}")


class Journal(Protocol):
    """The interface. All methods are short; none waits for anything but its own store."""

    @property
    def sessions(self) -> SessionStore:
        """Where the sessions of the same daemons are kept; it survives if tasks do."""

    def accept(
        self,
        workspace: str,
        task: Task,
        capacity: Capacity,
        idempotency: IdempotencyKey | None = None,
    ) -> Accepted:
        """Takes a queued task in, durably as far as this journal goes, before it returns.

        The key is looked at first, so that a repeated request gets its task even when the
        queue is full.

        Raises:
            RequestError: ``idempotency_mismatch`` or ``remember_queue_full``.
        """

    def claim(self, workspace: str, holder: str, lease: timedelta) -> Claim | None:
        """The oldest queued task of the workspace, or None.

        Also None while another task of the workspace is under a claim that has not ended: one
        task at a time is the journal's promise too. A claim whose lease ended is given anew.
        """

    def start(self, claim: Claim) -> Task:
        """The claimed task begins to run. Raises ClaimLostError."""

    def finish(self, task_id: str, outcome: TaskResult | TaskFailure, claim: Claim | None) -> Task:
        """The task is terminal now and its text is forgotten.

        ``claim`` is None only for a task that nobody claimed (refused or cancelled while
        queued). Raises ClaimLostError when the claim is not in force, KeyError for an unknown
        id, and ValueError for a terminal task.
        """

    def release(self, claim: Claim) -> Task:
        """The claimed task goes back to queued, first in line. Raises ClaimLostError."""

    def get(self, task_id: str) -> Task | None:
        """The present snapshot."""

    def list(
        self, workspace: str, *, kind: TaskKind | None = None, limit: int | None = None
    ) -> tuple[Task, ...]:
        """Newest first."""

    def recover(self, workspace: str) -> tuple[Task, ...]:
        """Called once by a new holder of the workspace, before it claims anything.

        Claims of earlier holders end and running tasks are queued again, in their old order and
        with their attempts counted. Returns every record, oldest first.
        """

    def erase(self, texts: Collection[str]) -> tuple[Task, ...]:
        """Removes every trace of these texts from the records that have ended.

        Returns those that say something else now.

        A string that holds one of them becomes ``[erased]``; keys of idempotency go that hold
        one, or whose fingerprint would let a guess be confirmed. What is pending stays: it is a
        new fact.

        Raises:
            ErasureIncompleteError: another user of the store is in the way, or its disk is full;
                may be called again.
        """

    def close(self) -> None:
        """Releases what the journal holds; idempotent."""
