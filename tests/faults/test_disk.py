"""Full, read-only and odd disks; clocks that jump: a task fails, and nothing is half done."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.conftest import FakeClock
from tests.faults.victim import Victim
from tests.memory.world import World, add, user

pytestmark = pytest.mark.slow


@pytest.fixture
def victim(tmp_path: Path) -> Iterator[Victim]:
    victim = Victim(tmp_path.resolve())
    yield victim
    if victim.process is not None:
        victim.kill("both")


@contextmanager
def small_disk(place: Path, kib: int) -> Iterator[None]:
    """A file system of its own at ``place``, where the system lets us mount one."""
    place.mkdir(parents=True, exist_ok=True)
    mount, unmount = shutil.which("mount"), shutil.which("umount")
    if mount is None or unmount is None or os.geteuid() != 0:
        pytest.skip("a small file system can be mounted by root alone")
    made = subprocess.run(
        [mount, "-t", "tmpfs", "-o", f"size={kib}k", "tmpfs", str(place)],
        check=False,
        capture_output=True,
    )
    if made.returncode:
        pytest.skip(f"no file system can be mounted here: {made.stderr.decode().strip()}")
    try:
        yield
    finally:
        subprocess.run([unmount, "--lazy", str(place)], check=True)


def fill(directory: Path, leave: int) -> Path:
    """Takes all space but ``leave`` bytes."""
    file = directory / "ballast"
    with file.open("wb", buffering=0) as ballast:
        try:
            while True:
                ballast.write(b"\0" * 4096)
        except OSError:
            ballast.truncate(max(0, ballast.tell() - leave))
    return file


@pytest.mark.parametrize("leave", [0, 4096, 8192, 16384, 32768])
def test_a_full_disk_fails_the_task_as_a_whole(victim: Victim, leave: int) -> None:
    with small_disk(victim.base, 1024):
        victim.start()
        first = victim.post("remember", {"content": "I prefer tabs"})
        assert first
        assert victim.ended(first)["status"] == "completed"
        before = victim.documents()
        ballast = fill(victim.base, leave)
        second = victim.post("remember", {"content": "I live in Lisbon"})
        assert second
        task = victim.ended(second)
        if task["status"] == "failed":
            assert task["error"]["code"] == "remember_failed"
            assert "space" in task["error"]["details"].lower()
            assert victim.documents() == before
        ballast.unlink()
        third = victim.post("remember", {"content": "My editor is Helix"})
        assert third
        assert victim.ended(third)["status"] == "completed"
        assert victim.stop() == 0
        victim.check_files()
        victim.check_processes()


@pytest.mark.parametrize("leave", [0, 4096])
def test_a_full_disk_of_the_journal_accepts_nothing_and_loses_nothing(
    victim: Victim, leave: int
) -> None:
    with small_disk(victim.state, 1024):
        victim.start()
        first = victim.post("remember", {"content": "I prefer tabs"})
        assert first
        assert victim.ended(first)["status"] == "completed"
        ballast = fill(victim.state, leave)
        accepted = []
        refused = 0
        for number in range(40):
            body = {"content": f"Fact {number} is about x{number}" + " and more" * 200}
            status, answer = victim.call("POST", "/workspace/memory/remember", body)
            if status == 202:
                accepted.append(answer["taskId"])
            else:
                assert (status, answer["code"]) in (
                    (500, "internal_error"),
                    (429, "remember_queue_full"),
                )
                refused += 1
        assert refused
        ballast.unlink()
        last = victim.post("remember", {"content": "My editor is Helix"})
        assert last
        for task_id in (first, *accepted, last):
            assert victim.ended(task_id)["status"] == "completed"
        assert victim.stop() == 0
        victim.check_files()


@pytest.fixture
def unprivileged(victim: Victim) -> Victim:
    """A daemon that permissions hold for, even when root starts it."""
    if os.geteuid() == 0:
        setpriv = shutil.which("setpriv")
        if setpriv is None:
            pytest.skip("permissions do not hold for root, and there is no setpriv")
        victim.prefix = (setpriv, "--bounding-set", "-dac_override,-dac_read_search")
    return victim


@pytest.mark.parametrize("place", ["memories/user", "memories", "qmemd/history"])
def test_a_directory_that_cannot_be_written_fails_the_task_as_a_whole(
    unprivileged: Victim, place: str
) -> None:
    victim = unprivileged
    victim.start()
    first = victim.post("remember", {"content": "I prefer tabs"})
    assert first
    assert victim.ended(first)["status"] == "completed"
    before = victim.documents()
    closed = [path for path in (victim.base / place).rglob("*") if path.is_dir()]
    closed = [victim.base / place, *closed]
    for path in closed:
        path.chmod(0o500)
    task_id = victim.post("remember", {"content": "I live in Lisbon"})
    if task_id is not None:  # else the agent has said that there is no memory
        task = victim.ended(task_id)
        assert task["status"] == "failed"
        assert task["error"]["code"] in ("remember_failed", "managed_memory_unavailable")
    assert victim.documents() == before
    for path in closed:
        path.chmod(0o700)
    last = None
    deadline = time.monotonic() + 15
    while last is None and time.monotonic() < deadline:  # asked again after some seconds
        last = victim.post("remember", {"content": "My editor is Helix"})
        time.sleep(0.1)
    assert last
    assert victim.ended(last)["status"] == "completed"
    assert victim.stop() == 0
    victim.check_files()
    victim.check_processes()


def test_a_document_that_cannot_be_read_is_left_alone(unprivileged: Victim) -> None:
    victim = unprivileged
    victim.start()
    first = victim.post("remember", {"content": "I prefer tabs"})
    assert first
    victim.ended(first)
    [path] = victim.documents()
    content = path.read_bytes()
    path.chmod(0)
    task_id = victim.post("forget", {"query": "I prefer tabs"})
    assert task_id
    assert victim.ended(task_id)["status"] in ("completed", "failed")
    path.chmod(0o600)
    assert path.read_bytes() == content
    assert victim.stop() == 0


def test_a_memory_directory_that_is_a_file_fails_the_task(victim: Victim) -> None:
    victim.base.mkdir()
    (victim.base / "memories").write_text("not a directory")
    victim.start()
    task_id = victim.post("remember", {"content": "I prefer tabs"})
    if task_id is not None:
        task = victim.ended(task_id)
        assert task["status"] == "failed"
        assert task["error"]["code"] in ("remember_failed", "managed_memory_unavailable")
    assert (victim.base / "memories").read_text() == "not a directory"
    assert victim.stop() == 0


def test_a_clock_that_jumps_back_and_forth_breaks_no_order(
    tmp_path: Path, clock: FakeClock
) -> None:
    from qmemd.journal.sqlite import SqliteJournal  # noqa: PLC0415 — beside its one use
    from tests.journal.desk import Desk  # noqa: PLC0415

    journal = SqliteJournal(tmp_path / "journal.sqlite3", clock)
    desk = Desk(clock, journal)
    ids = []
    for hours in (0, -48, 72, -1, 5):
        clock.advance(hours=hours)
        ids.append(desk.put(key=f"k{len(ids)}").task_id)
    journal.recover("/work")
    ran = []
    for hours in (-30, 1, 90, -200, 3):
        clock.advance(hours=hours)
        ran.append(desk.run().task_id)
    assert ran == ids
    journal.close()


def test_change_sets_of_a_clock_that_went_back_are_found_and_undone(tmp_path: Path) -> None:
    world = World(tmp_path)
    done = world.commit(add(user("a.md"), "A fact"))
    found = world.history.find_task("remember-1")
    assert found
    assert found.change_set_id == done.change_set_id
