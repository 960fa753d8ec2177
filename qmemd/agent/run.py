"""One run of a task: who asked, how long it may take, and how it comes to an end."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from qmemd.errors import TaskFailedError
from qmemd.kinds import TaskKind
from qmemd.memory.commit import RunRecord

MAX_TURNS = 6
"""How often a model is asked in one run."""


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
    cancelled: threading.Event = field(default_factory=threading.Event)

    def check(self) -> None:
        """Asked wherever the run may stop without harm.

        Raises:
            TaskFailedError: the run was cancelled, or its time is over.
        """
        if self.cancelled.is_set():
            raise TaskFailedError("task_cancelled")
        if self.clock() >= self.deadline:
            raise TaskFailedError(f"{self.kind.value}_timeout")

    def may_commit(self) -> bool:
        """The last question before a commit; a late run raises as :meth:`check` does."""
        self.check()
        return True

    def failed(self, details: str) -> TaskFailedError:
        """The error of a run that did not get there."""
        return TaskFailedError(f"{self.kind.value}_failed", details=details)

    def record(self, model: str) -> RunRecord:
        """What the change set says about this run."""
        return RunRecord(
            task_id=self.task_id,
            kind=self.kind,
            client_id=self.client_id,
            workspace=self.workspace,
            model=model,
        )
