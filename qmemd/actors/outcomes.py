"""What a child's answer means for the task."""

from __future__ import annotations

from typing import Any

from qmemd.acp.messages import (
    MEMORY_UNAVAILABLE_KIND,
    TASK_FAILED,
    UNAVAILABLE,
    Response,
    RpcError,
)
from qmemd.errors import ERRORS, ProtocolError
from qmemd.kinds import TaskKind
from qmemd.memory.secrets import redact
from qmemd.messages import (
    Availability,
)
from qmemd.results import TaskResult, result_from_wire
from qmemd.tasks import TaskFailure

_OF_ANY_KIND = frozenset(
    {
        MEMORY_UNAVAILABLE_KIND,
        "task_cancelled",
        "secret_detected",
        "dream_unsafe",
        "change_conflict",
    }
)

MAX_ERROR_TEXT = 16_384
"""Characters of a child's error that are looked at."""


def outcome_of(kind: TaskKind, response: Response) -> TaskResult | TaskFailure:
    """The outcome of the task that this answers."""
    error = response.error
    if error is None:
        try:
            return result_from_wire(kind, response.result)
        except ProtocolError as fault:
            return TaskFailure.of(f"{kind}_failed", fault.message)
    error_kind = _field(error, "errorKind")
    if error.code == UNAVAILABLE and error_kind == MEMORY_UNAVAILABLE_KIND:
        return TaskFailure.of(MEMORY_UNAVAILABLE_KIND)
    details = _field(error, "details")
    if error.code == TASK_FAILED and error_kind is not None and _fails_task(kind, error_kind):
        return TaskFailure.of(error_kind, details and redact(details))
    return TaskFailure.of(f"{kind}_failed", redact(details or error.message[:MAX_ERROR_TEXT]))


def crash_of(reason: str) -> TaskFailure:
    """The failure of a task whose child ended, or could not be started."""
    return TaskFailure.of("agent_crashed", redact(reason))


def availability_of(response: Response) -> Availability:
    """What the child said to the availability question."""
    if response.error is not None:
        unavailable = response.error.code == UNAVAILABLE
        return Availability.UNAVAILABLE if unavailable else Availability.FAILED
    available = response.result.get("available") if isinstance(response.result, dict) else None
    if not isinstance(available, bool):
        return Availability.FAILED
    return Availability.AVAILABLE if available else Availability.UNAVAILABLE


def _fails_task(kind: TaskKind, code: str) -> bool:
    """Whether a child may end a task of this kind with the code."""
    own = code == f"{kind}_failed" or (
        code.startswith(f"{kind}_") and code in ERRORS and ERRORS[code].fails_tasks_only
    )
    return own or code in _OF_ANY_KIND


def _field(error: RpcError, key: str) -> str | None:
    data: Any = error.data
    value = data.get(key) if isinstance(data, dict) else None
    return value[:MAX_ERROR_TEXT] if isinstance(value, str) else None
