"""A journal on disk: what was accepted survives the process, and the machine's fall."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection
from datetime import UTC, datetime, timedelta
from pathlib import Path

from qmemd.errors import RequestError
from qmemd.journal.counters import next_of
from qmemd.journal.database import JournalDatabase
from qmemd.journal.interface import (
    Accepted,
    Capacity,
    Claim,
    ClaimLostError,
    IdempotencyKey,
    Retention,
)
from qmemd.journal.opening import damaged
from qmemd.journal.records import (
    check_capacity,
    head,
    held,
    insert,
    readable,
    requeue,
    row_of,
    write,
)
from qmemd.journal.retention import age_keys, evict
from qmemd.journal.rows import task_of, values_of
from qmemd.journal.schema import RECOUNT
from qmemd.journal.session_store import SqliteSessionStore
from qmemd.kinds import TaskKind, TaskStatus
from qmemd.results import TaskResult
from qmemd.tasks import Task, TaskFailure


class SqliteJournal:
    """Implements ``Journal`` over one SQLite file in WAL mode; each change is one commit.

    Safe to call from several threads, and beside another connection to the same file.
    """

    def __init__(
        self,
        path: Path,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        *,
        retention: Retention | None = None,
    ) -> None:
        """Opens the file, or makes it.

        Raises:
            SettingsError: it cannot be used.
        """
        self.path = path
        self._clock = clock
        self._retention = retention or Retention()
        self._database = JournalDatabase(path, clock)
        self.sessions = SqliteSessionStore(lambda: self._database.connection, self._database.lock)

    def accept(
        self,
        workspace: str,
        task: Task,
        capacity: Capacity,
        idempotency: IdempotencyKey | None = None,
    ) -> Accepted:
        with self._database.change() as database:
            age_keys(database, self._retention, self._clock())
            if idempotency is not None:
                known = database.execute(
                    "SELECT * FROM tasks WHERE idempotency_key = ?",
                    (idempotency.key,),
                ).fetchone()
                if known is not None:
                    if known["fingerprint"] != idempotency.fingerprint:
                        raise RequestError("idempotency_mismatch")
                    if (repeated := readable(database, known)) is not None:
                        return Accepted(repeated, replayed=True)
            check_capacity(database, workspace, task.kind, capacity)
            values = values_of(task) | {
                "workspace": workspace,
                "idempotency_key": idempotency and idempotency.key,
                "fingerprint": idempotency and idempotency.fingerprint,
            }
            insert(database, values)
            return Accepted(task, replayed=False, evicted=evict(database, self._retention))

    def claim(self, workspace: str, holder: str, lease: timedelta) -> Claim | None:  # noqa: ARG002 — the fence tells holders apart
        with self._database.change(power_safe=False) as database:
            now = self._clock()
            claimed = database.execute(
                "SELECT * FROM tasks WHERE workspace = ? AND ended IS NULL AND fence > 0",
                (workspace,),
            ).fetchone()
            if claimed is not None:
                if datetime.fromisoformat(claimed["lease_ends"]) > now:
                    return None
                if readable(database, claimed) is not None:
                    self._requeue(database, claimed["task_id"])
            task = head(database, workspace)
            if task is None:
                return None
            fence = next_of(database, "fence")
            database.execute(
                "UPDATE tasks SET fence = ?, lease_ends = ? WHERE task_id = ?",
                (fence, (now + lease).isoformat(), task.task_id),
            )
            return Claim(task, fence)

    def start(self, claim: Claim) -> Task:
        with self._database.change(power_safe=False) as database:
            task = held(database, claim).running(self._clock())
            write(database, task)
            return task

    def finish(self, task_id: str, outcome: TaskResult | TaskFailure, claim: Claim | None) -> Task:
        with self._database.change() as database:
            row = row_of(database, task_id)
            if row is None:
                raise KeyError(task_id)
            task = task_of(row)
            if task.status.terminal:
                raise ValueError(f"{task_id} has ended already")
            if (0 if claim is None else claim.fence) != row["fence"]:
                raise ClaimLostError(task_id)
            ended = task.finished(outcome, self._clock())
            write(database, ended)
            return ended

    def release(self, claim: Claim) -> Task:
        with self._database.change() as database:
            held(database, claim)
            return self._requeue(database, claim.task.task_id)

    def get(self, task_id: str) -> Task | None:
        with self._database.lock:
            row = row_of(self._database.connection, task_id)
        return None if row is None else task_of(row)

    def list(
        self, workspace: str, *, kind: TaskKind | None = None, limit: int | None = None
    ) -> tuple[Task, ...]:
        with self._database.lock:
            rows = self._database.connection.execute(
                "SELECT * FROM tasks WHERE workspace = ? AND coalesce(kind = ?, true) "
                "ORDER BY number DESC LIMIT ?",
                (workspace, kind, -1 if limit is None else limit),
            ).fetchall()
        return tuple(task_of(row) for row in rows)

    def recover(self, workspace: str) -> tuple[Task, ...]:
        with self._database.lock:
            try:
                return self._recover(workspace)
            except sqlite3.DatabaseError as error:
                if not damaged(error):
                    raise
                # What a check at the opening does not see, such as an index that is off.
                self._database.begin_anew(error)
                return ()

    def _recover(self, workspace: str) -> tuple[Task, ...]:
        with self._database.change() as database:
            rows = database.execute(
                "SELECT * FROM tasks WHERE workspace = ? ORDER BY number",
                (workspace,),
            ).fetchall()
            recovered = []
            for row in rows:
                task = readable(database, row)
                if task is None:
                    continue
                if row["fence"] or task.status is TaskStatus.RUNNING:
                    task = self._requeue(database, task.task_id)
                recovered.append(task)
            for statement in RECOUNT:
                database.execute(statement)
            return tuple(recovered)

    def erase(self, texts: Collection[str]) -> tuple[Task, ...]:
        """Removes these texts from every record that has ended, and from the files beside it.

        What is still queued stays: it is a new fact.
        """
        rewritten = self._database.erase(texts)
        return tuple(task for task_id in rewritten if (task := self.get(task_id)))

    def close(self) -> None:
        self._database.close()

    def _requeue(self, database: sqlite3.Connection, task_id: str) -> Task:
        return requeue(database, task_id, self._clock())
