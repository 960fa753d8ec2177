from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from qmemd.actors.orphan import kill_child, note_child, take_child_lock
from qmemd.errors import SettingsError
from qmemd.memory.locks import FileLock

HOLD = "import sys,time; print('up', flush=True); sys.stdin.read(); time.sleep(float(sys.argv[1]))"


def leave_orphan(path: Path, linger: float) -> subprocess.Popen[bytes]:
    """A child that shares the lock with a daemon which is gone."""
    lock = FileLock(path, shared=True)
    assert lock.acquire()
    child = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(linger)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        pass_fds=(lock.fileno(),),
        start_new_session=True,
    )
    assert child.stdout
    child.stdout.readline()
    note_child(lock, child.pid, psutil.Process(child.pid).create_time())
    lock.release()
    return child


def end(child: subprocess.Popen[bytes]) -> None:
    child.kill()
    child.communicate()


def test_a_free_lock_is_taken(tmp_path: Path) -> None:
    take_child_lock(tmp_path / "lock", patience=0).release()


def test_an_orphan_that_ends_by_itself_is_waited_for(tmp_path: Path) -> None:
    child = leave_orphan(tmp_path / "lock", 0.1)
    assert child.stdin
    child.stdin.close()
    began = time.monotonic()
    take_child_lock(tmp_path / "lock", patience=10).release()
    assert time.monotonic() - began < 9
    assert child.wait(5) == 0
    child.stdout.close()  # type: ignore[union-attr]


def test_an_orphan_that_does_not_end_is_ended(tmp_path: Path) -> None:
    child = leave_orphan(tmp_path / "lock", 60)
    take_child_lock(tmp_path / "lock", patience=0.2).release()
    assert child.wait(5) == -signal.SIGKILL
    end(child)


def test_a_process_that_only_has_the_number_of_an_orphan_is_left_alone(tmp_path: Path) -> None:
    child = leave_orphan(tmp_path / "lock", 60)
    (tmp_path / "lock").write_text(f'{{"pid": {child.pid}, "started": 0.0}}')
    killed: list[int] = []
    lock = take_child_lock(
        tmp_path / "lock", patience=0.1, kill=lambda pid, _signal: killed.append(pid)
    )
    assert killed == []  # whoever holds the old file is none of ours any more
    assert lock.held
    lock.release()
    end(child)


@pytest.mark.parametrize("junk", ["", "\0\0\0", "[]", '{"pid": 1}', '{"pid": "x", "started": 1.0}'])
def test_a_lock_that_is_held_by_nobody_known_is_not_broken(tmp_path: Path, junk: str) -> None:
    child = leave_orphan(tmp_path / "lock", 60)
    (tmp_path / "lock").write_text(junk)
    with pytest.raises(SettingsError, match="earlier daemon"):
        take_child_lock(tmp_path / "lock", patience=0.05)
    end(child)


@pytest.mark.parametrize("junk", ["", "\0\0\0", '{"pid": 1, "started": 0.0}'])
def test_what_stands_in_a_lock_file_locks_nobody_out(tmp_path: Path, junk: str) -> None:
    (tmp_path / "lock").write_text(junk)
    take_child_lock(tmp_path / "lock", patience=0).release()


def test_own_process_is_never_ended() -> None:
    killed: list[int] = []
    started = psutil.Process().create_time()
    kill_child(os.getpid(), started, lambda pid, _signal: killed.append(pid))
    assert killed == []
