from __future__ import annotations

import queue
import time
from pathlib import Path
from typing import Any

import pytest
from acp.schema import CancelRequestNotification, InitializeRequest

from qmemd._version import __version__
from qmemd.acp.messages import INITIALIZE, REMEMBER, initialize_params
from qmemd.acp.process import SpawnConfig
from qmemd.actors.child_events import (
    ChildExited,
    ReplyArrived,
)
from qmemd.actors.generation import Generation
from qmemd.errors import MemoryFilesError
from qmemd.results import RememberResult
from qmemd.tasks import Remember, Task
from tests.conftest import FakeClock
from tests.fakes import child_command

LIMIT = 10.0


class Listener:
    def __init__(self, directory: Path, **script: Any) -> None:
        self.told: queue.Queue[Any] = queue.Queue()
        self.generation = Generation(
            4,
            SpawnConfig(child_command(**script), {}, str(directory)),
            settle=lambda _: None,
            tell=self.told.put,
        )

    def next(self) -> Any:
        return self.told.get(timeout=LIMIT)


def test_what_is_said_first_is_proper_acp() -> None:
    request = InitializeRequest.model_validate(initialize_params(__version__))
    assert request.protocol_version == 1
    assert request.client_capabilities is not None
    assert request.client_capabilities.fs is not None
    assert not request.client_capabilities.fs.read_text_file
    assert not request.client_capabilities.terminal
    cancel = CancelRequestNotification.model_validate({"id": 3, "requestId": 3})
    assert cancel.request_id == 3


def test_the_handshake_comes_first_and_the_exit_last(tmp_path: Path) -> None:
    listener = Listener(tmp_path)
    listener.generation.start(0)
    first = listener.next()
    assert isinstance(first, ReplyArrived)
    assert (first.generation, first.call.method) == (4, INITIALIZE)
    listener.generation.stop(LIMIT)
    last = listener.next()
    assert isinstance(last, ChildExited)
    assert (last.generation, last.exit.returncode) == (4, 0)
    assert listener.generation.call(REMEMBER, {}) is None


@pytest.mark.parametrize("end", ["kill", "stop"])
@pytest.mark.parametrize("delay", [0, 60])
def test_an_end_before_the_start_is_not_overlooked(tmp_path: Path, end: str, delay: float) -> None:
    listener = Listener(tmp_path, ignore=["TERM", "EOF"])
    started = time.monotonic()
    listener.generation.start(delay)
    listener.generation.kill() if end == "kill" else listener.generation.stop(0.01)
    while not isinstance(listener.next(), ChildExited):
        pass
    assert time.monotonic() - started < LIMIT / 2


def test_what_a_child_logs_while_it_has_a_task_carries_the_ids(
    tmp_path: Path, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    def line(text: str) -> list[str]:
        return ["stderr", f"WARNING x: {text}\n"]

    listener = Listener(
        tmp_path, on={"start": [line("before")], "remember": [line("during"), "reply"]}
    )
    listener.generation.start(0)
    listener.next()
    task = Task.queued("remember-1", Remember("a fact"), "client_1", clock.now)
    for _ in range(20):
        assert listener.generation.call(REMEMBER, {}, task)
        listener.next()
    listener.generation.stop(LIMIT)
    assert isinstance(listener.next(), ChildExited)
    said = [record for record in caplog.records if record.name == "qmemd.agent"]
    assert [record.getMessage() for record in said] == ["x: before", *["x: during"] * 20]
    found = [(vars(each).get("taskId"), vars(each).get("clientId")) for each in said]
    assert found == [(None, None), *[("remember-1", "client_1")] * 20]


def test_an_answer_is_either_taken_or_dropped(tmp_path: Path) -> None:
    listener = Listener(tmp_path, on={"remember": [["sleep", 0.02], "reply"]})
    listener.generation.start(0)
    listener.next()
    given_up = listener.generation.call(REMEMBER, {})
    assert given_up is not None
    assert listener.generation.give_up(given_up)
    answered = listener.generation.call(REMEMBER, {})
    assert answered is not None
    assert listener.next().call == answered
    assert not listener.generation.give_up(answered)
    listener.generation.kill()
    assert isinstance(listener.next(), ChildExited)


class Locked:
    """Settling that others hold up for a while."""

    def __init__(self, times: int) -> None:
        self.left = times
        self.asked = queue.Queue[str]()

    def __call__(self, task: Task) -> RememberResult | None:
        self.asked.put(task.task_id)
        if self.left:
            self.left -= 1
            raise MemoryFilesError("memory_locked")
        return RememberResult("It was committed.")


def dying(directory: Path, settle: Locked, **more: Any) -> tuple[Generation, queue.Queue[Any]]:
    """A child that dies with its task."""
    told: queue.Queue[Any] = queue.Queue()
    command = child_command(on={"remember": [["exit", 3]]})
    generation = Generation(
        1, SpawnConfig(command, {}, str(directory)), settle=settle, tell=told.put, **more
    )
    generation.start(0)
    told.get(timeout=LIMIT)
    task = Task.queued("remember-1", Remember("x"), None, FakeClock()())
    generation.call(REMEMBER, {}, task)
    return generation, told


def test_how_a_task_ended_is_asked_until_somebody_can_say(tmp_path: Path) -> None:
    _, told = dying(tmp_path, Locked(2), settle_pause=0.0)
    last = told.get(timeout=LIMIT)
    assert isinstance(last, ChildExited)
    assert last.settled == RememberResult("It was committed.")


def test_nobody_waits_for_it_once_all_is_stopped(tmp_path: Path) -> None:
    settle = Locked(1_000_000)
    generation, told = dying(tmp_path, settle, settle_pause=60.0)
    settle.asked.get(timeout=LIMIT)
    generation.stop(LIMIT)
    last = told.get(timeout=LIMIT)
    assert isinstance(last, ChildExited)
    assert last.settled is None
