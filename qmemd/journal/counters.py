"""Numbers that the journal keeps beside its records, so that nothing has to be counted."""

from __future__ import annotations

import sqlite3


def value_of(database: sqlite3.Connection, counter: str) -> int:
    (value,) = database.execute("SELECT value FROM counters WHERE name = ?", (counter,)).fetchone()
    number: int = value
    return number


def add_to(database: sqlite3.Connection, counter: str, by: int) -> None:
    database.execute("UPDATE counters SET value = value + ? WHERE name = ?", (by, counter))


def next_of(database: sqlite3.Connection, counter: str) -> int:
    (value,) = database.execute(
        "UPDATE counters SET value = value + 1 WHERE name = ? RETURNING value", (counter,)
    ).fetchone()
    number: int = value
    return number
