"""Tasks as rows, and back."""

from __future__ import annotations

import json
import sqlite3
from datetime import datetime
from typing import Any

from qmemd.errors import ProtocolError
from qmemd.kinds import ChangeAction, ContextMode, Scope, TaskKind, TaskStatus
from qmemd.results import TaskResult, result_from_wire
from qmemd.tasks import Change, Dream, Forget, Remember, Task, TaskFailure, TaskRequest
from qmemd.texts import is_utf8


class BrokenRowError(ValueError):
    """A row says what no version of qmemd has written."""


def values_of(task: Task) -> dict[str, Any]:
    """The columns of a task, by name."""
    return {
        "task_id": task.task_id,
        "kind": task.kind.value,
        "status": task.status.value,
        "created_at": task.created_at.isoformat(),
        "updated_at": task.updated_at.isoformat(),
        "client_id": task.client_id,
        "context_mode": task.context_mode and task.context_mode.value,
        "scope": task.scope and task.scope.value,
        "request": None if task.request is None else _text(task.request.to_wire()),
        "outcome": outcome_text(task),
        "attempts": task.attempts,
    }


def outcome_text(task: Task) -> str | None:
    """What became of it, as JSON; None while it is pending."""
    if task.result is not None:
        return _text(task.result.to_wire())
    return None if task.error is None else _text(task.error.to_wire())


def task_of(row: sqlite3.Row) -> Task:
    """The task of a row.

    Raises:
        BrokenRowError: it cannot be understood.
    """
    if not all(is_utf8(value) for value in tuple(row) if isinstance(value, str)):
        raise BrokenRowError("bytes of it are damaged")
    try:
        kind, status = TaskKind(row["kind"]), TaskStatus(row["status"])
        if status.terminal != (row["ended"] is not None):
            raise BrokenRowError("whether it has ended is unclear")
        outcome = None if row["outcome"] is None else json.loads(row["outcome"])
        return Task(
            task_id=row["task_id"],
            kind=kind,
            status=status,
            created_at=moment_of(row["created_at"]),
            updated_at=moment_of(row["updated_at"]),
            client_id=row["client_id"],
            context_mode=_member(ContextMode, row["context_mode"]),
            scope=_member(Scope, row["scope"]),
            request=_request(kind, row["request"]),
            result=_result(kind, outcome) if status is TaskStatus.COMPLETED else None,
            error=_failure(outcome) if status is TaskStatus.FAILED else None,
            attempts=row["attempts"],
        )
    except (ValueError, KeyError, TypeError, AttributeError, ProtocolError) as error:
        # Ours is logged; that of others may quote what stands in the row.
        ours = isinstance(error, BrokenRowError | ProtocolError)
        raise BrokenRowError(str(error) if ours else type(error).__name__) from error


def moment_of(text: str) -> datetime:
    """A point in time. Raises ValueError."""
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError("a time without its zone")
    return moment


def _request(kind: TaskKind, text: str | None) -> TaskRequest | None:
    if text is None:
        return None
    wire = json.loads(text)
    if not all(isinstance(wire.get(key, ""), str) for key in ("content", "query", "changeSetId")):
        raise TypeError("a text of it is no text")
    scope = _member(Scope, wire.get("scope"))
    if kind is TaskKind.REMEMBER:
        return Remember(wire["content"], ContextMode(wire["contextMode"]), scope)
    preview = bool(wire.get("preview", False))
    if kind is TaskKind.FORGET:
        return Forget(wire["query"], scope, preview, bool(wire.get("erase", False)))
    if kind is TaskKind.CHANGE:
        return Change(wire["changeSetId"], ChangeAction(wire["action"]))
    return Dream(preview)


def _result(kind: TaskKind, outcome: Any) -> TaskResult:
    return result_from_wire(kind, outcome)


def _failure(outcome: Any) -> TaskFailure:
    return TaskFailure(
        _string(outcome, "code"), _string(outcome, "message"), outcome.get("details")
    )


def _string(wire: Any, key: str) -> str:
    value = wire[key]
    if not isinstance(value, str):
        raise TypeError(f"`{key}` is no string")
    return value


def _member(members: Any, value: str | None) -> Any:
    return None if value is None else members(value)


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
