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
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from qmemd.errors import RequestError, SettingsError
from qmemd.journal import Capacity, Retention
from qmemd.journal.interface import ErasureIncompleteError
from qmemd.journal.schema import MIGRATIONS
from qmemd.journal.session_store import SessionRecord
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
    with pytest.raises(SettingsError):
        SqliteJournal(path, clock)
    assert path.is_dir()


def test_a_broken_record_is_dropped_and_the_others_stay(
    reopen: Open, path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    desk = reopen()
    good, bad, other = desk.put(), desk.put(), desk.put()
    for change in (
        "request = '{'",
        """request = '{"content":7,"contextMode":"clean"}'""",
        "kind = 'sing'",
        "created_at = 'yesterday'",
        "created_at = '2030-01-01T00:00:00'",
        "task_id = CAST(x'72ff65' AS TEXT)",
        "status = 'completed'",
        "ended = 7",
    ):
        reopen()
        alter(path, f"UPDATE tasks SET {change} WHERE task_id = '{bad.task_id}'")  # noqa: S608 — the changes above
        desk = reopen()
        assert [t.task_id for t in desk.journal.recover(W)] == [good.task_id, other.task_id]
        assert "is broken and dropped" in caplog.text
        desk.journal.accept(W, bad, Capacity())
        caplog.clear()


def alter(path: Path, statement: str) -> None:
    """Another hand writes into the file."""
    connection = sqlite3.connect(path)
    with connection:
        connection.execute(statement)
    connection.close()


def content_of(directory: Path) -> bytes:
    return b"".join(each.read_bytes() for each in sorted(directory.iterdir()))


def test_a_record_that_breaks_later_holds_nobody_up(
    reopen: Open, path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    desk = reopen()
    desk.put()
    repeated = desk.put(key="k")
    behind = desk.put()
    alter(path, "UPDATE tasks SET request = '{' WHERE number <= 2")
    again = desk.put(key="k")
    assert again.task_id != repeated.task_id
    assert [desk.run().task_id for _ in range(2)] == [behind.task_id, again.task_id]
    assert caplog.text.count("is broken and dropped") == 2
    desk.put()
    assert desk.journal.claim(W, "me", LEASE)
    alter(path, "UPDATE tasks SET request = '{' WHERE ended IS NULL")
    behind = desk.put()
    assert desk.journal.claim(W, "me", LEASE) is None
    desk.clock.advance(seconds=61)
    assert desk.run().task_id == behind.task_id


def test_what_broken_records_held_does_not_count(path: Path, clock: FakeClock) -> None:
    with ExitStack() as stack:
        desk = Desk(clock, SqliteJournal(path, clock, retention=Retention(records=3, size=2_500)))
        stack.callback(desk.journal.close)
        for _ in range(2):
            desk.put()
            desk.run(RememberResult("x" * 1_000))
        alter(path, "UPDATE tasks SET outcome = '{' WHERE number = 1")
        assert len(desk.journal.recover(W)) == 1
        desk.put()
        desk.run(RememberResult("x" * 1_000))
        desk.put()
        assert len(desk.journal.list(W)) == 3


def test_a_file_of_the_first_version_is_brought_up_to_date(path: Path, clock: FakeClock) -> None:
    path.parent.mkdir()
    connection = sqlite3.connect(path)
    now, outcome = clock().isoformat(), '{"summary":"s","filesTouched":[],"touchedScopes":[]}'
    with connection:
        for statement in MIGRATIONS[0]:
            connection.execute(statement)
        for number in range(4):
            key, fingerprint = ("k", "f") if number == 0 else (None, None)
            connection.execute(
                "INSERT INTO tasks (task_id, workspace, kind, status, created_at, updated_at,"
                " outcome, idempotency_key, fingerprint, ended, size)"
                " VALUES (?, '/work', 'remember', 'completed', ?, ?, ?, ?, ?, ?, 52)",
                (f"remember-old-{number}", now, now, outcome, key, fingerprint, number + 1),
            )
        connection.execute("PRAGMA user_version = 1")
    connection.close()
    with ExitStack() as stack:
        desk = Desk(clock, SqliteJournal(path, clock, retention=Retention(records=3)))
        stack.callback(desk.journal.close)
        assert desk.put(key="k").task_id == "remember-old-0"
        new = desk.put()
        kept = [task.task_id for task in desk.journal.list(W)]
        assert kept == [new.task_id, "remember-old-3", "remember-old-2", "remember-old-0"]


@pytest.mark.slow
def test_a_journal_that_is_busy_is_not_taken_for_broken(
    reopen: Open, path: Path, clock: FakeClock
) -> None:
    task = reopen().put()
    other = sqlite3.connect(path, isolation_level=None)
    try:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(SettingsError, match="locked"):
            SqliteJournal(path, clock)
    finally:
        other.close()
    assert reopen().journal.recover(W) == (task,)
    assert not [each for each in path.parent.iterdir() if ".broken-" in each.name]


def test_two_that_make_the_file_at_once_do_not_take_it_from_each_other(
    tmp_path: Path, clock: FakeClock
) -> None:
    together = threading.Barrier(2, timeout=10)
    opened: list[SqliteJournal] = []

    def begin(path: Path) -> None:
        together.wait()
        with suppress(SettingsError):  # it may be told that the file is in use
            opened.append(SqliteJournal(path, clock))

    for number in range(10):
        path = tmp_path / f"{number}.sqlite3"
        threads = [threading.Thread(target=begin, args=[path]) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(10)
        opened.append(SqliteJournal(path, clock))
        assert len(opened) >= 2
        task = Desk(clock, opened[0]).put()
        assert {journal.get(task.task_id) for journal in opened} == {task}
        for journal in opened:
            journal.close()
        opened.clear()
    assert not [each for each in tmp_path.iterdir() if ".broken-" in each.name]


def test_a_file_that_others_could_read_becomes_private(reopen: Open, path: Path) -> None:
    path.parent.mkdir()
    path.touch()
    path.chmod(0o644)
    reopen()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_sessions_go_on_when_recovery_begins_a_new_file(
    reopen: Open, path: Path, clock: FakeClock
) -> None:
    desk = reopen()
    assert isinstance(desk.journal, SqliteJournal)
    sessions = desk.journal.sessions
    for _ in range(20):
        desk.put(Remember("x" * 700))
    connection = sqlite3.connect(path)
    (root,) = connection.execute(
        "SELECT rootpage FROM sqlite_master WHERE name = 'tasks'"
    ).fetchone()
    (size,) = connection.execute("PRAGMA page_size").fetchone()
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    connection.close()
    with path.open("r+b") as file:
        file.seek((root - 1) * size)
        file.write(b"\xff" * size)
    alter(path, "UPDATE counters SET value = value")  # nobody trusts a cached page any more
    assert desk.journal.recover(W) == ()
    record = SessionRecord("s", clock(), True, ("client_1",))
    sessions.save(W, record)
    assert sessions.load(W) == (record,)
    desk.put()
    desk = reopen()
    assert len(desk.journal.recover(W)) == 1
    assert isinstance(desk.journal, SqliteJournal)
    assert desk.journal.sessions.load(W) == (record,)


@pytest.mark.parametrize("seed", [4, 38])
def test_no_page_keeps_an_erased_text_after_a_long_history(
    path: Path, clock: FakeClock, seed: int
) -> None:
    chance = random.Random(seed)  # noqa: S311 — the same history each time
    repeats = [1, 1, 3, 20, 100, 400]
    journal = SqliteJournal(path, clock, retention=Retention(records=chance.choice([5, 30, 200])))
    desk = Desk(clock, journal)
    asked, reported = [], []
    for number in range(150):
        asked.append(f"M{seed:03}-{number:04}-qqqqqqqq")
        request = Remember((asked[-1] + " ") * chance.choice(repeats))
        desk.put(request, key=f"k{number}" if chance.random() < 0.3 else None)
        if chance.random() < 0.9:
            reported.append(f"R{seed:03}-{number:04}-wwwwwwww")
            desk.run(RememberResult((reported[-1] + " ") * chance.choice(repeats)))
    while any(not task.status.terminal for task in journal.list(W)):
        desk.run()
    erased = [text for text in reported if chance.random() < 0.5]
    others = {task for task in journal.list(W) if not any(text in repr(task) for text in erased)}
    journal.erase(erased)
    content = content_of(path.parent)
    assert others <= set(journal.list(W))
    journal.close()
    assert not [text for text in asked + erased if text.encode() in content]


def test_erasing_drops_a_broken_record_that_may_hold_the_text(reopen: Open, path: Path) -> None:
    desk = reopen()
    desk.put()
    desk.run()
    alter(path, """UPDATE tasks SET outcome = '{"summary":"SECRET'""")
    desk.journal.erase(["SECRET"])
    assert desk.journal.list(W) == ()
    assert b"SECRET" not in content_of(path.parent)


@pytest.mark.slow
def test_an_erasure_that_a_reader_holds_up_says_so_and_can_be_repeated(
    reopen: Open, path: Path
) -> None:
    desk = reopen()
    desk.put()
    desk.run(RememberResult("SECRET"))
    reader = sqlite3.connect(path, isolation_level=None)
    try:
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM tasks").fetchall()
        with pytest.raises(ErasureIncompleteError):
            desk.journal.erase(["SECRET"])
    finally:
        reader.close()
    desk.journal.erase(["SECRET"])
    assert b"SECRET" not in content_of(path.parent)


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
