from __future__ import annotations

import itertools
import os
import subprocess
import sys
import threading
from collections.abc import Iterator

import psutil
import pytest

from qmemd.acp.memory_watch import MemoryWatch, resident_memory

LIMIT = 10.0
MIB = 1024 * 1024


class Bench:
    """A watch over a group that uses what a test says, in mebibytes."""

    def __init__(self, uses: Iterator[int]) -> None:
        self.exceeded = threading.Semaphore(0)
        self.looks = threading.Semaphore(0)
        self._uses = uses
        self.watch = MemoryWatch(
            7, 10 * MIB, self.exceeded.release, measure=self._measure, between_looks=0.001
        )
        self.watch.start()

    def _measure(self, group: int) -> int:
        assert group == 7
        self.looks.release()
        return next(self._uses) * MIB


def test_nothing_happens_up_to_the_limit() -> None:
    bench = Bench(itertools.repeat(10))
    for _ in range(20):
        assert bench.looks.acquire(timeout=LIMIT)
    bench.watch.stop()
    assert bench.watch.failure is None
    assert not bench.exceeded.acquire(blocking=False)


def test_over_the_limit_it_is_said_once_and_acted_on_until_it_is_stopped() -> None:
    bench = Bench(itertools.chain([5, 10, 12], itertools.count(90)))
    for _ in range(3):
        assert bench.exceeded.acquire(timeout=LIMIT)
    bench.watch.stop()
    assert bench.watch.failure == "it used 12 MiB of memory, and its limit is 10 MiB"


def test_when_it_cannot_look_it_says_so_and_ends(caplog: pytest.LogCaptureFixture) -> None:
    bench = Bench(iter(()))
    assert bench.looks.acquire(timeout=LIMIT)
    bench.watch.stop()
    assert bench.watch.failure is None
    assert "the memory of child 7 cannot be watched" in caplog.text


def test_it_may_be_stopped_before_it_looked() -> None:
    watch = MemoryWatch(7, MIB, lambda: None, measure=lambda _: 99 * MIB, between_looks=60)
    watch.start()
    watch.stop()
    assert watch.failure is None


def test_a_group_uses_what_its_processes_use_together() -> None:
    code = (
        "import subprocess, sys\n"
        "eaten = b'x' * (40 << 20)\n"
        "other = sys.argv[1:] and subprocess.Popen([sys.executable, '-c', sys.argv[1]],\n"
        "    stdin=subprocess.PIPE, stdout=subprocess.PIPE)\n"
        "other and other.stdout.readline()\n"
        "print(flush=True)\n"
        "sys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    ) as leader:
        assert leader.stdout
        leader.stdout.readline()
        used = resident_memory(leader.pid)
        alone = psutil.Process(leader.pid).memory_info().rss
        leader.communicate()
    assert 40 * MIB < alone < 80 * MIB < used < 160 * MIB
    assert resident_memory(-1) == 0
    assert resident_memory(os.getpgrp()) > 0
