"""The journal's file: a connection, one transaction at a time, what becomes of a broken file."""

from __future__ import annotations

import logging
import sqlite3
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from qmemd.journal.erasing import erase_texts
from qmemd.journal.interface import ErasureIncompleteError
from qmemd.journal.opening import begin_anew, open_database, set_aside_before

log = logging.getLogger(__name__)


class JournalDatabase:
    """Safe to use from several threads, and beside another connection to the same file."""

    def __init__(self, path: Path, clock: Callable[[], datetime]) -> None:
        """Opens the file, or makes it. Raises SettingsError when it cannot be used."""
        self.path = path
        self.lock = threading.RLock()
        """Held while the connection is used."""
        self._clock = clock
        self.connection = open_database(path, clock)
        self._closed = False

    @contextmanager
    def change(self, *, power_safe: bool = True) -> Iterator[sqlite3.Connection]:
        """One transaction: all of it is on disk at the end, or nothing.

        Without ``power_safe`` it is the system's to write, which outlives this process but not a
        power cut: then the task was never begun, and begins anew.
        """
        with self.lock:
            self.connection.execute(f"PRAGMA synchronous = {'FULL' if power_safe else 'NORMAL'}")
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                yield self.connection
                self.connection.execute("COMMIT")
            except BaseException:
                if self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")
                raise

    def begin_anew(self, error: sqlite3.DatabaseError) -> None:
        """Sets a damaged file aside and goes on with a new one."""
        with self.lock:
            self.connection.close()
            begin_anew(self.path, self._clock, error)
            self.connection = open_database(self.path, self._clock)

    def erase(self, texts: Collection[str]) -> tuple[str, ...]:
        """Removes texts from records that have ended, and from the files; ids of those records.

        The file is written anew, since pages keep bytes of what they held, whatever
        ``secure_delete`` says: SQLite does not clear the gaps when it distributes records over
        pages.

        Raises:
            ErasureIncompleteError: some of it may still stand there.
        """
        with self.lock:
            for path in set_aside_before(self.path):
                path.unlink(missing_ok=True)
            try:
                with self.change() as database:
                    rewritten = erase_texts(database, texts)
                self.connection.execute("VACUUM")
                busy, *_ = self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            except sqlite3.OperationalError as error:
                raise ErasureIncompleteError(str(error)) from error
            if busy:
                raise ErasureIncompleteError("another connection reads it")
            return tuple(rewritten)

    def close(self) -> None:
        """Idempotent."""
        with self.lock:
            if self._closed:
                return
            self._closed = True
            try:
                self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            except sqlite3.Error:
                log.warning("the journal could not be tidied up", exc_info=True)
            finally:
                self.connection.close()
