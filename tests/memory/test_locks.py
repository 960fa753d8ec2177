from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from qmemd.errors import MemoryFilesError
from qmemd.memory.locks import FileLock, read_holder

_HOLD = "import sys; print('ready', flush=True); sys.stdin.read()"
_LOCK_AND_HOLD = f"""
from pathlib import Path
import sys
from qmemd.memory.locks import FileLock
lock = FileLock(Path(sys.argv[1]))
assert lock.acquire()
{_HOLD}
"""


def _child(code: str, *arguments: str, pass_fds: tuple[int, ...] = ()) -> subprocess.Popen[bytes]:
    child = subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[2],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        pass_fds=pass_fds,
    )
    assert child.stdout is not None
    assert child.stdout.readline() == b"ready\n"
    return child


def _end(child: subprocess.Popen[bytes]) -> None:
    child.kill()
    child.communicate(timeout=10)


def test_one_holder_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "x.lock"
    first, second = FileLock(path), FileLock(path)
    assert first.acquire()
    assert not second.acquire()
    assert (first.held, second.held) == (True, False)
    first.release()
    first.release()
    with second:
        assert not first.acquire()
        with pytest.raises(MemoryFilesError), first:
            pass
    assert first.acquire(timeout=0)
    first.release()
    assert path.exists()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_waiting_is_bounded(tmp_path: Path) -> None:
    now = 0.0

    def sleep(seconds: float) -> None:
        nonlocal now
        now += seconds

    holder = FileLock(tmp_path / "x.lock")
    waiting = FileLock(tmp_path / "x.lock", monotonic=lambda: now, sleep=sleep)
    with holder:
        assert not waiting.acquire(timeout=2.0)
    assert now == pytest.approx(2.0)


def test_a_waiter_takes_over_when_the_holder_lets_go(tmp_path: Path) -> None:
    holder = FileLock(tmp_path / "x.lock")
    holder.acquire()
    waiting = FileLock(tmp_path / "x.lock", sleep=lambda _: holder.release())
    assert waiting.acquire(timeout=5.0)
    waiting.release()


def test_a_lock_dies_with_its_process(tmp_path: Path) -> None:
    path = tmp_path / "x.lock"
    child = _child(_LOCK_AND_HOLD, str(path))
    lock = FileLock(path)
    try:
        assert not lock.acquire()
    finally:
        _end(child)
    assert lock.acquire()
    lock.release()


def test_a_child_that_got_the_descriptor_holds_the_lock_on(tmp_path: Path) -> None:
    lock, other = FileLock(tmp_path / "x.lock", shared=True), FileLock(tmp_path / "x.lock")
    lock.acquire()
    child = _child(_HOLD, pass_fds=(lock.fileno(),))
    try:
        lock.release()
        assert not other.acquire()
    finally:
        _end(child)
    assert other.acquire()
    other.release()


def test_a_lock_that_is_not_shared_ends_with_its_release_even_if_somebody_was_forked(
    tmp_path: Path,
) -> None:
    lock, other = FileLock(tmp_path / "x.lock"), FileLock(tmp_path / "x.lock")
    lock.acquire()
    child = _child(_HOLD, pass_fds=(lock.fileno(),))
    try:
        lock.release()
        assert other.acquire()
        other.release()
    finally:
        _end(child)


def test_a_child_that_did_not_get_the_descriptor_does_not(tmp_path: Path) -> None:
    lock = FileLock(tmp_path / "x.lock")
    lock.acquire()
    child = _child(_HOLD)
    try:
        lock.release()
        assert lock.acquire()
        lock.release()
    finally:
        _end(child)


@pytest.mark.parametrize("junk", [b"", b"1", b"\xff\x00x", b"4711", b"[1]"])
def test_what_a_lock_file_holds_locks_nobody_out(tmp_path: Path, junk: bytes) -> None:
    path = tmp_path / "x.lock"
    path.write_bytes(junk)
    assert read_holder(path) is None
    with FileLock(path):
        pass


def test_the_holder_can_be_read_while_it_holds(tmp_path: Path) -> None:
    path = tmp_path / "x.lock"
    with FileLock(path) as lock:
        lock.write_holder({"pid": 4711, "workspace": "/a longer text that is overwritten"})
        lock.write_holder({"pid": 12})
        assert read_holder(path) == {"pid": 12}
    assert read_holder(tmp_path / "missing.lock") is None


def test_a_lock_file_behind_a_link_is_refused(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (tmp_path / "link").symlink_to(outside)
    with pytest.raises(MemoryFilesError):
        FileLock(tmp_path / "link" / "x.lock").acquire()
    (tmp_path / "x.lock").symlink_to(outside / "x.lock")
    with pytest.raises(OSError, match=r"symbolic links|symlink"):
        FileLock(tmp_path / "x.lock").acquire()
    assert not list(outside.iterdir())


def test_misuse_is_an_error(tmp_path: Path) -> None:
    lock = FileLock(tmp_path / "x.lock")
    with pytest.raises(RuntimeError):
        lock.fileno()
    with lock, pytest.raises(RuntimeError):
        lock.acquire()
