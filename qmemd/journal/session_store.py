"""Where sessions and their client ids survive a restart."""

from __future__ import annotations

import json
import logging
import sqlite3
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from qmemd.journal.rows import moment_of
from qmemd.texts import is_utf8

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class SessionRecord:
    """What is kept of a session."""

    session_id: str
    created_at: datetime
    single: bool
    """Whether plain requests share it."""
    clients: tuple[str, ...]
    """Ids in the order in which they were given out."""


class SessionStore(Protocol):
    """The interface; one writer, the gateway."""

    survives: bool
    """Whether sessions are there again after a restart."""

    def load(self, workspace: str) -> tuple[SessionRecord, ...]:
        """Every session of the workspace, oldest first."""

    def save(self, workspace: str, record: SessionRecord) -> None:
        """Keeps a session, in place of what was kept of it before."""

    def forget(self, session_ids: Sequence[str]) -> None:
        """Drops sessions; unknown ones are ignored."""


class NoSessionStore:
    """Keeps nothing: sessions end with their daemon."""

    survives = False

    def load(self, workspace: str) -> tuple[SessionRecord, ...]:  # noqa: ARG002 — the interface
        return ()

    def save(self, workspace: str, record: SessionRecord) -> None:
        pass

    def forget(self, session_ids: Sequence[str]) -> None:
        pass


class SqliteSessionStore:
    """Keeps them in a table of the journal's database."""

    survives = True

    def __init__(self, connection: Callable[[], sqlite3.Connection], lock: threading.RLock) -> None:
        """Shares the journal's connection of the moment, under its lock."""
        self._connection = connection
        self._lock = lock

    def load(self, workspace: str) -> tuple[SessionRecord, ...]:
        with self._lock:
            rows = (
                self._connection()
                .execute(
                    "SELECT session_id, created_at, single, clients FROM sessions "
                    "WHERE workspace = ? ORDER BY created_at, session_id",
                    (workspace,),
                )
                .fetchall()
            )
        records = []
        for row in rows:
            try:
                records.append(_record(row))
            except (ValueError, TypeError):
                log.warning("a session of the journal is broken and left out")
        return tuple(records)

    def save(self, workspace: str, record: SessionRecord) -> None:
        with self._lock:
            self._connection().execute(
                "INSERT OR REPLACE INTO sessions VALUES (?, ?, ?, ?, ?)",
                (
                    record.session_id,
                    workspace,
                    record.created_at.isoformat(),
                    record.single,
                    json.dumps(record.clients),
                ),
            )

    def forget(self, session_ids: Sequence[str]) -> None:
        with self._lock:
            self._connection().executemany(
                "DELETE FROM sessions WHERE session_id = ?", [(each,) for each in session_ids]
            )


def _record(row: sqlite3.Row) -> SessionRecord:
    """Raises ValueError or TypeError when the row is broken."""
    clients = json.loads(row["clients"])
    if not isinstance(clients, list):
        raise TypeError("no list of clients")
    for text in (row["session_id"], *clients):
        if not isinstance(text, str) or not is_utf8(text):
            raise ValueError("an id of it is damaged")
    created_at = moment_of(row["created_at"])
    return SessionRecord(row["session_id"], created_at, bool(row["single"]), tuple(clients))
