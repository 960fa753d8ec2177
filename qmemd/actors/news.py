"""What becomes of a task is told to those who poll, to those who listen, and to the log."""

from __future__ import annotations

import logging
from collections.abc import Callable

from qmemd.actors.board import TaskBoard
from qmemd.actors.task_updates import log_update, update_of
from qmemd.events import MemoryChanged, TaskUpdated
from qmemd.kinds import TaskStatus
from qmemd.logs.fields import fields
from qmemd.tasks import Task

log = logging.getLogger(__name__)

Publish = Callable[[MemoryChanged | TaskUpdated], None]
"""May not wait. What it raises is logged and fails no task."""


class TaskNews:
    """Tells each state of a task once it is so."""

    def __init__(self, board: TaskBoard, publish: Publish) -> None:
        self._board = board
        self._publish = publish

    def post(self, task: Task) -> None:
        """The task has another state now."""
        posted = self._board.get(task.task_id)
        update = update_of(posted.task if posted else None, task)
        self._board.post(task)
        log_update(update)
        self._tell(update)

    def ended(self, task: Task) -> None:
        """The task has ended, and may have changed documents."""
        self.post(task)
        # An index alone touches no scope.
        if task.status is TaskStatus.COMPLETED and task.result and task.result.touched_scopes:
            self._tell(
                MemoryChanged(
                    source=f"workspace_memory_{task.kind}",
                    task_id=task.task_id,
                    touched_scopes=task.result.touched_scopes,
                    originator=task.client_id,
                )
            )

    def _tell(self, event: MemoryChanged | TaskUpdated) -> None:
        try:
            self._publish(event)
        except Exception:  # no listener's trouble is a task's
            extra = fields(event.task_id, client_id=event.originator)
            log.exception("could not publish %s of %s", event.type, event.task_id, extra=extra)
