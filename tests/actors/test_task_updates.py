from __future__ import annotations

import logging

import pytest

from qmemd.actors.task_updates import log_update, update_of
from qmemd.kinds import TaskStatus
from qmemd.results import RememberResult, Usage
from qmemd.tasks import Remember, Task, TaskFailure
from tests.conftest import FakeClock

FACT = "The user likes tea"


class Life:
    """One task, and the lines of the log that its steps made."""

    def __init__(self, clock: FakeClock, caplog: pytest.LogCaptureFixture) -> None:
        caplog.set_level(logging.INFO, "qmemd.actors.task_updates")
        self.clock = clock
        self._caplog = caplog
        self.task: Task | None = None

    def step(self, now: Task) -> None:
        self.update = update_of(self.task, now)
        log_update(self.update)
        self.task = now

    @property
    def records(self) -> list[logging.LogRecord]:
        return [*self._caplog.get_records("setup"), *self._caplog.get_records("call")]

    @property
    def lines(self) -> list[str]:
        return [record.getMessage() for record in self.records]


@pytest.fixture
def life(clock: FakeClock, caplog: pytest.LogCaptureFixture) -> Life:
    life = Life(clock, caplog)
    life.step(Task.queued("remember-1", Remember(FACT), "client_1", clock.now))
    clock.advance(seconds=2)
    return life


def test_a_whole_life_in_the_log(life: Life, clock: FakeClock) -> None:
    assert life.task
    life.step(life.task.running(clock.now))
    clock.advance(seconds=0.5)
    result = RememberResult(f"Remembered {FACT}", usage=Usage(1, 20, 3))
    life.step(life.task.finished(result, clock.now))
    assert life.lines == [
        "remember-1 accepted",
        "remember-1 started after 2.000 s in the queue",
        "remember-1 completed after 0.500 s running",
    ]
    shown = [vars(record) for record in life.records]
    assert {(each["taskId"], each["kind"], each["clientId"]) for each in shown} == {
        ("remember-1", "remember", "client_1")
    }
    assert [each.get("durationMs") for each in shown] == [None, None, 500]
    assert life.update.before is TaskStatus.RUNNING
    assert (life.update.seconds, life.update.usage) == (0.5, Usage(1, 20, 3))
    assert FACT not in repr(shown)


def test_a_failure_says_its_code_and_none_of_its_details(life: Life, clock: FakeClock) -> None:
    assert life.task
    life.step(life.task.finished(TaskFailure.of("task_cancelled", FACT), clock.now))
    assert life.lines[-1] == "remember-1 task_cancelled after 2.000 s in the queue"
    assert vars(life.records[-1])["code"] == "task_cancelled"
    assert life.update.code == "task_cancelled"
    assert FACT not in repr(vars(life.records[-1]))


def test_a_run_that_was_given_back_is_queued_again(life: Life, clock: FakeClock) -> None:
    assert life.task
    life.step(life.task.running(clock.now))
    life.step(life.task.requeued(clock.now))
    assert life.lines[-1] == "remember-1 queued again"


def test_a_clock_that_is_set_back_makes_no_time_negative(life: Life, clock: FakeClock) -> None:
    assert life.task
    clock.advance(seconds=-10)
    life.step(life.task.running(clock.now))
    assert life.update.seconds == 0


def test_a_task_that_nobody_knew_ends_without_a_duration(life: Life, clock: FakeClock) -> None:
    assert life.task
    ended = life.task.finished(RememberResult("x"), clock.now)
    life.task = None
    life.step(ended)
    assert life.lines[-1] == "remember-1 completed"
