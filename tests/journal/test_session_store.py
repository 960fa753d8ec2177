from __future__ import annotations

import sqlite3
from datetime import UTC, datetime, timedelta
from pathlib import Path

from qmemd.journal.session_store import NoSessionStore, SessionRecord
from qmemd.journal.sqlite import SqliteJournal

NOW = datetime(2030, 1, 2, 3, 4, 5, 678_901, tzinfo=UTC)


def test_sessions_are_there_after_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "j.sqlite3"
    journal = SqliteJournal(path)
    one = SessionRecord("s1", NOW, True, ("client_1", "client_2"))
    two = SessionRecord("s2", NOW + timedelta(seconds=1), False, ())
    for record in (two, one, SessionRecord("s3", NOW, False, ("x",))):
        journal.sessions.save("/work", record)
    journal.sessions.save("/other", SessionRecord("s4", NOW, True, ()))
    changed = SessionRecord("s2", two.created_at, False, ("client_3",))
    journal.sessions.save("/work", changed)
    journal.sessions.forget(["s3", "unknown"])
    journal.close()
    journal = SqliteJournal(path)
    assert journal.sessions.load("/work") == (one, changed)
    assert journal.sessions.survives
    journal.close()


def test_a_broken_session_is_dropped(tmp_path: Path) -> None:
    path = tmp_path / "j.sqlite3"
    journal = SqliteJournal(path)
    changes = (
        "clients = '{'",
        "clients = '7'",
        "clients = '{\"a\": 1}'",
        "clients = '[7]'",
        "clients = CAST(x'5b22ff225d' AS TEXT)",
        "created_at = '2030-01-02'",
        "session_id = CAST(x'73ff' AS TEXT)",
    )
    journal.sessions.save("/work", SessionRecord("good", NOW, True, ()))
    connection = sqlite3.connect(path)
    for number, change in enumerate(changes):
        journal.sessions.save("/work", SessionRecord(f"s{number}", NOW, True, ()))
        with connection:
            connection.execute(f"UPDATE sessions SET {change} WHERE session_id = 's{number}'")  # noqa: S608 — the changes above
    connection.close()
    assert [record.session_id for record in journal.sessions.load("/work")] == ["good"]
    journal.close()


def test_what_keeps_nothing_keeps_nothing() -> None:
    store = NoSessionStore()
    store.save("/work", SessionRecord("s1", NOW, True, ()))
    store.forget(["s1"])
    assert store.load("/work") == ()
    assert not store.survives
