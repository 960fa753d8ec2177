from __future__ import annotations

import logging
from collections.abc import Callable, Collection
from concurrent.futures import Future
from datetime import timedelta
from typing import Any

import pytest

from qmemd.actors.board import TaskBoard
from qmemd.actors.guarded import tell
from qmemd.actors.lane import LaneActor
from qmemd.actors.lane_state import MAX_HELD, LaneState
from qmemd.errors import RequestError
from qmemd.events import MemoryChanged, TaskUpdated
from qmemd.journal import Capacity, Claim, InMemoryJournal, Retention
from qmemd.kinds import Scope, TaskStatus
from qmemd.messages import (
    Availability,
    Cancel,
    CancelTask,
    Enqueue,
    Ping,
    RefreshAvailability,
    RunTask,
    TaskFinished,
)
from qmemd.results import ForgetResult, RememberResult, TaskResult
from qmemd.tasks import (
    Dream,
    Forget,
    Remember,
    Task,
    TaskFailure,
    TaskRequest,
)
from tests.actors.fake_timers import FakeTimers
from tests.conftest import FakeClock

W = "/work"
SAVED = RememberResult("saved", ("/m/a.md",), (Scope.USER,))
NOTHING = ForgetResult("nothing matched")


class Rig:
    """A lane whose bridge is a list of what it was told."""

    def __init__(self, clock: FakeClock, new_id: Callable[[], str]) -> None:
        self.told: list[Any] = []
        self.published: list[MemoryChanged] = []
        self.updates: list[TaskUpdated] = []
        self.board = TaskBoard(lambda complete: complete())
        self.journal = InMemoryJournal(clock)
        self.clock, self.new_id = clock, new_id
        self.lane = self.new_lane()

    def new_lane(self, **more: Any) -> LaneState:
        return LaneState(
            workspace=W,
            holder="me",
            journal=self.journal,
            board=self.board,
            tell_bridge=self.told.append,
            publish=self._publish,
            clock=self.clock,
            new_id=self.new_id,
            lease=timedelta(seconds=60),
            capacity=Capacity(),
            **more,
        )

    def _publish(self, event: MemoryChanged | TaskUpdated) -> None:
        if isinstance(event, TaskUpdated):
            self.updates.append(event)
            return
        self.published.append(event)
        if event.originator == "client_bad":
            raise RuntimeError("a receiver broke")

    def enqueue(
        self,
        request: TaskRequest | None = None,
        client_id: str | None = None,
        key: str | None = None,
        secret: str | None = None,
    ) -> Future[Task]:
        reply: Future[Task] = Future()
        self.lane.enqueue(Enqueue(request or Remember("a fact"), client_id, key, secret, reply))
        return reply

    def put(self, request: TaskRequest | None = None, client_id: str | None = None) -> str:
        return self.enqueue(request, client_id).result(0).task_id

    def end(self, task_id: str, outcome: TaskResult | TaskFailure = SAVED) -> None:
        self.lane.finished(TaskFinished(task_id, 1, outcome))

    @property
    def started(self) -> list[str]:
        return [told.task.task_id for told in self.told if isinstance(told, RunTask)]

    def shown(self, task_id: str) -> Task:
        posted = self.board.get(task_id)
        assert posted
        return posted.task


@pytest.fixture
def rig(clock: FakeClock, new_id: Callable[[], str]) -> Rig:
    return Rig(clock, new_id)


def test_one_task_is_in_flight_and_the_next_starts_when_it_ends(rig: Rig) -> None:
    first, second, third = (rig.put(r) for r in (Remember("a"), Dream(), Forget("b")))
    assert rig.started == [first]
    assert rig.shown(first).status is TaskStatus.RUNNING
    assert rig.shown(second).status is TaskStatus.QUEUED
    rig.end(first)
    assert rig.started == [first, second]
    rig.end(second, TaskFailure.of("dream_failed"))
    rig.end(third, NOTHING)
    assert [rig.shown(t).status for t in (first, second, third)] == [
        "completed",
        "failed",
        "completed",
    ]


def test_the_accepted_snapshot_is_queued_even_when_the_task_starts_at_once(rig: Rig) -> None:
    assert rig.enqueue().result(0).status is TaskStatus.QUEUED


def test_ids_carry_the_kind(rig: Rig) -> None:
    assert rig.put(Dream()).startswith("dream-")


def test_late_and_repeated_ends_are_ignored(rig: Rig) -> None:
    first, second = rig.put(), rig.put()
    rig.end(second)
    rig.end(first)
    rig.end(first, TaskFailure.of("remember_failed"))
    assert rig.shown(first).result == SAVED
    assert rig.shown(second).status is TaskStatus.RUNNING


def test_a_change_is_published_with_its_originator(rig: Rig) -> None:
    task = rig.put(client_id="client_1")
    rig.end(task)
    assert rig.published == [
        MemoryChanged("workspace_memory_remember", task, (Scope.USER,), "client_1")
    ]


@pytest.mark.parametrize("outcome", [NOTHING, TaskFailure.of("forget_failed")])
def test_nothing_is_published_when_no_document_changed(
    rig: Rig, outcome: ForgetResult | TaskFailure
) -> None:
    rig.end(rig.put(Forget("x")), outcome)
    assert rig.published == []


def test_a_failure_to_publish_fails_no_task_and_stops_nothing(rig: Rig) -> None:
    task, after = rig.put(client_id="client_bad"), rig.put()
    rig.end(task)
    assert rig.shown(task).status is TaskStatus.COMPLETED
    assert rig.started == [task, after]


def test_sixteen_pending_and_eight_compacting(rig: Rig) -> None:
    for _ in range(8):
        rig.put(Forget("x"))
    with pytest.raises(RequestError, match="full"):
        rig.put(Dream())
    for _ in range(8):
        rig.put()
    with pytest.raises(RequestError) as refused:
        rig.put()
    assert (refused.value.code, refused.value.status) == ("remember_queue_full", 429)
    rig.end(rig.started[0], NOTHING)
    rig.put(Dream())


def test_a_live_child_that_says_no_refuses_requests(rig: Rig) -> None:
    rig.lane.take_held(Availability.UNAVAILABLE)
    with pytest.raises(RequestError) as refused:
        rig.put()
    assert (refused.value.code, refused.value.status) == ("managed_memory_unavailable", 409)
    assert rig.told == [RefreshAvailability()]


def test_a_child_that_errs_on_the_question_refuses_by_kind_and_is_asked_again(rig: Rig) -> None:
    rig.lane.take_held(Availability.FAILED)
    with pytest.raises(RequestError) as refused:
        rig.put(Dream())
    assert (refused.value.code, refused.value.status) == ("dream_failed", 500)
    assert rig.told == [RefreshAvailability()]


def test_requests_wait_for_the_answer_that_is_being_asked_for(rig: Rig) -> None:
    rig.lane.take_held(Availability.ASKING)
    replies = [rig.enqueue(), rig.enqueue(Dream())]
    assert not any(reply.done() for reply in replies)
    held = rig.lane.take_held(Availability.AVAILABLE)
    assert [message.request.kind for message in held] == ["remember", "dream"]
    for message in held:
        rig.lane.enqueue(message)
    assert [reply.result(0).kind for reply in replies] == ["remember", "dream"]


def test_those_who_wait_for_the_answer_are_bounded(rig: Rig) -> None:
    rig.lane.take_held(Availability.ASKING)
    for _ in range(MAX_HELD):
        rig.enqueue()
    with pytest.raises(RequestError, match="full"):
        rig.enqueue()


def test_nothing_is_accepted_for_somebody_who_gave_up(rig: Rig) -> None:
    reply: Future[Task] = Future()
    reply.cancel()
    rig.lane.enqueue(Enqueue(Remember("late"), None, None, None, reply))
    assert rig.journal.list(W) == ()


def test_a_secret_is_accepted_without_its_text_and_fails_at_once(rig: Rig) -> None:
    reply = rig.enqueue(Remember("my token is hush"), secret="GitHub token")
    assert reply.result(0).status is TaskStatus.QUEUED
    task = rig.shown(reply.result(0).task_id)
    assert task.error
    assert (task.error.code, task.error.details) == ("secret_detected", "GitHub token")
    assert rig.started == []
    assert "hush" not in repr(rig.journal.list(W))


def test_a_queued_task_is_cancelled_at_once_and_a_running_one_by_the_bridge(rig: Rig) -> None:
    running, queued = rig.put(), rig.put()
    replies: list[Future[Task]] = [Future(), Future(), Future()]
    rig.lane.cancel(Cancel(queued, replies[0]))
    assert replies[0].result(0).error == TaskFailure.of("task_cancelled")
    rig.lane.cancel(Cancel(running, replies[1]))
    assert replies[1].result(0).status is TaskStatus.RUNNING
    assert rig.told[-1] == CancelTask(running)
    rig.end(running, TaskFailure.of("task_cancelled"))
    assert rig.started == [running]
    with pytest.raises(RequestError) as refused:
        rig.lane.cancel(Cancel(running, replies[2]))
    assert (refused.value.code, refused.value.status) == ("task_finished", 409)
    with pytest.raises(RequestError) as refused:
        rig.lane.cancel(Cancel("dream-unknown", replies[2]))
    assert refused.value.code == "dream_task_not_found"


def test_the_same_key_is_the_same_task_per_client_and_kind(rig: Rig) -> None:
    first = rig.enqueue(key="k").result(0)
    assert rig.enqueue(key="k").result(0).task_id == first.task_id
    assert rig.enqueue(client_id="client_1", key="k").result(0).task_id != first.task_id
    assert rig.enqueue(Forget("a fact"), key="k").result(0).task_id != first.task_id
    with pytest.raises(RequestError, match="other fields"):
        rig.enqueue(Remember("another fact"), key="k")


def test_draining_refuses_new_work_and_answers_when_nothing_runs(rig: Rig) -> None:
    running, queued = rig.put(), rig.put()
    drained: Future[None] = Future()
    rig.lane.drain(drained)
    assert not drained.done()
    with pytest.raises(RequestError, match="shutting down"):
        rig.put()
    rig.end(running)
    assert drained.done()
    assert rig.started == [running]
    assert rig.shown(queued).status is TaskStatus.QUEUED


def test_an_abandoned_run_is_queued_again_unless_it_was_applied(rig: Rig) -> None:
    task = rig.put()
    rig.lane.drain(Future())
    rig.lane.abandon()
    rig.end(task, TaskFailure.of("agent_crashed"))
    assert rig.shown(task).status is TaskStatus.QUEUED
    assert rig.journal.get(task).request == Remember("a fact")  # type: ignore[union-attr]


def test_an_abandoned_run_that_was_applied_completes(rig: Rig) -> None:
    task = rig.put()
    rig.lane.drain(Future())
    rig.lane.abandon()
    rig.end(task)
    assert rig.shown(task).status is TaskStatus.COMPLETED
    assert len(rig.published) == 1


def test_recovery_completes_what_was_applied_and_runs_the_rest(rig: Rig) -> None:
    applied, interrupted, queued = rig.put(), rig.put(), rig.put()
    rig.end(applied)  # its twin below stands for a daemon that died before it heard of the end
    lost = rig.put()
    rig.told.clear()
    lane = rig.lane = rig.new_lane()
    lane.recover(lambda task_id: SAVED if task_id == lost else None)
    assert rig.shown(lost).status is TaskStatus.COMPLETED
    assert rig.started == []
    lane.advance()
    rig.end(interrupted)
    assert rig.started == [interrupted, queued]


def test_a_task_whose_daemon_died_is_run_again_twice_and_then_fails(rig: Rig) -> None:
    task = rig.put()
    for runs in (2, 3, 3):
        rig.lane = rig.new_lane()
        rig.lane.recover(lambda _: None)
        rig.lane.advance()
        assert rig.started == [task] * runs
    error = rig.shown(task).error
    assert error
    assert error.code == "daemon_restarted"


def test_what_an_earlier_holder_had_not_erased_is_erased_before_anything_runs(rig: Rig) -> None:
    told: list[tuple[str, ...]] = []
    lane = rig.lane = rig.new_lane(on_erased=told.append)
    lane.recover(lambda _: None, ["tea"])
    assert told == []
    lane.advance()
    assert told == [("tea",)]


def test_a_key_belongs_to_its_workspace(rig: Rig) -> None:
    here = rig.enqueue(key="once").result(0).task_id
    elsewhere = LaneState(
        workspace="/elsewhere",
        holder="me",
        journal=rig.journal,
        board=rig.board,
        tell_bridge=rig.told.append,
        publish=lambda _: None,
        clock=rig.clock,
        new_id=rig.new_id,
        lease=timedelta(seconds=60),
    )
    reply: Future[Task] = Future()
    elsewhere.enqueue(Enqueue(Remember("x"), None, "once", None, reply))
    assert reply.result(0).task_id != here


class BrokenJournal(InMemoryJournal):
    """Fails once in each of the methods that are named."""

    def __init__(self, clock: FakeClock, *broken: str) -> None:
        super().__init__(clock)
        self._broken = list(broken)

    def _breaks(self, method: str) -> None:
        if method in self._broken:
            self._broken.remove(method)
            raise OSError(28, "No space left on device")

    def start(self, claim: Claim) -> Task:
        self._breaks("start")
        return super().start(claim)

    def finish(self, task_id: str, outcome: TaskResult | TaskFailure, claim: Claim | None) -> Task:
        self._breaks("finish")
        return super().finish(task_id, outcome, claim)


def test_a_task_that_cannot_be_started_fails_and_the_lane_goes_on(
    clock: FakeClock, new_id: Callable[[], str]
) -> None:
    rig = Rig(clock, new_id)
    rig.journal = BrokenJournal(clock, "start")
    rig.lane = rig.new_lane()
    actor = LaneActor.start(rig.lane)
    replies: list[Future[Task]] = [Future(), Future()]
    for reply in replies:
        tell(actor, Enqueue(Remember("a fact"), None, None, None, reply))
    task, after = (reply.result(5).task_id for reply in replies)
    ping: Future[None] = Future()
    tell(actor, Ping(ping))
    ping.result(5)
    error = rig.shown(task).error
    assert error
    assert error.code == "remember_failed"
    assert rig.started[-1] == after
    actor.stop(timeout=5)


@pytest.mark.parametrize("failures", [1, 3])
def test_an_end_that_the_journal_does_not_take_is_told_and_kept_for_it(
    clock: FakeClock, new_id: Callable[[], str], failures: int
) -> None:
    rig = Rig(clock, new_id)
    rig.journal = BrokenJournal(clock, *["finish"] * failures)
    rig.lane = rig.new_lane()
    task, after = rig.put(), rig.put()
    rig.end(task)
    assert rig.shown(task).status is TaskStatus.COMPLETED
    assert len(rig.published) == 1
    for _ in range(failures - 1):
        assert rig.started == [task]
        rig.lane.advance()
    assert rig.started == [task, after]
    assert rig.journal.get(task) == rig.shown(task)
    assert len(rig.published) == 1


def test_evicted_records_leave_the_board(clock: FakeClock, new_id: Callable[[], str]) -> None:
    rig = Rig(clock, new_id)
    rig.journal = InMemoryJournal(clock, retention=Retention(records=2))
    rig.lane = rig.new_lane()
    ids = []
    for _ in range(4):
        ids.append(rig.put())
        rig.end(ids[-1])
    assert rig.board.get(ids[0]) is None
    assert rig.board.get(ids[-1]) is not None


def test_each_state_of_a_task_is_told_to_listeners_and_their_trouble_is_not_its(rig: Rig) -> None:
    task = rig.put(client_id="client_1")
    other = rig.put(client_id="client_2")
    rig.end(task)
    mine = [update for update in rig.updates if update.task_id == task]
    assert [update.status for update in mine] == ["queued", "running", "completed"]
    assert {(update.originator, update.kind) for update in mine} == {("client_1", "remember")}
    theirs = [update.status for update in rig.updates if update.task_id == other]
    assert theirs == ["queued", "running"]


class ReluctantJournal(BrokenJournal):
    """Does not erase the first two times."""

    def __init__(self, clock: FakeClock, *broken: str) -> None:
        super().__init__(clock, *broken)
        self.asked: list[list[str]] = []

    def erase(self, texts: Collection[str]) -> tuple[Task, ...]:
        self.asked.append(list(texts))
        if len(self.asked) <= 2:
            raise OSError(28, "No space left on device")
        return super().erase(texts)


@pytest.mark.parametrize("broken", [[], ["finish"]])
def test_what_is_to_be_erased_is_erased_at_last(
    clock: FakeClock, new_id: Callable[[], str], broken: list[str]
) -> None:
    rig = Rig(clock, new_id)
    journal = ReluctantJournal(clock)
    rig.journal = journal
    rig.lane = rig.new_lane()
    told = rig.put()
    rig.end(told, RememberResult("Remembered my maiden name"))
    task = rig.put(Forget("my maiden name"))
    journal._broken += broken
    rig.end(task, ForgetResult("Forgot 1", erased_texts=("my maiden name",)))
    assert "maiden" in repr(rig.shown(told).result)
    rig.lane.advance()
    assert journal.asked == [["my maiden name"]] * 3
    assert "maiden" not in repr(rig.shown(told).result)
    kept = journal.get(task)
    assert kept
    assert isinstance(kept.result, ForgetResult)
    assert kept.result.erased_texts == ()
    rig.lane.advance()
    assert len(journal.asked) == 3


def test_a_secret_that_was_accepted_and_not_yet_refused_is_refused_at_the_next_start(
    clock: FakeClock, new_id: Callable[[], str]
) -> None:
    rig = Rig(clock, new_id)
    task = Task.queued("remember-9", Remember("x"), None, clock()).without_text()
    rig.journal.accept(W, task, Capacity())
    rig.lane.recover(lambda _: None)
    error = rig.shown("remember-9").error
    assert error
    assert error.code == "secret_detected"


class FullJournal(InMemoryJournal):
    """Gives no claim for a while."""

    full = True

    def claim(self, workspace: str, holder: str, lease: timedelta) -> Claim | None:
        if self.full:
            raise OSError(28, "No space left on device")
        return super().claim(workspace, holder, lease)


def test_a_journal_that_gives_no_task_is_asked_again_by_itself(
    clock: FakeClock, new_id: Callable[[], str]
) -> None:
    rig = Rig(clock, new_id)
    journal = FullJournal(clock)
    rig.journal = journal
    rig.lane = rig.new_lane()
    timers = FakeTimers()
    actor = LaneActor.start(rig.lane, timers.start)
    reply: Future[Task] = Future()
    tell(actor, Enqueue(Remember("a fact"), None, None, None, reply))
    task = reply.result(5).task_id
    for _ in range(2):
        settle(actor)
        assert rig.started == []
        assert [timer.seconds for timer in timers.started if not timer.cancelled] == [5]
        timers.run_all()
    journal.full = False
    settle(actor)
    timers.run_all()
    settle(actor)
    assert rig.started == [task]
    actor.stop(timeout=5)


def settle(actor: Any) -> None:
    """Returns when the actor has handled everything so far."""
    ping: Future[None] = Future()
    tell(actor, Ping(ping))
    ping.result(5)


def test_the_log_follows_each_task_by_its_ids_and_tells_a_recovered_one_apart(
    rig: Rig, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "qmemd.actors")
    task = rig.put(Remember("a fact"), client_id="client_1")
    rig.clock.advance(seconds=1)
    rig.lane = rig.new_lane()
    rig.lane.recover(lambda _: None)
    rig.lane.advance()
    rig.clock.advance(seconds=2)
    rig.end(task, TaskFailure.of("remember_no_update"))
    rig.end(task)
    told = [vars(record) for record in caplog.records]
    assert [record.getMessage().removeprefix(f"{task} ") for record in caplog.records] == [
        "accepted",
        "started after 0.000 s in the queue",
        "queued again",
        "started after 0.000 s in the queue",
        "remember_no_update after 2.000 s running",
        f"ignored the end of {task}, which is not in flight",
    ]
    assert {each["taskId"] for each in told} == {task}
    assert {each["clientId"] for each in told[:-1]} == {"client_1"}
    assert (told[-2]["code"], told[-2]["durationMs"]) == ("remember_no_update", 2000)
    assert "a fact" not in repr(told)


def test_a_secret_whose_end_the_journal_refused_is_never_sent_to_the_child(
    clock: FakeClock, new_id: Callable[[], str]
) -> None:
    rig = Rig(clock, new_id)
    rig.journal = BrokenJournal(clock, "finish")
    rig.lane = rig.new_lane()
    reply: Future[Task] = Future()
    rig.lane.enqueue(Enqueue(Remember("x"), None, None, "a key", reply))
    rig.lane.advance()
    assert rig.started == []
    error = rig.shown(reply.result(0).task_id).error
    assert error
    assert error.code == "secret_detected"


def test_what_is_told_as_ended_cannot_be_cancelled(
    clock: FakeClock, new_id: Callable[[], str]
) -> None:
    rig = Rig(clock, new_id)
    rig.journal = BrokenJournal(clock, "finish", "finish")
    rig.lane = rig.new_lane()
    task = rig.put()
    rig.end(task)
    reply: Future[Task] = Future()
    with pytest.raises(RequestError) as refused:
        rig.lane.cancel(Cancel(task, reply))
    assert refused.value.code == "task_finished"
