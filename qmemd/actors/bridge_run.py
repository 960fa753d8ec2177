"""The one task that the bridge is about to run, or runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from qmemd.acp.connection import Call
from qmemd.acp.messages import METHOD_OF_KIND, PREVIEW_OF_KIND
from qmemd.tasks import Change, Dream, Forget, Task, TaskFailure


@dataclass(slots=True)
class Run:
    """Changes on its way from waiting for a child, over being sent, to its end."""

    task: Task
    workspace: str
    call: Call | None = None
    """None while it waits for a child that can take it."""
    failed_starts: int = 0
    """In a row, while it waited."""
    cancelled: bool = False
    """Somebody asked to end it; the child was told."""
    verdict: TaskFailure | None = None
    """How it ends once the exit of its child is known, unless it was applied."""

    @property
    def makes_changes(self) -> bool:
        """Whether it needs an agent that previews, applies, reverts and erases."""
        request = self.task.request
        erases = isinstance(request, Forget) and request.erase
        previews = isinstance(request, Forget | Dream) and request.preview
        return erases or previews or isinstance(request, Change)

    @property
    def method(self) -> str:
        """The child's method."""
        ours = self.makes_changes and self.task.kind in PREVIEW_OF_KIND
        return (PREVIEW_OF_KIND if ours else METHOD_OF_KIND)[self.task.kind]

    @property
    def params(self) -> dict[str, Any]:
        """Of the child's method."""
        if self.task.request is None:
            raise ValueError(f"{self.task.task_id} says nothing of what is to be done")
        meta = {"qmemd/taskId": self.task.task_id}
        if self.task.client_id is not None:
            meta["qmemd/clientId"] = self.task.client_id
        return self.task.request.to_wire() | {"cwd": self.workspace, "_meta": meta}
