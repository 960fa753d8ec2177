"""One run of a task: who asked, how long it may take, and how it comes to an end."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from qmemd.agent.cancellation import Cancellation
from qmemd.agent.meter import UsageMeter
from qmemd.errors import TaskFailedError
from qmemd.kinds import TaskKind
from qmemd.memory.proposals import RunRecord

MAX_TURNS = 6
"""How often a model is asked in one run."""


_LONGEST_WAIT = 1e6
"""Seconds; the system takes no number of any size."""


@dataclass(frozen=True, slots=True)
class Run:
    """What a handler needs to know about the task that it works on."""

    task_id: str
    kind: TaskKind
    client_id: str | None
    workspace: str
    """Canonical absolute path."""
    deadline: float
    """On ``clock``; the run fails as timed out from then on."""
    clock: Callable[[], float]
    """Monotonic seconds."""
    cancellation: Cancellation = field(default_factory=Cancellation)
    usage: UsageMeter = field(default_factory=UsageMeter)

    def check(self) -> None:
        """Asked wherever the run may stop without harm.

        Raises:
            TaskFailedError: the run was cancelled, or its time is over.
        """
        if self.cancellation.requested:
            raise TaskFailedError("task_cancelled")
        if self.clock() >= self.deadline:
            raise TaskFailedError(f"{self.kind.value}_timeout")

    def remaining(self) -> float:
        """Seconds until the deadline, 0 once it is over."""
        return max(0.0, self.deadline - self.clock())

    @contextmanager
    def interrupt(self, callback: Callable[[], object]) -> Iterator[None]:
        """While inside, has the callback run as soon as the run has to stop.

        It runs on the thread that cancels, or at the deadline on a timer's, perhaps twice, and at
        once when it is too late already. It must be quick and only wake what waits: the caller
        then asks :meth:`check` why. After the end it is not called any more.
        """
        guard = threading.Lock()
        inside = True

        def wake() -> None:
            with guard:
                if inside:
                    callback()

        # A little late rather than early: who is woken by it must find the time over.
        timer = threading.Timer(min(self.remaining() + 0.001, _LONGEST_WAIT), wake)
        timer.daemon = True
        timer.start()
        leave = self.cancellation.subscribe(wake)
        try:
            yield
        finally:
            timer.cancel()
            leave()
            with guard:
                inside = False
            timer.join()

    def may_commit(self) -> bool:
        """The last question before a commit; a late run raises as :meth:`check` does."""
        self.check()
        return True

    def failed(self, details: str) -> TaskFailedError:
        """The error of a run that did not get there."""
        return TaskFailedError(f"{self.kind.value}_failed", details=details)

    def record(self, model: str | None) -> RunRecord:
        """What the change set says about this run."""
        return RunRecord(
            task_id=self.task_id,
            kind=self.kind,
            client_id=self.client_id,
            workspace=self.workspace,
            model=model,
        )
