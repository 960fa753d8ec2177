from __future__ import annotations

import json
import threading
from collections.abc import Callable

import pytest

from qmemd.actors.board import TaskBoard
from qmemd.errors import RequestError
from qmemd.results import RememberResult
from qmemd.tasks import Remember, Task
from tests.conftest import FakeClock


@pytest.fixture
def task(clock: FakeClock) -> Task:
    return Task.queued("remember-1", Remember("x"), None, clock())


@pytest.fixture
def queued() -> list[Callable[[], None]]:
    return []


@pytest.fixture
def board(queued: list[Callable[[], None]]) -> TaskBoard:
    return TaskBoard(queued.append)


def test_the_body_is_rendered_with_each_snapshot(
    board: TaskBoard, task: Task, clock: FakeClock
) -> None:
    board.post(task)
    first = board.get(task.task_id)
    assert first
    assert json.loads(first.body)["status"] == "queued"
    board.post(task.running(clock()))
    assert json.loads(board.get(task.task_id).body)["status"] == "running"  # type: ignore[union-attr]
    assert json.loads(first.body)["status"] == "queued"


def test_futures_are_settled_elsewhere_and_only_by_an_end(
    board: TaskBoard, task: Task, clock: FakeClock, queued: list[Callable[[], None]]
) -> None:
    board.post(task)
    future = board.watch(task.task_id)
    board.post(task.running(clock()))
    assert queued == []
    end = task.finished(RememberResult("ok"), clock())
    board.post(end)
    assert not future.done()
    queued.pop()()
    assert future.result(0) == end
    assert board.watch(task.task_id).result(0) == end


def test_watching_an_unknown_task_is_a_key_error(board: TaskBoard) -> None:
    with pytest.raises(KeyError):
        board.watch("remember-none")


def test_closing_fails_the_futures_that_are_still_open(
    board: TaskBoard, task: Task, queued: list[Callable[[], None]]
) -> None:
    board.post(task)
    before = board.watch(task.task_id)
    board.close()
    queued.pop()()
    for future in (before, board.watch(task.task_id)):
        with pytest.raises(RequestError) as stopped:
            future.result(0)
        assert stopped.value.code == "daemon_stopping"


def test_dropped_records_are_gone(board: TaskBoard, task: Task) -> None:
    board.post(task)
    board.drop([task.task_id, "remember-unknown"])
    assert board.get(task.task_id) is None


def test_an_alarm_goes_off_at_the_end_for_all_who_wait(
    board: TaskBoard, task: Task, clock: FakeClock
) -> None:
    board.post(task)
    with board.alarm(task.task_id) as one, board.alarm(task.task_id) as two:
        board.post(task.running(clock()))
        assert not one.is_set()
        board.post(task.finished(RememberResult("ok"), clock()))
        assert one.is_set()
        assert two.is_set()
    assert board._alarms == {}


def test_there_is_no_waiting_for_what_is_over(
    board: TaskBoard, task: Task, clock: FakeClock
) -> None:
    with board.alarm("unknown") as alarm:
        assert alarm.is_set()
    board.post(task.finished(RememberResult("ok"), clock()))
    with board.alarm(task.task_id) as alarm:
        assert alarm.is_set()
    assert board._alarms == {}


def test_closing_the_board_ends_all_waiting(board: TaskBoard, task: Task) -> None:
    board.post(task)
    with board.alarm(task.task_id) as alarm:
        board.close()
        assert alarm.is_set()
    with board.alarm(task.task_id) as alarm:
        assert alarm.is_set()


def test_one_who_leaves_early_takes_no_alarm_from_the_others(
    board: TaskBoard, task: Task, clock: FakeClock
) -> None:
    board.post(task)
    with board.alarm(task.task_id) as stays:
        with board.alarm(task.task_id) as leaves:
            leaves.set()
        assert not stays.is_set()
        board.post(task.finished(RememberResult("ok"), clock()))
        assert stays.is_set()
    assert board._alarms == {}


def test_alarms_are_of_one_task_only(board: TaskBoard, task: Task, clock: FakeClock) -> None:
    other = Task.queued("remember-2", Remember("y"), None, clock())
    board.post(task)
    board.post(other)
    with board.alarm(task.task_id) as alarm:
        board.post(other.finished(RememberResult("ok"), clock()))
        assert not alarm.is_set()


def test_a_task_that_ended_and_was_dropped_meanwhile_leaves_nothing(
    board: TaskBoard, task: Task, clock: FakeClock
) -> None:
    board.post(task)
    with board.alarm(task.task_id) as alarm:
        board.post(task.finished(RememberResult("ok"), clock()))
        board.drop([task.task_id])
        assert alarm.is_set()
    with board.alarm(task.task_id) as alarm:
        assert alarm.is_set()
    assert (board._alarms, board._waiting, board._posted) == ({}, {}, {})


def test_a_board_that_is_closed_keeps_no_alarms(board: TaskBoard, task: Task) -> None:
    board.post(task)
    with board.alarm(task.task_id), board.alarm(task.task_id):
        board.close()
    with board.alarm(task.task_id):
        pass
    assert board._alarms == {}


def test_an_end_wakes_the_threads_that_wait(board: TaskBoard, task: Task, clock: FakeClock) -> None:
    board.post(task)
    waiting = threading.Barrier(5)
    woken: list[bool] = []

    def wait() -> None:
        with board.alarm(task.task_id) as alarm:
            waiting.wait(5)
            woken.append(alarm.wait(5))

    threads = [threading.Thread(target=wait) for _ in range(4)]
    for thread in threads:
        thread.start()
    waiting.wait(5)
    board.post(task.finished(RememberResult("ok"), clock()))
    for thread in threads:
        thread.join(5)
    assert woken == [True] * 4
    assert board._alarms == {}
