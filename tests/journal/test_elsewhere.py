from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from qmemd.journal.elsewhere import erase_in, has_pending
from qmemd.journal.sqlite import SqliteJournal
from qmemd.results import RememberResult
from tests.conftest import FakeClock
from tests.journal.desk import Desk, W

TEXT = "The codename is heron"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.sqlite3"


def traces(path: Path) -> list[str]:
    return [file.name for file in path.parent.iterdir() if TEXT.encode() in file.read_bytes()]


@pytest.mark.parametrize("running", [True, False])
def test_another_workspace_s_journal_is_cleaned(
    path: Path, clock: FakeClock, running: bool
) -> None:
    journal = SqliteJournal(path, clock)
    desk = Desk(clock, journal)
    task = desk.put()
    desk.run(RememberResult(TEXT))
    if not running:
        journal.close()
    assert traces(path)
    assert erase_in(path, [TEXT])
    assert traces(path) == []
    if running:
        kept = journal.get(task.task_id)
        assert kept
        assert kept.result == RememberResult("[erased]")
        assert len(journal.list(W)) == 1
        journal.close()


def test_a_missing_broken_or_later_journal_is_left_alone(path: Path, clock: FakeClock) -> None:
    assert not erase_in(path, [TEXT])
    assert not path.exists()
    path.write_bytes(b"no journal, but " + TEXT.encode())
    assert not erase_in(path, [TEXT])
    assert path.read_bytes().startswith(b"no journal")
    path.unlink()
    SqliteJournal(path, clock).close()
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA user_version = 99")
    assert not erase_in(path, [TEXT])


def test_what_was_set_aside_goes(path: Path, clock: FakeClock) -> None:
    SqliteJournal(path, clock).close()
    aside = path.with_name(f"{path.name}.broken-1")
    aside.write_text(TEXT)
    assert erase_in(path, [TEXT])
    assert not aside.exists()


def test_whether_another_workspace_s_task_may_still_run(path: Path, clock: FakeClock) -> None:
    assert not has_pending(path, "remember-1")
    journal = SqliteJournal(path, clock)
    desk = Desk(clock, journal)
    ended, waiting = desk.put(), desk.put()
    desk.run()
    assert not has_pending(path, ended.task_id)
    assert has_pending(path, waiting.task_id)
    assert not has_pending(path, "remember-unknown")
    journal.close()
    assert has_pending(path, waiting.task_id)
    path.write_bytes(b"no journal")
    assert has_pending(path, ended.task_id), "nobody knows"
