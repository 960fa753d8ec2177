from __future__ import annotations

import logging
import stat
import time
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from qmemd.kinds import ChangeState
from qmemd.memory.changes import ChangeSet
from qmemd.memory.history import History
from tests.memory.test_changes import CHANGE_SET
from tests.memory.world import NOW


def _change_set(
    number: int, *, state: ChangeState = ChangeState.APPLIED, task: str = "", minutes: int = 0
) -> ChangeSet:
    return replace(
        CHANGE_SET,
        change_set_id=f"c-{number}",
        task_id=task or f"remember-{number}",
        state=state,
        created_at=CHANGE_SET.created_at + timedelta(minutes=minutes),
    )


def test_a_change_set_is_open_until_it_is_closed(tmp_path: Path) -> None:
    history = History(tmp_path / "qmemd" / "history")
    assert (history.has_open(), history.opened()) == (False, [])
    opened = _change_set(1, state=ChangeState.OPEN)
    history.open(opened)
    assert history.has_open()
    assert history.opened() == [opened]
    assert history.load("c-1") is None
    assert history.find_task("remember-1") == opened
    closed = replace(opened, state=ChangeState.APPLIED)
    history.close(closed)
    assert (history.has_open(), history.opened()) == (False, [])
    assert history.load("c-1") == history.find_task("remember-1") == closed


def test_the_history_is_private(tmp_path: Path) -> None:
    history = History(tmp_path / "history")
    history.open(_change_set(1))
    history.close(_change_set(1))
    paths = [tmp_path / "history", *(tmp_path / "history").rglob("*")]
    modes = {(path.is_dir(), stat.S_IMODE(path.stat().st_mode)) for path in paths}
    assert modes == {(True, 0o700), (False, 0o600)}


def test_a_closed_one_wins_over_an_open_one_that_came_back(tmp_path: Path) -> None:
    history = History(tmp_path)
    history.open(_change_set(1, state=ChangeState.OPEN))
    leftover = next((tmp_path / "open").iterdir())
    data = leftover.read_bytes()
    history.close(_change_set(1))
    leftover.write_bytes(data)
    assert history.opened() == []
    assert not leftover.exists()
    found = history.find_task("remember-1")
    assert found is not None
    assert found.state is ChangeState.APPLIED


def test_the_newest_comes_first(tmp_path: Path) -> None:
    history = History(tmp_path)
    for number, minutes in ((1, 5), (2, 9), (3, 1)):
        history.close(_change_set(number, minutes=minutes))
    assert [one.change_set_id for _, one in history.newest_first()] == ["c-2", "c-1", "c-3"]


def test_of_several_change_sets_of_a_task_the_one_that_counts_is_found(tmp_path: Path) -> None:
    history = History(tmp_path)
    task = "remember-x.y/z"
    history.close(_change_set(1, state=ChangeState.CONFLICT, task=task))
    found = history.find_task(task)
    assert found is not None
    assert found.state is ChangeState.CONFLICT
    history.close(_change_set(2, task=task, minutes=1))
    history.close(_change_set(3, state=ChangeState.CONFLICT, task=task, minutes=2))
    found = history.find_task(task)
    assert found is not None
    assert found.change_set_id == "c-2"
    assert history.find_task("remember-x") is None
    assert history.find_task("y/z") is None


def test_junk_is_left_alone_and_stops_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    history = History(tmp_path)
    history.open(_change_set(1, state=ChangeState.OPEN))
    history.close(_change_set(2))
    for directory in ("open", "closed"):
        for name in ("x", "x.json", ".qmemd-1.tmp", "20260730T101112345Z.c-9.t.json"):
            (tmp_path / directory / name).write_bytes(b"junk")
    (tmp_path / "open" / "20260730T101112345Z.c-8.t.json").mkdir()
    with caplog.at_level(logging.WARNING):
        assert [one.change_set_id for _, one in history.newest_first()] == ["c-2"]
        assert "junk" not in caplog.text
    assert history.load("c-9") is None


def test_what_is_too_old_is_forgotten(tmp_path: Path) -> None:
    history = History(tmp_path)
    for number, days in ((1, 40), (2, 31), (3, 29), (4, 0)):
        history.close(_change_set(number, minutes=-days * 24 * 60))
    history.open(_change_set(5, state=ChangeState.OPEN, minutes=-90 * 24 * 60))
    assert history.prune(NOW, is_unfinished=lambda _, task: task == "remember-2") == 1
    assert [one.change_set_id for _, one in history.newest_first()] == ["c-4", "c-3", "c-2"]
    assert len(history.opened()) == 1


def test_what_is_too_much_is_forgotten_oldest_first(tmp_path: Path) -> None:
    history = History(tmp_path)
    for number in range(1, 6):
        history.close(_change_set(number, minutes=number))
    size = next((tmp_path / "closed").iterdir()).stat().st_size
    assert (
        history.prune(NOW, max_bytes=3 * size, is_unfinished=lambda _, task: task == "remember-1")
        == 1
    )
    assert [one.change_set_id for _, one in history.newest_first()] == ["c-5", "c-4", "c-3", "c-1"]


def test_what_dead_writers_left_is_swept_and_nothing_else(tmp_path: Path) -> None:
    history = History(tmp_path)
    history.sweep()
    history.open(_change_set(1, state=ChangeState.OPEN))
    history.close(_change_set(2))
    expected = sorted(tmp_path.rglob("*"))
    for directory in ("open", "closed"):
        (tmp_path / directory / ".qmemd-0123456789abcdef.tmp").write_bytes(b"half")
    History(tmp_path).sweep()
    assert sorted(tmp_path.rglob("*")) == expected


def test_the_ids_of_what_is_open_are_known_without_reading(tmp_path: Path) -> None:
    history = History(tmp_path)
    assert history.open_ids() == frozenset()
    history.open(_change_set(1, state=ChangeState.OPEN))
    (tmp_path / "open" / "20260730T101112345Z.c-9.t.json").write_bytes(b"junk")
    assert history.open_ids() == {"c-1", "c-9"}


@pytest.mark.slow
def test_twenty_thousand_change_sets_are_no_burden(tmp_path: Path) -> None:
    history = History(tmp_path)
    history.close(_change_set(0, minutes=1))
    for number in range(20_000):
        name = f"20260730T101112345Z.x-{number}.remember-x{number}.json"
        (tmp_path / "closed" / name).write_bytes(b"unread")
    began = time.process_time()
    found = history.find_task("remember-0")
    assert history.load("c-0") == found is not None
    assert history.prune(NOW) == 0
    history.sweep()
    # Seconds: a hundred times less than reading them all, with room for a busy machine.
    assert time.process_time() - began < 2


def test_a_history_behind_a_link_is_not_pruned(tmp_path: Path) -> None:
    History(tmp_path / "real").close(_change_set(1, minutes=-90 * 24 * 60))
    (tmp_path / "linked").symlink_to(tmp_path / "real")
    assert History(tmp_path / "linked").prune(NOW) == 0
    assert History(tmp_path / "none").prune(NOW) == 0
    assert History(tmp_path / "real").prune(NOW) == 1
