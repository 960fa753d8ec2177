"""The step that a task has just made: an event for those who listen, and a line of the log."""

from __future__ import annotations

import logging

from qmemd.events import TaskUpdated
from qmemd.kinds import TaskStatus
from qmemd.logs.fields import fields
from qmemd.tasks import Task

log = logging.getLogger(__name__)


def update_of(before: Task | None, now: Task) -> TaskUpdated:
    """What happened between two snapshots of a task; None when it is new."""
    stayed = None if before is None else (now.updated_at - before.updated_at).total_seconds()
    return TaskUpdated(
        now.task_id,
        now.kind,
        now.status,
        now.client_id,
        before=None if before is None else before.status,
        seconds=None if stayed is None else max(0.0, stayed),  # a clock may be set back
        code=None if now.error is None else now.error.code,
        usage=None if now.result is None else now.result.usage,
    )


def log_update(update: TaskUpdated) -> None:
    """Says it in the log, with the ids; nothing of what the task is about."""
    log.info(
        "%s %s",
        update.task_id,
        _words(update),
        extra=fields(
            update.task_id,
            update.kind,
            update.originator,
            update.code,
            update.seconds if update.status.terminal else None,
        ),
    )


def _words(update: TaskUpdated) -> str:
    if update.status is TaskStatus.QUEUED:
        return "accepted" if update.before is None else "queued again"
    if update.status is TaskStatus.RUNNING:
        return f"started{_after(update, 'in the queue')}"
    place = "running" if update.before is TaskStatus.RUNNING else "in the queue"
    return f"{update.code or update.status}{_after(update, place)}"


def _after(update: TaskUpdated, place: str) -> str:
    return "" if update.seconds is None else f" after {update.seconds:.3f} s {place}"
