"""The wish to stop, and the end of the time, reach whatever a run waits for."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence

import pytest

from qmemd.agent.models.base import Choice, Conversation, Reply
from qmemd.agent.run import Run
from qmemd.kinds import Scope, TaskKind
from qmemd.memory.entries import Entry
from qmemd.memory.locks import FileLock
from qmemd.tasks import Dream, Forget, Remember, TaskRequest
from tests.agent.conftest import Put
from tests.agent.scripted import ScriptedModel, calls, write
from tests.agent.workbench import Workbench

PATIENCE = 10.0
"""Seconds after which a test gives up."""
MANY = 12
"""Looks at the clock that only somebody takes who waits."""

REQUESTS: dict[TaskKind, TaskRequest] = {
    TaskKind.REMEMBER: Remember("A fact."),
    TaskKind.FORGET: Forget("tea"),
    TaskKind.DREAM: Dream(),
}
KINDS = list(TaskKind)[:3]


class BlockingModel:
    """Waits for an answer that never comes, until it is interrupted."""

    name = "blocking"
    stays_local = False

    def __init__(self) -> None:
        self.asked = threading.Event()

    def respond(self, _conversation: Conversation, run: Run) -> Reply:
        self._wait(run)
        return Reply("Saved.")

    def choose(self, _query: str, candidates: Sequence[Entry], run: Run) -> Choice:
        self._wait(run)
        return Choice(tuple(entry.entry_id for entry in candidates), "All.")

    def _wait(self, run: Run) -> None:
        woken = threading.Event()
        with run.interrupt(woken.set):
            self.asked.set()
            assert woken.wait(PATIENCE), "nobody woke the model"
        run.check()


class Model(ScriptedModel):
    """Makes a change in one turn, and names every entry."""

    def __init__(self, bench: Workbench) -> None:
        user = bench.paths.user.path
        removal = ("remove", {"file_path": str(user / "b.md"), "merged_into": str(user / "a.md")})
        turns = {True: [write(user / "new.md")], False: [calls(removal)]}
        super().__init__(
            [self._first(turns)],
            choose=lambda _, found: Choice(tuple(entry.entry_id for entry in found), "All."),
        )

    @staticmethod
    def _first(turns: dict[bool, list[Reply]]) -> Callable[[Conversation], Reply]:
        return lambda heard: turns[type(heard.brief).__name__ == "RememberBrief"][0]


@pytest.fixture
def busy(bench: Workbench, put: Put) -> Workbench:
    put(Scope.USER, "a.md", "Likes tea.")
    put(Scope.USER, "b.md", "Likes tea.")
    bench.monotonic = time.monotonic
    return bench


@pytest.fixture
def locked(busy: Workbench) -> Iterator[Workbench]:
    """Somebody else commits, and does not come to an end."""
    lock = FileLock(busy.paths.user.lock_path)
    assert lock.acquire(0)
    yield busy
    lock.release()


@pytest.mark.parametrize("kind", KINDS)
def test_a_model_that_does_not_answer_is_left_when_the_time_is_over(
    busy: Workbench, kind: TaskKind
) -> None:
    busy.task_limit = 0.1
    began = time.monotonic()
    with busy.fails(f"{kind}_timeout"):
        busy.run(REQUESTS[kind], BlockingModel())
    assert time.monotonic() - began < PATIENCE / 2


@pytest.mark.parametrize("kind", KINDS)
def test_a_model_that_does_not_answer_is_left_when_the_task_is_cancelled(
    busy: Workbench, kind: TaskKind
) -> None:
    model = BlockingModel()

    def cancel() -> None:
        assert model.asked.wait(PATIENCE)
        busy.cancellation.request()

    thread = threading.Thread(target=cancel)
    thread.start()
    with busy.fails("task_cancelled"):
        busy.run(REQUESTS[kind], model)
    thread.join(PATIENCE)


@pytest.mark.parametrize("kind", KINDS)
def test_a_commit_that_waits_for_another_one_ends_with_the_time(
    locked: Workbench, kind: TaskKind
) -> None:
    locked.task_limit = 0.2
    began = time.monotonic()
    with locked.fails(f"{kind}_timeout"):
        locked.run(REQUESTS[kind], Model(locked))
    assert time.monotonic() - began < PATIENCE / 2
    assert list(locked.history.newest_first()) == []


@pytest.mark.parametrize("kind", KINDS)
def test_a_commit_that_waits_for_another_one_can_be_cancelled(
    locked: Workbench, kind: TaskKind
) -> None:
    looks = 0

    def monotonic() -> float:
        # The time is asked for whenever the run looks whether it may go on.
        nonlocal looks
        looks += 1
        if looks == MANY:
            locked.cancellation.request()
        return time.monotonic()

    class Named(Model):
        @property
        def name(self) -> str:  # type: ignore[override]
            nonlocal looks
            looks = 0  # asked for last when the commit begins
            return "named"

    locked.monotonic = monotonic
    began = time.monotonic()
    with locked.fails("task_cancelled"):
        locked.run(REQUESTS[kind], Named(locked))
    assert looks >= MANY
    assert time.monotonic() - began < PATIENCE / 2


def test_a_run_without_a_change_does_not_wait_for_another_one_for_long(locked: Workbench) -> None:
    locked.task_limit = 0.2
    with locked.fails("dream_timeout"):
        locked.run(Dream(), ScriptedModel())


@pytest.mark.parametrize("kind", KINDS)
def test_a_run_that_nobody_stops_changes_something(busy: Workbench, kind: TaskKind) -> None:
    assert busy.run(REQUESTS[kind], Model(busy))["changeSetId"]
