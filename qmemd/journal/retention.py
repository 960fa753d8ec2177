"""Which records and keys of the journal's file have to go."""

from __future__ import annotations

import sqlite3
from datetime import datetime

from qmemd.journal.counters import add_to, value_of
from qmemd.journal.interface import KEY_LIFETIME, Retention


def age_keys(database: sqlite3.Connection, retention: Retention, now: datetime) -> None:
    """Keys lose their force after a day, or when there are too many."""
    horizon = now - KEY_LIFETIME
    keyed = value_of(database, "keyed")
    while keyed:
        oldest = database.execute(
            "SELECT number, created_at FROM tasks WHERE idempotency_key IS NOT NULL "
            "ORDER BY number LIMIT 1"
        ).fetchone()
        if oldest is None or (
            datetime.fromisoformat(oldest["created_at"]) > horizon and keyed <= retention.keyed
        ):
            return
        database.execute(
            "UPDATE tasks SET idempotency_key = NULL, fingerprint = NULL WHERE number = ?",
            (oldest["number"],),
        )
        add_to(database, "keyed", -1)
        add_to(database, "plain", 1)
        keyed -= 1


def evict(database: sqlite3.Connection, retention: Retention) -> tuple[str, ...]:
    """The oldest ended records go while there are too many, or too large ones."""
    records, size = value_of(database, "plain"), value_of(database, "bytes")
    evicted: list[str] = []
    while records > retention.records or size > retention.size:
        row = database.execute(
            "SELECT task_id, number, size FROM tasks "
            "WHERE ended IS NOT NULL AND idempotency_key IS NULL ORDER BY ended LIMIT 1"
        ).fetchone()
        if row is None:
            break
        database.execute("DELETE FROM tasks WHERE number = ?", (row["number"],))
        records, size = records - 1, size - row["size"]
        evicted.append(row["task_id"])
        add_to(database, "plain", -1)
        add_to(database, "bytes", -row["size"])
    return tuple(evicted)
