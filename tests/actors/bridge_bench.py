"""A real bridge over a fake child, with the lane's end as a queue."""

from __future__ import annotations

import os
import queue
import time
from collections.abc import Callable
from concurrent.futures import Future
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from qmemd.acp.process import SpawnConfig
from qmemd.actors.bridge import BridgeActor
from qmemd.actors.bridge_limits import BridgeLimits
from qmemd.messages import (
    Availability,
    AvailabilityChanged,
    ChildState,
    GetChildState,
    RunTask,
    StopChild,
    TaskFinished,
)
from qmemd.results import TaskResult
from qmemd.tasks import (
    Dream,
    Forget,
    Remember,
    Task,
)
from tests.fakes import child_command

LIMIT = 10.0
QUICK = BridgeLimits(
    handshake_timeout=5,
    availability_timeout=0.1,
    availability_retry=0.0,
    cancel_grace=0.1,
    stop_grace=0.1,
    first_backoff=0.001,
    longest_backoff=0.01,
)


class BridgeBench:
    """Keyword arguments that are no option of the bench are the fake child's script."""

    def __init__(
        self,
        directory: Path,
        *,
        settle: Callable[[Task], TaskResult | None] = lambda _: None,
        task_timeout: float = LIMIT,
        idle_timeout: float | None = None,
        limits: BridgeLimits = QUICK,
        command: tuple[str, ...] | None = None,
        env: dict[str, str] | None = None,
        bridge: dict[str, Any] | None = None,
        spawn: dict[str, Any] | None = None,
        **script: Any,
    ) -> None:
        self.starts = directory / "starts"
        self.log = directory / "log"
        script = {"starts": self.starts, "log": self.log} | script
        self.told: queue.Queue[Any] = queue.Queue()
        self._kept: list[Any] = []
        self._count = 0
        self.ref = BridgeActor.start(
            lane=self.told.put,
            settle=settle,
            spawn=SpawnConfig(
                command or child_command(**script),
                env or dict(os.environ),
                str(directory),
                **spawn or {},
            ),
            workspace=str(directory),
            task_timeout=task_timeout,
            idle_timeout=idle_timeout,
            limits=limits,
            **bridge or {},
        )

    def task(self, kind: str = "remember", content: str = "a fact") -> Task:
        self._count += 1
        request = {"remember": Remember(content), "forget": Forget(content), "dream": Dream()}[kind]
        return Task.queued(f"{kind}-{self._count}", request, None, datetime.now(UTC))

    def run(self, kind: str = "remember", content: str = "a fact") -> Task:
        """Begins a task."""
        task = self.task(kind, content)
        self.ref.tell(RunTask(task, "/w"))
        return task

    def finish(self, kind: str = "remember", content: str = "a fact") -> TaskFinished:
        """Runs a task to its end."""
        task = self.run(kind, content)
        finished = self.next(TaskFinished)
        assert finished.task_id == task.task_id
        return finished

    def next(self, kind: type[Any]) -> Any:
        """The next message of this type to the lane; others are kept for later."""
        for place, message in enumerate(self._kept):
            if isinstance(message, kind):
                return self._kept.pop(place)
        while not isinstance(message := self.told.get(timeout=LIMIT), kind):
            self._kept.append(message)
        return message

    def await_availability(self, wanted: Availability) -> None:
        while self.next(AvailabilityChanged).availability is not wanted:
            pass

    def state(self) -> ChildState:
        reply: Future[ChildState] = Future()
        self.ref.tell(GetChildState(reply))
        return reply.result(LIMIT)

    def await_state(self, wanted: Callable[[ChildState], bool]) -> ChildState:
        deadline = time.monotonic() + LIMIT
        while not wanted(state := self.state()):
            assert time.monotonic() < deadline, state
            time.sleep(0.002)
        return state

    def await_log(self, text: str) -> None:
        """Until the child has read a line with this text."""
        deadline = time.monotonic() + LIMIT
        while not self.log.exists() or text not in self.log.read_text():
            assert time.monotonic() < deadline
            time.sleep(0.002)

    def count_starts(self) -> int:
        return len(self.starts.read_text().splitlines()) if self.starts.exists() else 0

    def stop(self, grace: float = 0) -> None:
        reply: Future[None] = Future()
        self.ref.tell(StopChild(grace, reply))
        reply.result(LIMIT)

    def close(self) -> None:
        if self.ref.is_alive():
            self.stop()
            self.ref.stop(timeout=LIMIT)
