"""Tasks as rows of the journal: reading, writing, and taking back. All within a transaction."""

from __future__ import annotations

import logging
import sqlite3
from datetime import datetime
from typing import Any

from qmemd.errors import RequestError
from qmemd.journal.counters import add_to, next_of
from qmemd.journal.interface import Capacity, Claim, ClaimLostError
from qmemd.journal.rows import BrokenRowError, task_of, values_of
from qmemd.kinds import TaskKind, TaskStatus
from qmemd.tasks import Task

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


def check_capacity(
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


def insert(database: sqlite3.Connection, values: dict[str, Any]) -> None:
    """Adds a record; see ``values_of``."""
    database.execute(_INSERT, values)
    add_to(database, "plain" if values["idempotency_key"] is None else "keyed", 1)


def readable(database: sqlite3.Connection, row: sqlite3.Row) -> Task | None:
    """The task of a row; None when the row is broken, which is then dropped."""
    try:
        return task_of(row)
    except BrokenRowError as error:
        log.error("a record of the journal is broken and dropped: %s", error)  # noqa: TRY400 — no fault of ours
    database.execute("DELETE FROM tasks WHERE number = ?", (row["number"],))
    add_to(database, "plain" if row["idempotency_key"] is None else "keyed", -1)
    add_to(database, "bytes", -row["size"])
    return None


def head(database: sqlite3.Connection, workspace: str) -> Task | None:
    """The oldest pending task of the workspace that can be read."""
    while True:
        row = database.execute(
            "SELECT * FROM tasks WHERE workspace = ? AND ended IS NULL ORDER BY number LIMIT 1",
            (workspace,),
        ).fetchone()
        if row is None or (task := readable(database, row)) is not None:
            return None if row is None else task


def row_of(database: sqlite3.Connection, task_id: str) -> sqlite3.Row | None:
    found: sqlite3.Row | None = database.execute(
        "SELECT * FROM tasks WHERE task_id = ?", (task_id,)
    ).fetchone()
    return found


def held(database: sqlite3.Connection, claim: Claim) -> Task:
    row = row_of(database, claim.task.task_id)
    if row is None or row["fence"] != claim.fence:
        raise ClaimLostError(claim.task.task_id)
    return task_of(row)


def requeue(database: sqlite3.Connection, task_id: str, now: datetime) -> Task:
    """Takes a claim away. The queue's order is that of acceptance, so it is first again."""
    row = row_of(database, task_id)
    assert row is not None  # noqa: S101 — it was just read in this transaction
    task = task_of(row)
    if task.status is TaskStatus.RUNNING:
        task = task.requeued(now)
    database.execute(
        "UPDATE tasks SET fence = 0, lease_ends = NULL, status = ?, updated_at = ? "
        "WHERE task_id = ?",
        (task.status.value, task.updated_at.isoformat(), task_id),
    )
    return task


def write(database: sqlite3.Connection, task: Task) -> None:
    values = values_of(task)
    size = 0 if values["outcome"] is None or task.error else len(values["outcome"].encode())
    database.execute(
        "UPDATE tasks SET status = :status, updated_at = :updated_at, request = :request, "
        "outcome = :outcome, attempts = :attempts WHERE task_id = :task_id",
        values,
    )
    if task.status.terminal:
        database.execute(
            "UPDATE tasks SET fence = 0, lease_ends = NULL, ended = ?, size = ? WHERE task_id = ?",
            (next_of(database, "ended"), size, task.task_id),
        )
        database.execute("UPDATE counters SET value = value + ? WHERE name = 'bytes'", (size,))
