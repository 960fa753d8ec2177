"""The tables of the journal on disk, and how a file of an older version becomes one of this."""

from __future__ import annotations

import sqlite3

from qmemd.errors import SettingsError

RECOUNT = (
    "UPDATE counters SET value = max(value, 0)",
    """
    UPDATE counters SET value = (SELECT count(*) FROM tasks WHERE idempotency_key NOT NULL)
    WHERE name = 'keyed'
    """,
    """
    UPDATE counters SET value = (SELECT count(*) FROM tasks WHERE idempotency_key IS NULL)
    WHERE name = 'plain'
    """,
    "UPDATE counters SET value = (SELECT coalesce(sum(size), 0) FROM tasks) WHERE name = 'bytes'",
)
"""Sets the counters by what is there."""

MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        """
        CREATE TABLE tasks (
            number INTEGER PRIMARY KEY AUTOINCREMENT,  -- the order of acceptance, and of the queue
            task_id TEXT NOT NULL UNIQUE,
            workspace TEXT NOT NULL,
            kind TEXT NOT NULL,
            status TEXT NOT NULL,
            created_at TEXT NOT NULL,
            updated_at TEXT NOT NULL,
            client_id TEXT,
            context_mode TEXT,
            scope TEXT,
            request TEXT,                              -- JSON; NULL once the task is terminal
            outcome TEXT,                              -- JSON of its result or error, once terminal
            attempts INTEGER NOT NULL DEFAULT 0,
            fence INTEGER NOT NULL DEFAULT 0,          -- of the claim in force; 0: none
            lease_ends TEXT,
            idempotency_key TEXT UNIQUE,               -- NULL once it is too old to count
            fingerprint TEXT,
            ended INTEGER,                             -- the order of the ends
            size INTEGER NOT NULL DEFAULT 0            -- bytes of the outcome
        ) STRICT
        """,
        "CREATE INDEX pending ON tasks (workspace, number) WHERE ended IS NULL",
        """
        CREATE INDEX evictable ON tasks (ended)
        WHERE ended IS NOT NULL AND idempotency_key IS NULL
        """,
        "CREATE INDEX unkeyed ON tasks (number) WHERE idempotency_key IS NULL",
        "CREATE INDEX keyed ON tasks (number) WHERE idempotency_key IS NOT NULL",
        """
        CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID
        """,
        "INSERT INTO counters VALUES ('fence', 0), ('ended', 0), ('bytes', 0)",
        """
        CREATE TABLE sessions (
            session_id TEXT PRIMARY KEY,
            workspace TEXT NOT NULL,
            created_at TEXT NOT NULL,
            single INTEGER NOT NULL,
            clients TEXT NOT NULL                      -- JSON list, in the order in which they came
        ) STRICT
        """,
    ),
    (  # counted as they come and go: nothing is to grow with what is kept
        "DROP INDEX unkeyed",
        "INSERT INTO counters SELECT 'keyed', count(*) FROM tasks WHERE idempotency_key NOT NULL",
        "INSERT INTO counters SELECT 'plain', count(*) FROM tasks WHERE idempotency_key IS NULL",
    ),
)
"""The statements of one step per version; a file's version is how many steps it has seen."""


PROBES = (
    """SELECT number, task_id, workspace, kind, status, created_at, updated_at, client_id,
              context_mode, scope, request, outcome, attempts, fence, lease_ends,
              idempotency_key, fingerprint, ended, size FROM tasks LIMIT 0""",
    "SELECT name, value FROM counters LIMIT 0",
    "SELECT session_id, workspace, created_at, single, clients FROM sessions LIMIT 0",
)
"""Fail on a file that lacks something which the last version has."""


TRIAL = """
INSERT INTO tasks (task_id, workspace, kind, status, created_at, updated_at, idempotency_key)
VALUES ('', '', '', '', '', '', '')
"""
"""A record to be rolled back again."""
TOUCH_COUNTERS = """
UPDATE counters SET value = value WHERE name IN ('fence', 'ended', 'bytes', 'keyed', 'plain')
"""
COUNTERS = 5
"""How many that touches."""


def migrate(connection: sqlite3.Connection) -> None:
    """Brings a file up to date, whole or not at all.

    Raises:
        SettingsError: a later version of qmemd made this file.
        sqlite3.Error: it is broken, or cannot be written.
    """
    connection.execute("BEGIN IMMEDIATE")  # before the look: another process may be at it as well
    try:
        for step in MIGRATIONS[_version(connection) :]:
            for statement in step:
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _version(connection: sqlite3.Connection) -> int:
    """How many steps the file has seen."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    steps: int = version
    if steps < 0:
        raise sqlite3.DatabaseError("its version is negative")
    if steps > len(MIGRATIONS):
        raise SettingsError(
            f"the journal was written by a later version of qmemd (schema {steps}, this one "
            f"knows {len(MIGRATIONS)}); upgrade qmemd, or name another --state-dir"
        )
    return steps
