from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from datetime import UTC, datetime
from typing import Any

import pytest

from qmemd.acp.connection import Call
from qmemd.acp.messages import AVAILABILITY, CANCEL, INITIALIZE, REMEMBER, Response, RpcError
from qmemd.acp.process import ExitInfo
from qmemd.actors.bridge_limits import BridgeLimits
from qmemd.actors.bridge_state import BridgeState
from qmemd.actors.child_events import (
    Alarm,
    ChildExited,
    ReplyArrived,
)
from qmemd.actors.timers import Timers
from qmemd.kinds import Scope
from qmemd.messages import (
    Availability,
    AvailabilityChanged,
    ChildPhase,
    RunTask,
    StopChild,
    TaskFinished,
)
from qmemd.results import RememberResult, TaskResult
from qmemd.tasks import Dream, Forget, Remember, Task, TaskFailure
from tests.actors.fake_timers import FakeTimers
from tests.conftest import FakeClock

RESULT = {"summary": "s", "filesTouched": [], "touchedScopes": []}
APPLIED = RememberResult("applied", ("/m/a.md",), (Scope.USER,))


def make_task(task_id: str = "remember-1", client_id: str | None = None) -> Task:
    return Task.queued(task_id, Remember("a fact"), client_id, datetime(2026, 1, 1, tzinfo=UTC))


class FakeChild:
    """Records what it is told; `open` holds the calls that it did not answer yet."""

    def __init__(self, number: int, delay: float) -> None:
        self.number = number
        self.delay = delay
        self.pid = 1000 + number
        self.stderr_tail_bytes = 0
        self.calls: list[tuple[str, Any]] = []
        self.notes: list[tuple[str, Any]] = []
        self.open: dict[str, Call] = {INITIALIZE: Call(0, INITIALIZE)}
        self.reachable = True
        self.makes_changes = False
        self.ends: list[str] = []

    def call(self, method: str, params: object, task: Task | None = None) -> Call | None:
        assert (task is None) == (method == AVAILABILITY)
        if not self.reachable:
            return None
        self.calls.append((method, params))
        self.open[method] = Call(len(self.calls), method)
        return self.open[method]

    def notify(self, method: str, params: object) -> None:
        self.notes.append((method, params))

    def give_up(self, call: Call) -> bool:
        return self.open.pop(call.method, None) is not None

    def stop(self, grace: float) -> None:
        self.ends.append(f"stop {grace:g}")

    def kill(self) -> None:
        self.ends.append("kill")


class Bench:
    def __init__(self, **options: Any) -> None:
        self.told: list[Any] = []
        self.children: list[FakeChild] = []
        self.timers = FakeTimers()
        self.now = 0.0
        settings: dict[str, Any] = {
            "start_child": self._start_child,
            "lane": self.told.append,
            "timers": Timers(self.timers.ticks.append, self.timers.start),
            "workspace": "/w",
            "task_timeout": 300,
            "idle_timeout": 60,
            "limits": BridgeLimits(),
            "clock": lambda: self.now,
        }
        self.state = BridgeState(**settings | options)

    def _start_child(self, number: int, delay: float) -> FakeChild:
        self.children.append(FakeChild(number, delay))
        return self.children[-1]

    @property
    def child(self) -> FakeChild:
        return self.children[-1]

    @property
    def outcomes(self) -> list[Any]:
        return [message.outcome for message in self.told if isinstance(message, TaskFinished)]

    @property
    def availability(self) -> list[Availability]:
        told = [message for message in self.told if isinstance(message, AvailabilityChanged)]
        return [message.availability for message in told]

    def do(self, action: Callable[[Any], None], argument: Any) -> None:
        action(argument)
        self.state.advance()

    def run(self, task_id: str = "remember-1") -> Task:
        task = make_task(task_id)
        self.do(self.state.run_task, RunTask(task, "/w"))
        return task

    def reply(self, method: str, result: Any = None, error: RpcError | None = None) -> ReplyArrived:
        call = self.child.open.pop(method)
        message = ReplyArrived(self.child.number, call, Response(call.id, result, error))
        self.do(self.state.reply_arrived, message)
        return message

    def live(self) -> None:
        self.state.want_child()
        self.state.advance()
        self.reply(INITIALIZE, {"protocolVersion": 1})
        self.reply(AVAILABILITY, {"available": True})

    def exit(self, settled: TaskResult | None = None) -> None:
        child = self.child
        info = ExitInfo(1, "", None)
        self.do(self.state.child_exited, ChildExited(child.number, info, settled))

    def alarm(self, alarm: Alarm) -> None:
        """The timer of this purpose that runs now runs out."""
        (current,) = [
            timer for timer in self.timers.started if not timer.cancelled and self._is(timer, alarm)
        ]
        self.timers.started.remove(current)
        current.action()
        self.do(self.state.tick, self.timers.ticks[-1])

    def _is(self, timer: Any, alarm: Alarm) -> bool:
        timer.action()
        return self.timers.ticks.pop().alarm is alarm

    def seconds(self, alarm: Alarm) -> list[float]:
        """The timers of this purpose that run."""
        running = [timer for timer in self.timers.started if not timer.cancelled]
        return [timer.seconds for timer in running if self._is(timer, alarm)]


def code_of(outcome: Any) -> str | None:
    return outcome.code if isinstance(outcome, TaskFailure) else None


def test_a_task_starts_a_child_and_is_sent_after_the_handshake() -> None:
    bench = Bench()
    bench.run()
    assert bench.child.calls == []
    assert bench.state.snapshot().phase is ChildPhase.STARTING
    bench.reply(INITIALIZE, {})
    assert bench.child.calls == [
        (AVAILABILITY, {"cwd": "/w"}),
        (
            REMEMBER,
            {
                "content": "a fact",
                "contextMode": "workspace",
                "cwd": "/w",
                "_meta": {"qmemd/taskId": "remember-1"},
            },
        ),
    ]
    bench.reply(REMEMBER, RESULT)
    assert bench.told[-1] == TaskFinished("remember-1", 1, RememberResult("s"))


def test_the_client_travels_in_the_metadata() -> None:
    bench = Bench()
    bench.live()
    bench.do(bench.state.run_task, RunTask(make_task(client_id="client_1"), "/other"))
    _, params = bench.child.calls[-1]
    assert params["cwd"] == "/other"
    assert params["_meta"] == {"qmemd/taskId": "remember-1", "qmemd/clientId": "client_1"}


def test_the_task_limit_counts_from_sending() -> None:
    bench = Bench()
    bench.run()
    assert bench.seconds(Alarm.TASK) == []
    bench.reply(INITIALIZE, {})
    assert bench.seconds(Alarm.TASK) == [300]
    bench.reply(REMEMBER, RESULT)
    assert bench.seconds(Alarm.TASK) == []


def test_a_task_that_takes_too_long_ends_when_its_child_is_gone() -> None:
    bench = Bench()
    bench.live()
    bench.run()
    bench.alarm(Alarm.TASK)
    assert bench.child.ends == ["kill"]
    assert bench.outcomes == []
    bench.exit()
    assert [code_of(outcome) for outcome in bench.outcomes] == ["remember_timeout"]
    assert bench.state.snapshot().failures_in_a_row == 0


def test_the_next_task_waits_for_the_exit_and_gets_a_fresh_child() -> None:
    bench = Bench(idle_timeout=0)
    bench.run("remember-1")
    bench.reply(INITIALIZE, {})
    bench.reply(REMEMBER, RESULT)
    assert bench.child.ends == ["stop 1"]
    bench.run("remember-2")
    assert len(bench.children) == 1
    bench.exit()
    assert [child.delay for child in bench.children] == [0, 0]


def test_an_answer_that_is_already_there_beats_the_limit() -> None:
    bench = Bench()
    bench.live()
    bench.run()
    call = bench.child.open.pop(REMEMBER)  # answered; the message is still in the mailbox
    bench.alarm(Alarm.TASK)
    assert bench.child.ends == []
    reply = ReplyArrived(1, call, Response(call.id, RESULT))
    bench.do(bench.state.reply_arrived, reply)
    assert bench.outcomes == [RememberResult("s")]


def test_a_late_answer_is_dropped() -> None:
    bench = Bench()
    bench.live()
    bench.run()
    call = bench.child.open[REMEMBER]
    bench.alarm(Alarm.TASK)
    assert call not in bench.child.open.values()
    bench.exit()
    bench.do(bench.state.reply_arrived, ReplyArrived(1, call, Response(call.id, RESULT)))
    assert len(bench.outcomes) == 1


@pytest.mark.parametrize("cause", ["timeout", "crash", "cancel", "stop"])
def test_what_was_applied_completes_the_task_whatever_ended_the_child(cause: str) -> None:
    bench = Bench()
    bench.live()
    bench.run()
    if cause == "timeout":
        bench.alarm(Alarm.TASK)
    elif cause == "cancel":
        bench.do(bench.state.cancel_task, "remember-1")
        bench.alarm(Alarm.CANCEL)
    elif cause == "stop":
        bench.do(bench.state.stop_child, StopChild(1, Future()))
    bench.exit(APPLIED)
    assert bench.outcomes == [APPLIED]


def test_a_crash_settles_only_the_task_that_ran_and_no_child_follows_unasked() -> None:
    bench = Bench()
    bench.live()
    bench.run("remember-1")
    bench.exit()
    assert [code_of(outcome) for outcome in bench.outcomes] == ["agent_crashed"]
    assert bench.outcomes[0].details == "exit code 1"
    assert len(bench.children) == 1
    bench.run("remember-2")
    assert len(bench.children) == 2
    assert bench.child.delay == 0.1


def test_a_task_for_a_child_that_is_about_to_be_gone_waits() -> None:
    bench = Bench()
    bench.live()
    bench.child.reachable = False
    bench.run()
    assert bench.seconds(Alarm.TASK) == []
    bench.exit()
    assert len(bench.children) == 2
    assert bench.outcomes == []


def test_three_failed_starts_in_a_row_fail_the_waiting_task() -> None:
    bench = Bench()
    bench.run()
    for count in (1, 2):
        bench.exit()
        assert len(bench.children) == count + 1
    bench.exit()
    assert [child.delay for child in bench.children] == pytest.approx([0, 0.1, 0.2])
    assert [code_of(outcome) for outcome in bench.outcomes] == ["agent_crashed"]
    assert len(bench.children) == 3


def test_an_answered_run_ends_the_streak() -> None:
    bench = Bench()
    for count in range(1, 4):
        bench.run(f"remember-{count}")
        bench.reply(INITIALIZE, {})
        bench.exit()
    assert [child.delay for child in bench.children] == pytest.approx([0, 0.1, 0.2])
    bench.run("remember-4")
    bench.reply(INITIALIZE, {})
    assert bench.state.snapshot().failures_in_a_row == 3
    bench.reply(REMEMBER, {"of": "no shape"})
    assert bench.state.snapshot().failures_in_a_row == 0


def test_a_child_of_another_protocol_is_a_failed_start() -> None:
    bench = Bench()
    bench.run()
    bench.reply(INITIALIZE, {"protocolVersion": 99})
    assert bench.child.ends
    bench.exit()
    assert bench.state.snapshot().failures_in_a_row == 1


def test_a_silent_handshake_is_a_failed_start() -> None:
    bench = Bench()
    bench.run()
    assert bench.seconds(Alarm.HANDSHAKE) == [10]
    for _ in range(3):
        bench.alarm(Alarm.HANDSHAKE)
        assert bench.child.ends == ["kill"]
        bench.exit()
    assert "10 s" in bench.outcomes[0].details
    assert bench.children[2].delay == pytest.approx(0.2)


def test_a_refused_handshake_is_a_failed_start() -> None:
    bench = Bench()
    bench.run()
    bench.reply(INITIALIZE, error=RpcError(-32603, "no"))
    assert bench.child.ends == ["kill"]
    bench.exit()
    assert len(bench.children) == 2


def test_availability_is_asked_once_for_each_child() -> None:
    bench = Bench()
    bench.live()
    for count in range(2):
        bench.run(f"remember-{count}")
        bench.reply(REMEMBER, RESULT)
    assert bench.availability == [Availability.ASKING, Availability.AVAILABLE]
    bench.exit()
    assert bench.availability[-1] is Availability.NO_CHILD
    assert bench.told[-1] == AvailabilityChanged(1, Availability.NO_CHILD)


def test_availability_is_asked_again_after_a_task_failed_for_it() -> None:
    bench = Bench()
    bench.live()
    bench.run()
    error = RpcError(-32009, "no", {"errorKind": "managed_memory_unavailable"})
    bench.reply(REMEMBER, error=error)
    assert code_of(bench.outcomes[0]) == "managed_memory_unavailable"
    bench.reply(AVAILABILITY, {"available": False})
    assert bench.availability[-2:] == [Availability.ASKING, Availability.UNAVAILABLE]


def test_silence_on_availability_is_a_failure_that_may_be_asked_again_later() -> None:
    bench = Bench()
    bench.run()
    bench.reply(INITIALIZE, {})
    late = bench.child.open[AVAILABILITY]
    assert bench.seconds(Alarm.AVAILABILITY) == [5]
    bench.alarm(Alarm.AVAILABILITY)
    assert bench.availability[-1] is Availability.FAILED
    bench.do(bench.state.reply_arrived, ReplyArrived(1, late, Response(1, {"available": True})))
    assert bench.availability[-1] is Availability.FAILED
    bench.now = 5.0
    bench.state.refresh_availability()
    assert bench.availability[-1] is Availability.FAILED
    bench.now = 5.1
    bench.state.refresh_availability()
    assert bench.availability[-1] is Availability.ASKING
    bench.reply(AVAILABILITY, {"available": True})
    bench.now = 100.0
    bench.state.refresh_availability()
    assert bench.availability[-1] is Availability.AVAILABLE


def test_a_cancel_is_told_to_the_child_and_obeyed() -> None:
    bench = Bench()
    bench.live()
    bench.run()
    call = bench.child.open[REMEMBER]
    for _ in range(2):
        bench.do(bench.state.cancel_task, "remember-1")
    bench.do(bench.state.cancel_task, "remember-2")
    assert bench.child.notes == [(CANCEL, {"id": call.id, "requestId": call.id})]
    assert bench.seconds(Alarm.CANCEL) == [2]
    bench.reply(REMEMBER, error=RpcError(-32099, "m", {"errorKind": "remember_failed"}))
    assert [code_of(outcome) for outcome in bench.outcomes] == ["task_cancelled"]
    assert bench.child.ends == []
    assert bench.seconds(Alarm.CANCEL) == []


def test_a_cancel_that_comes_too_late_leaves_the_result() -> None:
    bench = Bench()
    bench.live()
    bench.run()
    bench.do(bench.state.cancel_task, "remember-1")
    bench.reply(REMEMBER, RESULT)
    assert bench.outcomes == [RememberResult("s")]


@pytest.mark.parametrize("alarm", [Alarm.CANCEL, Alarm.TASK])
def test_a_child_that_ignores_a_cancel_is_killed(alarm: Alarm) -> None:
    bench = Bench()
    bench.live()
    bench.run()
    bench.do(bench.state.cancel_task, "remember-1")
    bench.alarm(alarm)
    assert bench.child.ends == ["kill"]
    assert bench.outcomes == []
    bench.exit()
    assert [code_of(outcome) for outcome in bench.outcomes] == ["task_cancelled"]


def test_a_task_that_waits_is_cancelled_at_once() -> None:
    bench = Bench()
    bench.run()
    bench.do(bench.state.cancel_task, "remember-1")
    assert [code_of(outcome) for outcome in bench.outcomes] == ["task_cancelled"]
    bench.reply(INITIALIZE, {})
    assert REMEMBER not in bench.child.open


def test_the_idle_timer_runs_only_for_an_idle_child_without_sessions() -> None:
    bench = Bench()

    def runs() -> bool:
        return bench.state.snapshot().idle_timer_runs

    bench.run()
    assert not runs()
    bench.reply(INITIALIZE, {})
    assert not runs()
    bench.reply(REMEMBER, RESULT)
    assert runs()
    bench.do(bench.state.sessions_live, 1)
    assert not runs()
    bench.do(bench.state.sessions_live, 0)
    assert runs()
    bench.run("remember-2")
    assert not runs()
    bench.reply(REMEMBER, RESULT)
    bench.alarm(Alarm.IDLE)
    assert bench.child.ends == ["stop 1"]
    assert bench.availability[-1] is Availability.NO_CHILD
    assert not runs()


def test_a_stale_idle_tick_ends_no_work() -> None:
    bench = Bench()
    bench.live()
    idle = next(timer for timer in bench.timers.started if timer.seconds == 60)
    bench.run()
    idle.action()  # it ran out just before it was cancelled
    bench.do(bench.state.tick, bench.timers.ticks[-1])
    assert bench.child.ends == []
    bench.reply(REMEMBER, RESULT)
    bench.do(bench.state.tick, bench.timers.ticks[-1])
    assert bench.child.ends == []


def test_other_messages_do_not_put_the_idle_end_off() -> None:
    bench = Bench()
    bench.live()
    before = len(bench.timers.started)
    bench.do(bench.state.sessions_live, 0)
    assert len(bench.timers.started) == before


@pytest.mark.parametrize(("idle_timeout", "children"), [(0, 0), (60, 1), (None, 1)])
def test_a_child_is_started_ahead_only_if_it_may_stay(
    idle_timeout: float | None, children: int
) -> None:
    bench = Bench(idle_timeout=idle_timeout)
    bench.state.want_child()
    bench.state.advance()
    assert len(bench.children) == children


def test_without_an_idle_limit_the_child_stays() -> None:
    bench = Bench(idle_timeout=None)
    bench.live()
    assert not bench.state.snapshot().idle_timer_runs
    assert bench.child.ends == []


def test_an_idle_child_that_died_is_not_started_again_unasked() -> None:
    bench = Bench()
    bench.live()
    bench.state.want_child()
    bench.exit()
    assert len(bench.children) == 1
    assert bench.state.snapshot().failures_in_a_row == 1


def test_events_of_an_old_child_do_not_touch_the_new_one() -> None:
    bench = Bench()
    bench.live()
    bench.exit()
    bench.run()
    bench.do(bench.state.child_exited, ChildExited(1, ExitInfo(1, "", None), None))
    stale = ReplyArrived(1, Call(0, INITIALIZE), Response(0, {}))
    bench.do(bench.state.reply_arrived, stale)
    snapshot = bench.state.snapshot()
    assert (snapshot.generation, snapshot.phase) == (2, ChildPhase.STARTING)
    assert bench.outcomes == []


def test_a_second_task_does_not_disturb_the_first() -> None:
    bench = Bench()
    bench.live()
    bench.run("remember-1")
    bench.run("remember-2")
    assert bench.told[-1].task_id == "remember-2"
    assert code_of(bench.told[-1].outcome) == "remember_failed"
    bench.reply(REMEMBER, RESULT)
    assert bench.told[-1] == TaskFinished("remember-1", 1, RememberResult("s"))


@pytest.mark.parametrize(("grace", "ends"), [(1.5, "stop 1.5"), (0, "kill")])
def test_a_stop_is_for_good_and_answered_when_the_child_is_gone(grace: float, ends: str) -> None:
    bench = Bench()
    bench.live()
    bench.run("remember-1")
    replies: list[Future[None]] = [Future(), Future()]
    for reply in replies:
        bench.do(bench.state.stop_child, StopChild(grace, reply))
    assert set(bench.child.ends) == {ends}
    assert not replies[0].done()
    bench.exit()
    assert all(reply.done() for reply in replies)
    bench.run("remember-2")
    assert [code_of(outcome) for outcome in bench.outcomes] == ["daemon_restarted"] * 2
    assert len(bench.children) == 1


def test_a_stop_while_a_task_waits_starts_no_other_child() -> None:
    bench = Bench()
    bench.run()
    bench.do(bench.state.stop_child, StopChild(1, Future()))
    assert [code_of(outcome) for outcome in bench.outcomes] == ["daemon_restarted"]
    bench.exit()
    assert len(bench.children) == 1


def test_a_stop_without_a_child_is_answered_at_once() -> None:
    bench = Bench()
    reply: Future[None] = Future()
    bench.do(bench.state.stop_child, StopChild(1, reply))
    assert reply.done()


def test_a_lane_that_raises_breaks_nothing(caplog: pytest.LogCaptureFixture) -> None:
    def lane(_: object) -> None:
        raise RuntimeError("receiver")

    bench = Bench(lane=lane)
    bench.live()
    bench.run()
    bench.reply(REMEMBER, RESULT)
    assert bench.state.snapshot().task_id is None
    assert "could not be told of TaskFinished" in caplog.text


def test_after_a_fault_of_ours_a_sent_task_fails_once_its_child_is_gone() -> None:
    bench = Bench()
    bench.live()
    bench.run()
    bench.state.broke(StopChild(1, Future()))
    assert bench.child.ends == ["kill"]
    assert bench.outcomes == []
    bench.exit()
    assert [code_of(outcome) for outcome in bench.outcomes] == ["remember_failed"]


def test_after_a_fault_with_the_answer_the_task_fails_at_once() -> None:
    bench = Bench()
    bench.live()
    bench.run()
    call = bench.child.open.pop(REMEMBER)
    bench.state.broke(ReplyArrived(1, call, Response(call.id, RESULT)))
    assert [code_of(outcome) for outcome in bench.outcomes] == ["remember_failed"]


def test_after_a_fault_a_waiting_task_fails_at_once() -> None:
    bench = Bench()
    bench.run()
    bench.state.broke(StopChild(1, Future()))
    assert [code_of(outcome) for outcome in bench.outcomes] == ["remember_failed"]


def test_release_ends_everything() -> None:
    bench = Bench()
    bench.live()
    bench.run()
    bench.state.release()
    bench.state.release()
    assert "kill" in bench.child.ends
    assert all(timer.cancelled for timer in bench.timers.started)


@pytest.mark.parametrize(
    "request_", [Forget("x", preview=True), Forget("x", erase=True), Dream(preview=True)]
)
def test_another_agent_is_not_asked_for_what_it_would_do_for_good(
    request_: Forget | Dream,
) -> None:
    bench = Bench()
    bench.live()
    calls = len(bench.child.calls)
    task = Task.queued(f"{request_.kind}-1", request_, None, FakeClock()())
    bench.do(bench.state.run_task, RunTask(task, "/w"))
    (outcome,) = bench.outcomes
    assert outcome.code == f"{request_.kind}_failed"
    assert "offers no previews" in outcome.details
    assert len(bench.child.calls) == calls
    bench.child.makes_changes = True
    bench.do(bench.state.run_task, RunTask(task, "/w"))
    assert bench.child.calls[-1][0].startswith("qmemd/memory/")
