"""A journal on disk: what was accepted survives the process, and the machine's fall."""

from __future__ import annotations

import logging
import sqlite3
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from qmemd.errors import RequestError
from qmemd.journal.erasing import erase_texts
from qmemd.journal.interface import (
    KEY_LIFETIME,
    RETAINED,
    RETAINED_BYTES,
    RETAINED_KEYED,
    Accepted,
    Capacity,
    Claim,
    ClaimLostError,
    ErasureIncompleteError,
    IdempotencyKey,
)
from qmemd.journal.opening import begin_anew, damaged, open_database, set_aside_before
from qmemd.journal.rows import BrokenRowError, task_of, values_of
from qmemd.journal.schema import RECOUNT
from qmemd.journal.session_store import SqliteSessionStore
from qmemd.kinds import TaskKind, TaskStatus
from qmemd.results import TaskResult
from qmemd.tasks import Task, TaskFailure

log = logging.getLogger(__name__)

_INSERT = """
INSERT INTO tasks (
    task_id, workspace, kind, status, created_at, updated_at, client_id, context_mode, scope,
    request, outcome, attempts, idempotency_key, fingerprint
) VALUES (
    :task_id, :workspace, :kind, :status, :created_at, :updated_at, :client_id, :context_mode,
    :scope, :request, :outcome, :attempts, :idempotency_key, :fingerprint
)
"""


class SqliteJournal:
    """Implements ``Journal`` over one SQLite file in WAL mode; each change is one commit.

    Safe to call from several threads, and beside another connection to the same file.
    """

    def __init__(
        self,
        path: Path,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        *,
        retained: int = RETAINED,
        retained_keyed: int = RETAINED_KEYED,
        retained_bytes: int = RETAINED_BYTES,
    ) -> None:
        """Opens the file, or makes it.

        Raises:
            SettingsError: it cannot be used.
        """
        self.path = path
        self._clock = clock
        self._retained = retained
        self._retained_keyed = retained_keyed
        self._retained_bytes = retained_bytes
        self._lock = threading.RLock()
        self._connection = open_database(path, clock)
        self._closed = False
        self.sessions = SqliteSessionStore(lambda: self._connection, self._lock)

    def accept(
        self,
        workspace: str,
        task: Task,
        capacity: Capacity,
        idempotency: IdempotencyKey | None = None,
    ) -> Accepted:
        with self._change() as database:
            self._age_keys(database)
            if idempotency is not None:
                known = database.execute(
                    "SELECT * FROM tasks WHERE idempotency_key = ?",
                    (idempotency.key,),
                ).fetchone()
                if known is not None:
                    if known["fingerprint"] != idempotency.fingerprint:
                        raise RequestError("idempotency_mismatch")
                    if (repeated := _readable(database, known)) is not None:
                        return Accepted(repeated, replayed=True)
            _check_capacity(database, workspace, task.kind, capacity)
            values = values_of(task) | {
                "workspace": workspace,
                "idempotency_key": idempotency and idempotency.key,
                "fingerprint": idempotency and idempotency.fingerprint,
            }
            database.execute(_INSERT, values)
            _add(database, "plain" if idempotency is None else "keyed", 1)
            return Accepted(task, replayed=False, evicted=self._evict(database))

    def claim(self, workspace: str, holder: str, lease: timedelta) -> Claim | None:  # noqa: ARG002 — the fence tells holders apart
        with self._change(power_safe=False) as database:
            now = self._clock()
            held = database.execute(
                "SELECT * FROM tasks WHERE workspace = ? AND ended IS NULL AND fence > 0",
                (workspace,),
            ).fetchone()
            if held is not None:
                if datetime.fromisoformat(held["lease_ends"]) > now:
                    return None
                if _readable(database, held) is not None:
                    self._requeue(database, held["task_id"])
            task = self._head(database, workspace)
            if task is None:
                return None
            fence = _next(database, "fence")
            database.execute(
                "UPDATE tasks SET fence = ?, lease_ends = ? WHERE task_id = ?",
                (fence, (now + lease).isoformat(), task.task_id),
            )
            return Claim(task, fence)

    def start(self, claim: Claim) -> Task:
        with self._change(power_safe=False) as database:
            task = self._held(database, claim).running(self._clock())
            self._write(database, task)
            return task

    def finish(self, task_id: str, outcome: TaskResult | TaskFailure, claim: Claim | None) -> Task:
        with self._change() as database:
            row = self._row(database, task_id)
            if row is None:
                raise KeyError(task_id)
            task = task_of(row)
            if task.status.terminal:
                raise ValueError(f"{task_id} has ended already")
            if (0 if claim is None else claim.fence) != row["fence"]:
                raise ClaimLostError(task_id)
            ended = task.finished(outcome, self._clock())
            self._write(database, ended)
            return ended

    def release(self, claim: Claim) -> Task:
        with self._change() as database:
            self._held(database, claim)
            return self._requeue(database, claim.task.task_id)

    def get(self, task_id: str) -> Task | None:
        with self._lock:
            row = self._row(self._connection, task_id)
        return None if row is None else task_of(row)

    def list(
        self, workspace: str, *, kind: TaskKind | None = None, limit: int | None = None
    ) -> tuple[Task, ...]:
        with self._lock:
            rows = self._connection.execute(
                "SELECT * FROM tasks WHERE workspace = ? AND coalesce(kind = ?, true) "
                "ORDER BY number DESC LIMIT ?",
                (workspace, kind, -1 if limit is None else limit),
            ).fetchall()
        return tuple(task_of(row) for row in rows)

    def recover(self, workspace: str) -> tuple[Task, ...]:
        with self._lock:
            try:
                return self._recover(workspace)
            except sqlite3.DatabaseError as error:
                if not damaged(error):
                    raise
                # What a check at the opening does not see, such as an index that is off.
                self._connection.close()
                begin_anew(self.path, self._clock, error)
                self._connection = open_database(self.path, self._clock)
                return ()

    def _recover(self, workspace: str) -> tuple[Task, ...]:
        with self._change() as database:
            rows = database.execute(
                "SELECT * FROM tasks WHERE workspace = ? ORDER BY number",
                (workspace,),
            ).fetchall()
            recovered = []
            for row in rows:
                task = _readable(database, row)
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

        What is still queued stays: it is a new fact. The file is written anew, since pages keep
        bytes of what they held, whatever ``secure_delete`` says: SQLite does not clear the gaps
        when it distributes records over pages.
        """
        with self._lock:
            for path in set_aside_before(self.path):
                path.unlink(missing_ok=True)
            try:
                with self._change() as database:
                    rewritten = erase_texts(database, texts)
                self._connection.execute("VACUUM")
                busy, *_ = self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            except sqlite3.OperationalError as error:
                raise ErasureIncompleteError(str(error)) from error
            if busy:
                raise ErasureIncompleteError("another connection reads it")
            return tuple(task for task_id in rewritten if (task := self.get(task_id)))

    def close(self) -> None:
        with self._lock:
            if self._closed:
                return
            self._closed = True
            try:
                self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            except sqlite3.Error:
                log.warning("the journal could not be tidied up", exc_info=True)
            finally:
                self._connection.close()

    @contextmanager
    def _change(self, *, power_safe: bool = True) -> Iterator[sqlite3.Connection]:
        """One transaction: all of it is on disk at the end, or nothing.

        Without ``power_safe`` it is the system's to write, which outlives this process but not a
        power cut: then the task was never begun, and begins anew.
        """
        with self._lock:
            self._connection.execute(f"PRAGMA synchronous = {'FULL' if power_safe else 'NORMAL'}")
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def _head(self, database: sqlite3.Connection, workspace: str) -> Task | None:
        """The oldest pending task of the workspace that can be read."""
        while True:
            row = database.execute(
                "SELECT * FROM tasks WHERE workspace = ? AND ended IS NULL ORDER BY number LIMIT 1",
                (workspace,),
            ).fetchone()
            if row is None or (task := _readable(database, row)) is not None:
                return None if row is None else task

    def _row(self, database: sqlite3.Connection, task_id: str) -> sqlite3.Row | None:
        found: sqlite3.Row | None = database.execute(
            "SELECT * FROM tasks WHERE task_id = ?", (task_id,)
        ).fetchone()
        return found

    def _held(self, database: sqlite3.Connection, claim: Claim) -> Task:
        row = self._row(database, claim.task.task_id)
        if row is None or row["fence"] != claim.fence:
            raise ClaimLostError(claim.task.task_id)
        return task_of(row)

    def _requeue(self, database: sqlite3.Connection, task_id: str) -> Task:
        """Takes a claim away. The queue's order is that of acceptance, so it is first again."""
        row = self._row(database, task_id)
        assert row is not None  # noqa: S101 — it was just read in this transaction
        task = task_of(row)
        if task.status is TaskStatus.RUNNING:
            task = task.requeued(self._clock())
        database.execute(
            "UPDATE tasks SET fence = 0, lease_ends = NULL, status = ?, updated_at = ? "
            "WHERE task_id = ?",
            (task.status.value, task.updated_at.isoformat(), task_id),
        )
        return task

    def _write(self, database: sqlite3.Connection, task: Task) -> None:
        values = values_of(task)
        size = 0 if values["outcome"] is None or task.error else len(values["outcome"].encode())
        database.execute(
            "UPDATE tasks SET status = :status, updated_at = :updated_at, request = :request, "
            "outcome = :outcome, attempts = :attempts WHERE task_id = :task_id",
            values,
        )
        if task.status.terminal:
            database.execute(
                "UPDATE tasks SET fence = 0, lease_ends = NULL, ended = ?, size = ? "
                "WHERE task_id = ?",
                (_next(database, "ended"), size, task.task_id),
            )
            database.execute("UPDATE counters SET value = value + ? WHERE name = 'bytes'", (size,))

    def _age_keys(self, database: sqlite3.Connection) -> None:
        """Keys lose their force after a day, or when there are too many."""
        horizon = self._clock() - KEY_LIFETIME
        keyed = _value(database, "keyed")
        while keyed:
            oldest = database.execute(
                "SELECT number, created_at FROM tasks WHERE idempotency_key IS NOT NULL "
                "ORDER BY number LIMIT 1"
            ).fetchone()
            if oldest is None or (
                datetime.fromisoformat(oldest["created_at"]) > horizon
                and keyed <= self._retained_keyed
            ):
                return
            database.execute(
                "UPDATE tasks SET idempotency_key = NULL, fingerprint = NULL WHERE number = ?",
                (oldest["number"],),
            )
            _add(database, "keyed", -1)
            _add(database, "plain", 1)
            keyed -= 1

    def _evict(self, database: sqlite3.Connection) -> tuple[str, ...]:
        """The oldest ended records go while there are too many, or too large ones."""
        records, size = _value(database, "plain"), _value(database, "bytes")
        evicted: list[str] = []
        while records > self._retained or size > self._retained_bytes:
            row = database.execute(
                "SELECT task_id, number, size FROM tasks "
                "WHERE ended IS NOT NULL AND idempotency_key IS NULL ORDER BY ended LIMIT 1"
            ).fetchone()
            if row is None:
                break
            database.execute("DELETE FROM tasks WHERE number = ?", (row["number"],))
            records, size = records - 1, size - row["size"]
            evicted.append(row["task_id"])
            _add(database, "plain", -1)
            _add(database, "bytes", -row["size"])
        return tuple(evicted)


def _check_capacity(
    database: sqlite3.Connection, workspace: str, kind: TaskKind, capacity: Capacity
) -> None:
    pending, compacting = database.execute(
        "SELECT count(*), coalesce(sum(kind != ?), 0) FROM tasks "
        "WHERE workspace = ? AND ended IS NULL",
        (TaskKind.REMEMBER, workspace),
    ).fetchone()
    if pending >= capacity.total or (
        kind is not TaskKind.REMEMBER and compacting >= capacity.compacting
    ):
        raise RequestError("remember_queue_full")


def _readable(database: sqlite3.Connection, row: sqlite3.Row) -> Task | None:
    """The task of a row; None when the row is broken, which is then dropped."""
    try:
        return task_of(row)
    except BrokenRowError as error:
        log.error("a record of the journal is broken and dropped: %s", error)  # noqa: TRY400 — no fault of ours
    database.execute("DELETE FROM tasks WHERE number = ?", (row["number"],))
    _add(database, "plain" if row["idempotency_key"] is None else "keyed", -1)
    _add(database, "bytes", -row["size"])
    return None


def _value(database: sqlite3.Connection, counter: str) -> int:
    (value,) = database.execute("SELECT value FROM counters WHERE name = ?", (counter,)).fetchone()
    number: int = value
    return number


def _add(database: sqlite3.Connection, counter: str, by: int) -> None:
    database.execute("UPDATE counters SET value = value + ? WHERE name = ?", (by, counter))


def _next(database: sqlite3.Connection, counter: str) -> int:
    (value,) = database.execute(
        "UPDATE counters SET value = value + 1 WHERE name = ? RETURNING value", (counter,)
    ).fetchone()
    number: int = value
    return number
