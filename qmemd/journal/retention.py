"""Which records and keys of the journal's file have to go."""

from __future__ import annotations

import sqlite3
from datetime import datetime

from qmemd.journal.counters import add_to, value_of
from qmemd.journal.interface import KEY_LIFETIME, Retention

_OLDEST_LARGE = """
SELECT task_id, number, size, idempotency_key FROM tasks
WHERE ended IS NOT NULL AND size > 0 ORDER BY ended LIMIT 1
"""
_OLDEST_PLAIN = """
SELECT task_id, number, size, idempotency_key FROM tasks
WHERE ended IS NOT NULL AND idempotency_key IS NULL ORDER BY ended LIMIT 1
"""


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
    """The oldest ended records go while there are too many, or too large ones.

    A young key keeps a record beyond the number of the others, and not beyond their bytes.
    """
    evicted: list[str] = []
    while True:
        if value_of(database, "bytes") > retention.size:
            oldest = _OLDEST_LARGE
        elif value_of(database, "plain") > retention.records:
            oldest = _OLDEST_PLAIN
        else:
            return tuple(evicted)
        row = database.execute(oldest).fetchone()
        if row is None:
            return tuple(evicted)
        database.execute("DELETE FROM tasks WHERE number = ?", (row["number"],))
        evicted.append(row["task_id"])
        add_to(database, "plain" if row["idempotency_key"] is None else "keyed", -1)
        add_to(database, "bytes", -row["size"])
