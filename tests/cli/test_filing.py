"""Facts on their way to a daemon that is busy, refuses them, or is not there."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from qmemd.cli.filing import SHORTEST_PAUSE, Filing
from qmemd.cli.interruption import Interruption
from qmemd.client import ClientError, DaemonUnreachableError, RequestRefusedError, TaskHandle
from qmemd.kinds import Scope, TaskKind
from qmemd.porting.remembering import NotRememberedError, Remembered
from qmemd.results import RememberResult
from qmemd.tasks import Remember, Task, TaskFailure

NOW = datetime(2030, 1, 1, tzinfo=UTC)
RUNNING = Task.queued("remember-1", Remember("x"), None, NOW).running(NOW)
DONE = RUNNING.finished(RememberResult("Remembered.", change_set_id="set-1"), NOW)
FULL = RequestRefusedError("full", "remember_queue_full", 429, {})
LIMITED = RequestRefusedError("slowly", "rate_limit_exceeded", 429, {"retryAfter": "7"})
DOWN = DaemonUnreachableError("nobody answers", "daemon_unreachable")


class Daemon:
    """Refuses some requests, then takes one, whose task ends like this."""

    def __init__(self, *refusals: ClientError, ended: Task = DONE) -> None:
        self.refusals = list(refusals)
        self.slept: list[float] = []
        self.connected = 0
        self._ended = ended

    def filing(self, interruption: Interruption | None = None) -> Filing:
        return Filing(self.connect, interruption or Interruption(), sleep=self.slept.append)

    def connect(self) -> Daemon:
        self.connected += 1
        return self

    def remember(self, text: str, *, scope: Scope | None = None) -> TaskHandle:
        assert (text, scope) == ("a fact", Scope.USER)
        if self.refusals:
            raise self.refusals.pop(0)
        return TaskHandle(self, RUNNING)

    def task(
        self,
        kind: TaskKind | str,
        task_id: str,
        *,
        wait: float = 0,
        timeout: float | None = None,
    ) -> Task:
        assert (kind, task_id, timeout) == ("remember", "remember-1", None)
        assert wait > 0
        return self._ended

    def cancel(self, kind: TaskKind | str, task_id: str) -> Task:
        return self.task(kind, task_id, wait=1)


def test_a_daemon_is_looked_for_once() -> None:
    daemon = Daemon()
    filing = daemon.filing()
    assert daemon.connected == 0
    for _ in range(2):
        assert filing.remember("a fact", Scope.USER) == Remembered("Remembered.", "set-1")
    assert daemon.connected == 1


def test_no_room_is_waited_for_as_long_as_the_daemon_says() -> None:
    daemon = Daemon(FULL, LIMITED, FULL)
    assert daemon.filing().remember("a fact", Scope.USER).change_set_id == "set-1"
    assert daemon.slept == [SHORTEST_PAUSE, 7, SHORTEST_PAUSE]


@pytest.mark.parametrize(
    ("refusal", "missing"),
    [(DOWN, True), (RequestRefusedError("no", "invalid_content", 400, {}), False)],
)
def test_a_refusal_is_of_one_fact_and_no_daemon_is_of_all(
    refusal: ClientError, missing: bool
) -> None:
    filing = Daemon(refusal).filing()
    with pytest.raises(NotRememberedError) as caught:
        filing.remember("a fact", Scope.USER)
    assert str(caught.value) == refusal.message
    assert caught.value.others_too is filing.daemon_missing is missing


def test_a_task_that_fails_says_why() -> None:
    failed = RUNNING.finished(TaskFailure.of("remember_failed", "the disk is full"), NOW)
    with pytest.raises(NotRememberedError, match="the disk is full") as caught:
        Daemon(ended=failed).filing().remember("a fact", Scope.USER)
    assert not caught.value.others_too


def test_after_ctrl_c_nothing_is_begun() -> None:
    interruption = Interruption()
    interruption.seen = True
    daemon = Daemon()
    with pytest.raises(NotRememberedError, match="interrupted"):
        daemon.filing(interruption).remember("a fact", Scope.USER)
    assert daemon.connected == 0
