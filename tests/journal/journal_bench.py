"""What a task costs in each journal: ``python -m tests.journal.journal_bench``."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from qmemd.journal import InMemoryJournal
from qmemd.journal.sqlite import SqliteJournal
from tests.conftest import FakeClock
from tests.journal.desk import Desk

TASKS = 2_000


def seconds_per_task(desk: Desk) -> float:
    begun = time.perf_counter()
    for _ in range(TASKS):
        desk.put()
        desk.run()
    return (time.perf_counter() - begun) / TASKS


def main() -> None:
    with tempfile.TemporaryDirectory() as directory:
        journal = SqliteJournal(Path(directory) / "journal.sqlite3")
        on_disk = seconds_per_task(Desk(FakeClock(), journal))
        journal.close()
    in_memory = seconds_per_task(Desk(FakeClock(), InMemoryJournal()))
    print(  # noqa: T201 — its purpose
        f"accept, claim, start and finish: {on_disk * 1e6:.0f} µs on disk, "
        f"{in_memory * 1e6:.0f} µs in memory, ratio {on_disk / in_memory:.0f}"
    )


if __name__ == "__main__":
    main()
