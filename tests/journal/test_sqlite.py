"""What only a journal on disk has to stand."""

from __future__ import annotations

import json
import logging
import os
import random
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from qmemd.errors import RequestError, SettingsError
from qmemd.journal import Capacity
from qmemd.journal.schema import MIGRATIONS
from qmemd.journal.sqlite import SqliteJournal
from qmemd.kinds import Scope, TaskStatus, Topic
from qmemd.results import ForgetResult, RememberResult, RemovedEntry
from qmemd.tasks import Forget, Remember
from tests.conftest import FakeClock
from tests.journal.desk import DONE, LEASE, Desk, W

Open = Callable[[], Desk]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "journal.sqlite3"


@pytest.fixture
def reopen(clock: FakeClock, path: Path) -> Iterator[Open]:
    """Closes what is open and opens the file again, as a restart does."""
    journals: list[SqliteJournal] = []

    def again() -> Desk:
        for journal in journals:
            journal.close()
        journals.append(SqliteJournal(path, clock))
        desk = Desk(clock, journals[-1])
        desk._count = 1_000 * len(journals)
        return desk

    yield again
    for journal in journals:
        journal.close()


def test_everything_is_there_after_a_restart(reopen: Open) -> None:
    desk = reopen()
    ended, running, queued = desk.put(), desk.put(Forget("q")), desk.put(Remember("c"))
    desk.run(RememberResult("saved", ("/m/a.md",), (Scope.USER,)))
    claim = desk.journal.claim(W, "me", LEASE)
    assert claim
    desk.journal.start(claim)
    before = desk.journal.list(W)
    desk = reopen()
    assert desk.journal.list(W) == before
    recovered = desk.journal.recover(W)
    assert [t.task_id for t in recovered] == [ended.task_id, running.task_id, queued.task_id]
    assert [t.status for t in recovered] == ["completed", "queued", "queued"]
    assert [t.attempts for t in recovered] == [1, 1, 0]
    assert recovered[1].request == Forget("q")
    late = desk.put()
    assert desk.run().task_id == running.task_id
    assert [desk.run().task_id for _ in range(2)] == [queued.task_id, late.task_id]


def test_keys_and_limits_hold_over_a_restart(reopen: Open) -> None:
    desk = reopen()
    task = desk.put(key="k", fields="f")
    desk = reopen()
    assert desk.put(key="k", fields="f") == task
    with pytest.raises(RequestError):
        desk.put(key="k", fields="g")
    claim = desk.journal.claim(W, "me", LEASE)
    assert claim
    fence = claim.fence
    desk = reopen()
    desk.journal.recover(W)
    claim = desk.journal.claim(W, "me", LEASE)
    assert claim
    assert claim.fence > fence


def test_the_files_are_for_their_owner_alone(reopen: Open, path: Path) -> None:
    old = os.umask(0)
    try:
        desk = reopen()
        desk.put()
        modes = {each.name: stat.S_IMODE(each.stat().st_mode) for each in path.parent.iterdir()}
    finally:
        os.umask(old)
    assert set(modes) == {"journal.sqlite3", "journal.sqlite3-wal", "journal.sqlite3-shm"}
    assert set(modes.values()) == {0o600}
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


CHILD = """
import os, signal, sys
from datetime import UTC, datetime
from pathlib import Path
from qmemd.journal import Capacity
from qmemd.journal.sqlite import SqliteJournal
from qmemd.tasks import Remember, Task
journal = SqliteJournal(Path(sys.argv[1]))
for number in range(3):
    task = Task.queued(f"remember-{number}", Remember(f"fact {number}"), None, datetime.now(UTC))
    journal.accept("/work", task, Capacity())
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_was_accepted_survives_the_death_of_the_process(reopen: Open, path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", CHILD, str(path)], check=False, timeout=30)
    assert done.returncode == -signal.SIGKILL
    recovered = reopen().journal.recover(W)
    assert [task.request for task in recovered] == [Remember(f"fact {n}") for n in range(3)]


def test_two_connections_respect_each_others_claims(path: Path, clock: FakeClock) -> None:
    with ExitStack() as stack:
        one, two = (Desk(clock, SqliteJournal(path, clock)) for _ in range(2))
        for desk in (one, two):
            stack.callback(desk.journal.close)
        two._count = 100
        first, second = one.put(), two.put()
        claim = one.journal.claim(W, "one", LEASE)
        assert claim
        assert two.journal.claim(W, "two", LEASE) is None
        clock.advance(seconds=61)
        taken = two.journal.claim(W, "two", LEASE)
        assert taken
        assert taken.task.task_id == first.task_id
        assert taken.fence > claim.fence
        two.journal.finish(first.task_id, DONE, taken)
        assert one.run().task_id == second.task_id


def test_a_text_is_gone_from_every_file_once_it_is_erased(reopen: Open, path: Path) -> None:
    text = 'the "naïve" plan\nof 记忆'
    desk = reopen()
    for number in range(3):
        desk.put(Remember(text), key=f"key {number} of {text}")
        desk.run(RememberResult(f"Remembered {text}"))
    desk.put(Forget(text))
    entry = RemovedEntry(Topic.USER, text, f"/m/{text}.md")
    desk.run(ForgetResult("Forgot", (entry,), (Topic.USER,), (Scope.USER,)))
    aside = path.with_name(f"{path.name}.broken-20260101T000000")
    aside.write_text(text)
    desk.journal.erase([text])
    assert not aside.exists()
    spellings = {text, json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1]}
    spellings |= {"naïve", "记忆"}
    for file in path.parent.iterdir():
        content = file.read_bytes()
        assert not [s for s in spellings if s.encode() in content], file


def test_a_file_of_a_later_version_is_left_alone(reopen: Open, path: Path) -> None:
    reopen().put()
    with sqlite3.connect(path) as connection:
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    connection.close()
    with pytest.raises(SettingsError, match="later version of qmemd"):
        reopen()
    assert [each.name for each in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize(
    "content", [b"", b"junk", b"junk" * 5_000, b"SQLite format 3\0" + b"x" * 99]
)
def test_a_file_that_is_no_journal_is_set_aside(
    reopen: Open, path: Path, content: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    desk = reopen()
    task = desk.put()
    assert desk.run().task_id == task.task_id
    aside = [each for each in path.parent.iterdir() if ".broken-" in each.name]
    if content:
        assert [each.read_bytes() for each in aside] == [content]
        assert str(path) in caplog.text
        assert aside[0].name in caplog.text
    else:
        assert not aside


def test_a_place_that_cannot_be_used_is_a_mistake_in_the_settings(
    path: Path, clock: FakeClock
) -> None:
    path.mkdir(parents=True)
    with pytest.raises((SettingsError, OSError)):
        SqliteJournal(path, clock)
    assert path.is_dir()


def test_a_broken_record_is_dropped_and_the_others_stay(
    reopen: Open, path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    desk = reopen()
    good, bad, other = desk.put(), desk.put(), desk.put()
    for column, value in (("request", "{"), ("kind", "sing"), ("created_at", "yesterday")):
        reopen()
        connection = sqlite3.connect(path)
        with connection:
            connection.execute(
                f"UPDATE tasks SET {column} = ? WHERE task_id = ?",  # noqa: S608
                (value, bad.task_id),
            )
        connection.close()
        desk = reopen()
        assert [t.task_id for t in desk.journal.recover(W)] == [good.task_id, other.task_id]
        assert "is broken and dropped" in caplog.text
        desk.journal.accept(W, bad, Capacity())
        caplog.clear()


def filled(path: Path, clock: FakeClock) -> list[str]:
    """A journal of some pages, closed in order; the ids of its tasks."""
    journal = SqliteJournal(path, clock)
    desk = Desk(clock, journal)
    for number in range(12):
        desk.put(Remember(f"fact {number} " + "x" * 700))
        desk.run(RememberResult("saved " + "y" * 700))
    desk.put()
    tasks = [task.task_id for task in journal.list(W)]
    journal.close()
    return tasks


def opens(path: Path, clock: FakeClock) -> None:
    """Whatever is in the file, a journal opens that works."""
    journal = SqliteJournal(path, clock)
    try:
        for task in journal.recover(W):
            assert task.status in set(TaskStatus)
        desk = Desk(clock, journal)
        desk._count = 5_000
        desk.put()
        while journal.claim(W, "me", LEASE) is None:
            clock.advance(seconds=61)
    finally:
        journal.close()


@pytest.mark.slow
def test_a_journal_cut_at_any_byte_of_its_last_page_opens(
    path: Path, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL)
    filled(path, clock)
    whole = path.read_bytes()
    for cut in range(len(whole) - 4_096, len(whole), 37):
        shutil.rmtree(path.parent)
        path.parent.mkdir()
        path.write_bytes(whole[:cut])
        opens(path, clock)


@pytest.mark.slow
def test_a_log_cut_at_any_byte_of_its_last_page_loses_at_most_the_end(
    path: Path, clock: FakeClock
) -> None:
    journal = SqliteJournal(path, clock)
    desk = Desk(clock, journal)
    for _ in range(3):
        desk.put()
    log = path.with_name(f"{path.name}-wal").read_bytes()
    main = path.read_bytes()
    journal.close()
    for cut in range(len(log) - 4_120, len(log) + 1, 41):
        shutil.rmtree(path.parent)
        path.parent.mkdir()
        path.write_bytes(main)
        path.with_name(f"{path.name}-wal").write_bytes(log[:cut])
        opened = SqliteJournal(path, clock)
        kept = [task.task_id for task in opened.recover(W)]
        opened.close()
        assert kept == [f"remember-{n}" for n in range(1, len(kept) + 1)]
        assert len(kept) >= 2


@pytest.mark.slow
def test_bytes_that_flipped_lose_records_and_never_the_daemon(
    path: Path, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL)
    filled(path, clock)
    whole = path.read_bytes()
    chance = random.Random(7)  # noqa: S311 — the same flips each time
    for _ in range(60):
        damaged = bytearray(whole)
        for _ in range(chance.randint(1, 20)):
            damaged[chance.randrange(len(damaged))] ^= 1 << chance.randrange(8)
        shutil.rmtree(path.parent)
        path.parent.mkdir()
        path.write_bytes(damaged)
        opens(path, clock)
