from __future__ import annotations

from datetime import UTC, datetime

import pytest

from qmemd.client.errors import TaskFailedError, UnexpectedAnswerError, WaitTimeoutError
from qmemd.client.task_handle import TaskHandle
from qmemd.client.wire import task_from_wire
from qmemd.kinds import Scope, TaskKind
from qmemd.results import RememberResult
from qmemd.tasks import Remember, Task, TaskFailure

NOW = datetime(2030, 1, 1, tzinfo=UTC)
QUEUED = Task.queued("remember-1", Remember("x"), None, NOW)
RUNNING = QUEUED.running(NOW)
DONE = RUNNING.finished(RememberResult("ok"), NOW)
FAILED = RUNNING.finished(TaskFailure.of("remember_no_update", "why"), NOW)


class Daemon:
    """Answers polls with the next of its states, and the clock moves as it waits."""

    def __init__(self, *states: Task, patient: bool = True) -> None:
        self.states = list(states)
        self.patient = patient
        self.now = 0.0
        self.waits: list[float] = []
        self.timeouts: list[float | None] = []
        self.slept: list[float] = []

    def task(
        self,
        kind: TaskKind | str,
        task_id: str,
        *,
        wait: float = 0,
        timeout: float | None = None,
    ) -> Task:
        assert (kind, task_id) == ("remember", "remember-1")
        self.waits.append(wait)
        self.timeouts.append(timeout)
        state = self.states.pop(0)
        if self.patient and not state.status.terminal:
            self.now += wait
        return state

    def cancel(self, kind: TaskKind | str, task_id: str) -> Task:
        return self.task(kind, task_id)

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds

    def handle(self) -> TaskHandle:
        return TaskHandle(self, QUEUED, clock=lambda: self.now, sleep=self.sleep)


def test_waiting_asks_the_daemon_to_wait() -> None:
    daemon = Daemon(RUNNING, RUNNING, DONE)
    handle = daemon.handle()
    assert handle.wait() == DONE
    assert daemon.waits == [30, 30, 30]
    assert set(daemon.slept) == {0.0}
    assert handle.result() == RememberResult("ok")
    assert handle.status == "completed"


def test_a_daemon_that_does_not_wait_is_not_asked_all_the_time() -> None:
    daemon = Daemon(QUEUED, RUNNING, DONE, patient=False)
    daemon.handle().wait()
    assert daemon.slept == [0.2, 0.2]


def test_it_is_asked_less_often_while_nothing_happens() -> None:
    daemon = Daemon(*[QUEUED] * 12, RUNNING, DONE, patient=False)
    daemon.handle().wait()
    assert daemon.slept[:3] == pytest.approx([0.2, 0.3, 0.45])
    assert daemon.slept[8:12] == [2.0] * 4
    assert daemon.slept[12] == 0.2  # something did


def test_who_wants_to_know_of_each_step_does_not_ask_all_the_time() -> None:
    daemon = Daemon(*[QUEUED] * 12, RUNNING, DONE)
    daemon.handle().wait(on_progress=lambda _: None)
    assert daemon.waits[:2] == pytest.approx([0.2, 0.3])
    assert daemon.waits[8:13] == [2.0] * 5
    assert daemon.waits[13] == 30


def test_a_daemon_that_hangs_does_not_hold_the_waiting_for_long() -> None:
    daemon = Daemon(RUNNING, RUNNING)
    with pytest.raises(WaitTimeoutError):
        daemon.handle().wait(timeout=31)
    assert daemon.waits == [30, 1]
    assert daemon.timeouts == [6, 5]
    daemon = Daemon(DONE)
    daemon.handle().wait()
    assert daemon.timeouts == [None]


def test_each_new_status_is_told() -> None:
    told: list[str] = []
    daemon = Daemon(QUEUED, RUNNING, RUNNING, DONE)
    daemon.handle().wait(on_progress=lambda t: told.append(t.status))
    assert told == ["queued", "running", "completed"]


def test_the_time_ends() -> None:
    daemon = Daemon(RUNNING, RUNNING, RUNNING)
    with pytest.raises(WaitTimeoutError) as late:
        daemon.handle().wait(timeout=45)
    assert isinstance(late.value, TimeoutError)
    assert late.value.code == "wait_timeout"
    assert daemon.waits == [30, 15]
    with pytest.raises(WaitTimeoutError):
        daemon.handle().wait(timeout=0)


def test_a_failure_is_raised_with_its_code() -> None:
    with pytest.raises(TaskFailedError) as failed:
        Daemon(FAILED).handle().result()
    assert (failed.value.code, failed.value.details) == ("remember_no_update", "why")
    assert failed.value.task == FAILED
    assert Daemon(FAILED).handle().wait() == FAILED


def test_refreshing_and_cancelling() -> None:
    daemon = Daemon(RUNNING, FAILED)
    handle = daemon.handle()
    assert handle.refresh() == RUNNING == handle.task
    assert handle.cancel() == FAILED
    assert repr(handle) == "<TaskHandle remember-1 failed>"


def test_a_task_comes_over_the_wire() -> None:
    wire = DONE.to_wire() | {"scope": "user", "more": 1}
    task = task_from_wire(wire)
    assert (task.kind, task.scope, task.result) == ("remember", Scope.USER, DONE.result)
    assert task_from_wire(FAILED.to_wire()).error == FAILED.error
    assert task_from_wire(QUEUED.to_accepted_wire()).status == "queued"


@pytest.mark.parametrize(
    "wire",
    [
        None,
        [],
        {},
        DONE.to_wire() | {"taskId": "sing-1"},
        DONE.to_wire() | {"taskId": 1},
        DONE.to_wire() | {"status": "done"},
        DONE.to_wire() | {"createdAt": "today"},
        DONE.to_wire() | {"result": {"summary": 1}},
        FAILED.to_wire() | {"error": "no"},
    ],
)
def test_what_is_no_task(wire: object) -> None:
    with pytest.raises(UnexpectedAnswerError):
        task_from_wire(wire)
