"""Opening the journal's file, whatever became of it."""

from __future__ import annotations

import logging
import os
import sqlite3
import stat
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from qmemd.errors import SettingsError
from qmemd.journal.schema import COUNTERS, PROBES, TOUCH_COUNTERS, TRIAL, migrate

log = logging.getLogger(__name__)

BUSY_TIMEOUT = 2.0
"""Seconds to wait for another connection's transaction."""
_COMPANIONS = ("", "-wal", "-shm")
"""SQLite's files beside the database: its name with these endings."""


def open_database(path: Path, clock: Callable[[], datetime]) -> sqlite3.Connection:
    """A connection to an up-to-date journal, which is made when it is absent.

    A file that is broken is set aside, under a name with the time in it, and a new one begun: a
    daemon that does not start helps nobody.

    Raises:
        SettingsError: the file cannot be read or written, or is of a later version.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        return _connect(path)
    except sqlite3.OperationalError as error:
        if _cannot_be_used(path):
            raise SettingsError(f"the journal {path} cannot be used: {error}") from error
        broken: Exception = error
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:  # the latter from its schema
        broken = error
    begin_anew(path, clock, broken)
    try:
        return _connect(path)
    except sqlite3.Error as error:
        raise SettingsError(f"the journal {path} cannot be used: {error}") from error


def begin_anew(path: Path, clock: Callable[[], datetime], trouble: Exception) -> None:
    """Moves a journal with its companions out of the way, and says so."""
    aside = path.with_name(f"{path.name}.broken-{clock():%Y%m%dT%H%M%S%f}")
    log.error("the journal %s is broken (%s); it is set aside as %s", path, trouble, aside.name)
    for ending in _COMPANIONS:
        companion = path.with_name(path.name + ending)
        if companion.exists():
            companion.rename(aside.with_name(aside.name + ending))


def set_aside_before(path: Path) -> tuple[Path, ...]:
    """The files that were set aside, for somebody who wants to be rid of what is in them."""
    return tuple(sorted(path.parent.glob(f"{path.name}.broken-*")))


def _connect(path: Path) -> sqlite3.Connection:
    # SQLite would make it readable by everybody, as far as the umask lets it.
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
    connection = sqlite3.connect(
        path, timeout=BUSY_TIMEOUT, isolation_level=None, check_same_thread=False
    )
    try:
        connection.row_factory = sqlite3.Row
        connection.text_factory = _decoded
        connection.execute("PRAGMA secure_delete = ON")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        migrate(connection)
        _check(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _decoded(data: bytes) -> str:
    """Text whose bytes were damaged is not worth an exception from the middle of a query.

    It holds surrogates then, which no text of ours does.
    """
    return data.decode("utf-8", "surrogateescape")


def _check(connection: sqlite3.Connection) -> None:
    """Raises DatabaseError when the file is not what we once wrote."""
    (verdict,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    if verdict != "ok":
        raise sqlite3.DatabaseError(verdict)
    for probe in PROBES:
        connection.execute(probe)
    connection.execute("BEGIN IMMEDIATE")
    try:
        connection.execute(TRIAL)  # some damage shows only when something is written
        if connection.execute(TOUCH_COUNTERS).rowcount < COUNTERS:
            raise sqlite3.DatabaseError("a counter is missing")
    finally:
        connection.execute("ROLLBACK")


def _cannot_be_used(path: Path) -> bool:
    """Whether the trouble is with the place and not with what is in the file."""
    try:
        usable = stat.S_ISREG(path.lstat().st_mode) and os.access(path, os.R_OK | os.W_OK)
    except OSError:
        return True
    return not (usable and os.access(path.parent, os.W_OK))
