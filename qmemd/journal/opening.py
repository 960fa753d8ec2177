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
_NOT_THE_FILE = frozenset(
    {
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_NOMEM,
        sqlite3.SQLITE_PROTOCOL,
    }
)
"""Primary codes for trouble around a file that may be whole."""
_DAMAGE = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
"""Primary codes for a file that is damaged."""


def open_database(path: Path, clock: Callable[[], datetime]) -> sqlite3.Connection:
    """A connection to an up-to-date journal, which is made when it is absent.

    A file that is broken is set aside, under a name with the time in it, and a new one begun: a
    daemon that does not start helps nobody. One that is busy, or on a full disk, is not broken.

    Raises:
        SettingsError: the file cannot be read or written, or is of a later version.
    """
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            return _connect(path)
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:  # the latter: its schema
            if primary_code(error) in _NOT_THE_FILE or _cannot_be_used(path):
                raise
            begin_anew(path, clock, error)
        return _connect(path)
    except (sqlite3.Error, OSError) as error:
        raise SettingsError(f"the journal {path} cannot be used: {error}") from error


def primary_code(error: Exception) -> int | None:
    """SQLite's own code, without what it adds to tell cases apart; None when it has none."""
    code: int | None = getattr(error, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF


def damaged(error: sqlite3.DatabaseError) -> bool:
    """Whether SQLite says that the file is not what it wrote."""
    return primary_code(error) in _DAMAGE


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
    _make_private(path)
    connection = sqlite3.connect(
        path, timeout=BUSY_TIMEOUT, isolation_level=None, check_same_thread=False
    )
    try:
        connection.row_factory = sqlite3.Row
        connection.text_factory = _decoded
        connection.execute("PRAGMA secure_delete = ON")
        connection.execute("PRAGMA temp_store = MEMORY")  # no copies elsewhere
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        migrate(connection)
        _check(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _make_private(path: Path) -> None:
    """SQLite would make it readable by everybody, as far as the umask lets it.

    A file that is there is not opened: closing it would drop the locks that SQLite holds on it
    for another connection of this process.
    """
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    except FileExistsError:
        mode = path.stat().st_mode
        if stat.S_ISREG(mode) and mode & 0o077:
            path.chmod(0o600)


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
