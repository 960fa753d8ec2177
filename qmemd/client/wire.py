"""Tasks as the daemon sends them."""

from __future__ import annotations

from datetime import datetime
from typing import Any, TypeVar

from qmemd.client.errors import UnexpectedAnswerError
from qmemd.errors import ProtocolError
from qmemd.kinds import ContextMode, Scope, TaskKind, TaskStatus
from qmemd.results import result_from_wire
from qmemd.tasks import Task, TaskFailure

T = TypeVar("T")


def an_object(answer: Any) -> dict[str, Any]:
    """The answer, which has to be a JSON object. Raises UnexpectedAnswerError."""
    if not isinstance(answer, dict):
        raise UnexpectedAnswerError("the answer is not an object", "unexpected_answer")
    return answer


def picked(answer: Any, key: str, kind: type[T]) -> T:
    """What an answer has under a key. Raises UnexpectedAnswerError."""
    value = an_object(answer).get(key)
    if not isinstance(value, kind):
        raise UnexpectedAnswerError(f"the answer has no sound `{key}`", "unexpected_answer")
    return value


def task_from_wire(wire: Any) -> Task:
    """A task of an answer.

    Raises:
        UnexpectedAnswerError: it is none.
    """
    try:
        kind = TaskKind(wire["taskId"].partition("-")[0])
        result, error = wire.get("result"), wire.get("error")
        return Task(
            task_id=wire["taskId"],
            kind=kind,
            status=TaskStatus(wire["status"]),
            created_at=datetime.fromisoformat(wire["createdAt"]),
            updated_at=datetime.fromisoformat(wire["updatedAt"]),
            context_mode=ContextMode(wire["contextMode"]) if "contextMode" in wire else None,
            scope=Scope(wire["scope"]) if "scope" in wire else None,
            result=None if result is None else result_from_wire(kind, result),
            error=None if error is None else _failure(error),
        )
    except (KeyError, TypeError, ValueError, AttributeError, ProtocolError) as mistake:
        raise UnexpectedAnswerError(
            f"the daemon sent a task that makes no sense: {mistake}", "unexpected_answer"
        ) from mistake


def _failure(wire: Any) -> TaskFailure:
    return TaskFailure(str(wire["code"]), str(wire["message"]), wire.get("details"))
