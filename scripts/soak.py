#!/usr/bin/env python3
"""Runs very many tasks through one daemon, and prints how its memory and its speed develop.

Usage: soak.py [TASKS]   (default: 20000; some minutes). Run inside the environment.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

import psutil

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from qmemd import Daemon, Settings

WARMING = 2_000
"""Tasks after which memory and speed are compared."""
BLOCK = 1_000
FACTS = 40
"""Facts that come and go, so that the files do not grow."""


def resident(process: psutil.Process) -> float:
    """MiB of a process and its children."""
    members = [process, *process.children(recursive=True)]
    return sum(member.memory_info().rss for member in members) / 2**20


def main() -> int:
    tasks = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    process = psutil.Process()
    with tempfile.TemporaryDirectory(prefix="qmemd-soak-") as directory:
        root = Path(directory)
        (root / "work").mkdir()
        environ = {"PATH": os.environ["PATH"], "HOME": directory, "LANG": "C.UTF-8"}
        settings = Settings(
            workspace=root / "work",
            http=False,
            model="offline",
            base=root / "base",
            state_dir=root / "state",
            environ=environ,
        )
        blocks: list[tuple[float, float]] = []
        with Daemon(settings) as daemon:
            begun = time.perf_counter()
            for number in range(1, tasks + 1):
                place = number // 2 % FACTS
                fact = f"The machine in rack {place} is called host-{place:03}"
                future = daemon.forget(fact) if number % 2 else daemon.remember(fact)
                if future.result(60).status != "completed":
                    print("a task failed", future.result().error)
                    return 1
                if number % BLOCK == 0:
                    now = time.perf_counter()
                    blocks.append(((now - begun) / BLOCK * 1000, resident(process)))
                    begun = now
                    print(
                        f"{number:6} tasks  {blocks[-1][0]:6.2f} ms each  {blocks[-1][1]:6.1f} MiB",
                        flush=True,
                    )
    if tasks > WARMING + BLOCK:
        warm = blocks[WARMING // BLOCK - 1]
        print(f"memory grew by {(blocks[-1][1] / warm[1] - 1) * 100:+.1f} % since {WARMING} tasks")
        print(f"a task takes {blocks[-1][0] / blocks[0][0]:.2f} times as long as at first")
    return 0


if __name__ == "__main__":
    sys.exit(main())
