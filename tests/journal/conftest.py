from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from qmemd.journal import InMemoryJournal
from qmemd.journal.sqlite import SqliteJournal
from tests.conftest import FakeClock
from tests.journal.desk import Desk

MakeDesk = Callable[..., Desk]


@pytest.fixture(params=["memory", "sqlite"])
def make_desk(
    request: pytest.FixtureRequest, clock: FakeClock, tmp_path: Path
) -> Iterator[MakeDesk]:
    """Makes desks with a journal of each kind, with limits that a test sets."""
    with ExitStack() as stack:

        def make(**limits: int) -> Desk:
            if request.param == "memory":
                return Desk(clock, InMemoryJournal(clock, **limits))
            journal = SqliteJournal(tmp_path / "journal.sqlite3", clock, **limits)
            stack.callback(journal.close)
            return Desk(clock, journal)

        yield make


@pytest.fixture
def desk(make_desk: MakeDesk) -> Desk:
    return make_desk()
