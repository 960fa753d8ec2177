from __future__ import annotations

import logging
import threading
from concurrent.futures import Future
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pykka
import pytest

from qmemd.actors.guarded import GuardedActor, answer, refuse, tell
from qmemd.actors.life import ping
from qmemd.errors import RequestError
from qmemd.messages import CancelTask, RunTask, StartChild
from qmemd.tasks import Dream, Task


@dataclass
class Raise:
    error: BaseException
    reply: Future[str] = field(default_factory=Future)


class Fragile(GuardedActor):
    def __init__(self, released: list[str]) -> None:
        super().__init__()
        self.released = released

    def handle(self, message: Any) -> None:
        raise message.error

    def failed(self, _: Any) -> None:
        raise RuntimeError("tidying up broke too")

    def release(self) -> None:
        self.released.append("released")


class UnprintableError(Exception):
    def __str__(self) -> str:
        raise ValueError("no text")


@pytest.mark.parametrize(
    "error", [ValueError("x"), SystemExit(3), KeyboardInterrupt(), UnprintableError()]
)
def test_whatever_a_handler_raises_the_actor_lives_and_the_asker_is_answered(
    error: BaseException, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL)
    bystander = Fragile.start([])
    actor = Fragile.start([])
    message = Raise(error)
    tell(actor, message)
    with pytest.raises(RequestError) as answered:
        message.reply.result(5)
    assert answered.value.code == "internal_error"
    for ref in (actor, bystander):
        ping(ref)
        ref.stop(timeout=5)


def test_the_log_names_the_task_that_a_broken_message_was_about(
    caplog: pytest.LogCaptureFixture,
) -> None:
    actor = Fragile.start([])
    task = Task.queued("dream-1", Dream(), "client_1", datetime(2030, 1, 1, tzinfo=UTC))
    for message in (RunTask(task, "/w"), CancelTask("dream-2"), StartChild()):
        tell(actor, message)
    ping(actor)
    actor.stop(timeout=5)
    told = [vars(r) for r in caplog.records if "failed on" in r.getMessage()]
    assert [(each.get("taskId"), each.get("clientId")) for each in told] == [
        ("dream-1", "client_1"),
        ("dream-2", None),
        (None, None),
    ]


def test_an_error_of_ours_reaches_the_asker_as_it_is() -> None:
    actor = Fragile.start([])
    message = Raise(RequestError("remember_queue_full"))
    tell(actor, message)
    with pytest.raises(RequestError) as answered:
        message.reply.result(5)
    assert answered.value.code == "remember_queue_full"
    actor.stop(timeout=5)


def test_stopping_releases_and_telling_a_stopped_actor_is_harmless() -> None:
    released: list[str] = []
    actor: pykka.ActorRef[Any] = Fragile.start(released)
    actor.stop(timeout=5)
    assert released == ["released"]
    tell(actor, Raise(ValueError()))


def test_an_answer_is_given_once() -> None:
    reply: Future[int] = Future()
    answer(reply, 1)
    answer(reply, 2)
    refuse(reply, ValueError())
    assert reply.result(0) == 1


def test_a_question_that_was_given_up_gets_no_answer() -> None:
    reply: Future[int] = Future()
    reply.cancel()
    answer(reply, 1)
    refuse(reply, ValueError())
    assert reply.cancelled()


def test_an_actor_that_cannot_start_releases_what_it_took_and_answers_nobody_late() -> None:
    released: list[str] = []

    class Unable(Fragile):
        def begin(self) -> None:
            raise OSError("no such thing")

    actor = Unable.start(released)
    with pytest.raises(RuntimeError, match="did not start"):
        ping(actor)
    assert released == ["released"]
    message = Raise(ValueError())
    tell(actor, message)
    with pytest.raises(RequestError) as answered:
        message.reply.result(5)
    assert answered.value.code == "daemon_stopping"


@dataclass
class Wait:
    began: threading.Event = field(default_factory=threading.Event)
    go_on: threading.Event = field(default_factory=threading.Event)


class Waiting(GuardedActor):
    def handle(self, message: Any) -> None:
        if isinstance(message, Wait):
            message.began.set()
            message.go_on.wait(5)


def test_who_asks_behind_a_stop_is_refused_at_once() -> None:
    actor = Waiting.start()
    wait, behind = Wait(), Raise(ValueError())
    tell(actor, wait)
    assert wait.began.wait(5)
    stopped = actor.stop(block=False)
    tell(actor, behind)
    asked = actor.ask("x", block=False)
    wait.go_on.set()
    with pytest.raises(RequestError) as refused:
        behind.reply.result(5)
    assert refused.value.code == "daemon_stopping"
    stopped.get(timeout=5)
    with pytest.raises(pykka.ActorDeadError):
        asked.get(timeout=5)
