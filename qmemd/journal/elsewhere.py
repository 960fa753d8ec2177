"""The journal of another workspace, whose daemon may be running or not."""

from __future__ import annotations

import contextlib
import logging
import sqlite3
from collections.abc import Collection
from pathlib import Path

from qmemd.journal.erasing import erase_texts
from qmemd.journal.opening import BUSY_TIMEOUT, set_aside_before
from qmemd.journal.schema import MIGRATIONS

log = logging.getLogger(__name__)


def erase_in(path: Path, texts: Collection[str]) -> bool:
    """Whether the journal is rid of the texts now; never makes, mends or moves it.

    A daemon that has it open goes on with it. What that daemon shows of tasks that ended before
    changes with its next start.
    """
    try:
        for broken in set_aside_before(path):
            broken.unlink(missing_ok=True)
        connection = sqlite3.connect(
            f"{path.absolute().as_uri()}?mode=rw",
            timeout=BUSY_TIMEOUT,
            isolation_level=None,
            uri=True,
        )
        with contextlib.closing(connection):
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            if version != len(MIGRATIONS):
                log.warning("the journal %s is of another version; nothing is erased in it", path)
                return False
            connection.execute("PRAGMA secure_delete = ON")
            connection.execute("BEGIN IMMEDIATE")
            erase_texts(connection, texts)
            connection.execute("COMMIT")
            connection.execute("VACUUM")
            busy, *_ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    except (sqlite3.Error, OSError) as error:
        log.warning("an erased text may still stand in the journal %s: %s", path, error)
        return False
    return not busy


def has_pending(path: Path, task_id: str) -> bool:
    """Whether the journal holds a task that has not ended. What cannot be read may hold it."""
    if not path.exists():
        return False
    try:
        connection = sqlite3.connect(
            f"{path.absolute().as_uri()}?mode=rw", timeout=BUSY_TIMEOUT, uri=True
        )
        with contextlib.closing(connection):
            found = connection.execute(
                "SELECT 1 FROM tasks WHERE task_id = ? AND ended IS NULL", (task_id,)
            ).fetchone()
    except sqlite3.Error:
        return True
    return found is not None
