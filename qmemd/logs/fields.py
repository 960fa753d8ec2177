"""What a record says of a task beside its message, handed to logging as ``extra=``.

The names are those of the wire, so that one search finds a task in the log and in the answers.
"""

from __future__ import annotations

import logging
from typing import Any

from qmemd.tasks import Task

FIELDS = ("taskId", "clientId", "kind", "code", "durationMs")
"""Names that a record may carry, in the order in which they are shown."""
MAX_VALUE = 200
"""Characters of a value; an id has up to 128."""


def fields(
    task_id: str | None = None,
    kind: str | None = None,
    client_id: str | None = None,
    code: str | None = None,
    seconds: float | None = None,
) -> dict[str, Any]:
    """For ``extra=``: those that are known."""
    given = {
        "taskId": task_id,
        "clientId": client_id,
        "kind": None if kind is None else str(kind),
        "code": code,
        "durationMs": None if seconds is None else round(seconds * 1000),
    }
    return {name: value for name, value in given.items() if value is not None}


def task_fields(task: Task) -> dict[str, Any]:
    """The same for a task as it is."""
    code = None if task.error is None else task.error.code
    return fields(task.task_id, task.kind, task.client_id, code)


def fields_of(record: logging.LogRecord) -> dict[str, Any]:
    """The ones that a record carries."""
    found = {name: getattr(record, name, None) for name in FIELDS}
    return {
        name: value if isinstance(value, int) else str(value)[:MAX_VALUE]
        for name, value in found.items()
        if value is not None
    }
