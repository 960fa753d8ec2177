"""A posted task, in the hands of whoever posted it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

from qmemd.client.errors import TaskFailedError, WaitTimeoutError
from qmemd.kinds import TaskKind, TaskStatus
from qmemd.results import TaskResult
from qmemd.tasks import Task

LONGEST_WAIT = 30.0
"""Seconds that one poll may wait."""
_SHORTEST_ROUND = 0.2
"""Seconds between two polls of a task that is not over, when the daemon does not let them wait;
more from poll to poll while nothing happens."""
_LONGEST_ROUND = 2.0
_ROUNDS_GROW_BY = 1.5
_FOR_THE_ANSWER = 5.0
"""Seconds beyond the caller's own for an answer to come in."""

Progress = Callable[[Task], object]


class Poller(Protocol):
    """What a handle needs of its client."""

    def task(
        self,
        kind: TaskKind | str,
        task_id: str,
        *,
        wait: float = 0,
        timeout: float | None = None,
    ) -> Task: ...

    def cancel(self, kind: TaskKind | str, task_id: str) -> Task: ...


class TaskHandle:
    """Knows one task. Safe to share between threads."""

    def __init__(
        self,
        client: Poller,
        task: Task,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._client = client
        self._task = task
        self._clock = clock
        self._sleep = sleep

    def __repr__(self) -> str:
        return f"<TaskHandle {self.task_id} {self.status}>"

    @property
    def task_id(self) -> str:
        return self._task.task_id

    @property
    def status(self) -> TaskStatus:
        """As last seen; ``refresh`` looks again."""
        return self._task.status

    @property
    def task(self) -> Task:
        """The snapshot that was last seen."""
        return self._task

    def refresh(self) -> Task:
        """Asks the daemon. Raises ClientError."""
        self._task = self._client.task(self._task.kind, self.task_id)
        return self._task

    def wait(self, timeout: float | None = None, on_progress: Progress | None = None) -> Task:
        """Returns when the task has ended, completed or failed.

        Args:
            timeout: seconds; None waits as long as it takes.
            on_progress: called with each snapshot whose status is new, on this thread.

        Raises:
            WaitTimeoutError: it has not ended in time.
            ClientError: the daemon cannot be asked; at most five seconds after the time.
        """
        deadline = None if timeout is None else self._clock() + timeout
        told: TaskStatus | None = None
        pause = _SHORTEST_ROUND
        while True:
            if on_progress is not None and self._task.status is not told:
                told = self._task.status
                on_progress(self._task)
            if self._task.status.terminal:
                return self._task
            begun = self._clock()
            left = LONGEST_WAIT if deadline is None else min(LONGEST_WAIT, deadline - begun)
            if left <= 0:
                raise WaitTimeoutError(f"{self.task_id} has not ended yet", "wait_timeout")
            # Somebody who wants to know of each step cannot wait for the end of a queued task.
            step = min(pause, left) if on_progress and told is TaskStatus.QUEUED else left
            patience = None if deadline is None else deadline - begun - step + _FOR_THE_ANSWER
            before = self._task.status
            self._task = self._client.task(
                self._task.kind, self.task_id, wait=step, timeout=patience
            )
            if self._task.status is not before:
                pause = _SHORTEST_ROUND
            if not self._task.status.terminal:
                self._sleep(max(0.0, min(pause, left) - (self._clock() - begun)))
                pause = min(pause * _ROUNDS_GROW_BY, _LONGEST_ROUND)

    def result(self, timeout: float | None = None) -> TaskResult:
        """What the task did, once it has completed.

        Raises:
            TaskFailedError: it failed.
            WaitTimeoutError: it has not ended in time.
            ClientError: the daemon cannot be asked.
        """
        task = self.wait(timeout)
        if task.result is None:
            raise TaskFailedError(task)
        return task.result

    def cancel(self) -> Task:
        """Ends the task: at once if it is queued, soon if it runs.

        Raises:
            RequestRefusedError: ``task_finished``, it has ended already.
            ClientError: the daemon cannot be asked.
        """
        self._task = self._client.cancel(self._task.kind, self.task_id)
        return self._task
