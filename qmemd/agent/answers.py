"""From an error to what the daemon is told about it."""

from __future__ import annotations

import logging
import traceback

from qmemd.acp.messages import CallId, Response, memory_unavailable, task_failed
from qmemd.errors import ERRORS, QmemdError
from qmemd.kinds import TaskKind
from qmemd.memory.secrets import redact
from qmemd.tasks import MAX_DETAILS, TaskFailure

_log = logging.getLogger(__name__)


def answer_failure(call_id: CallId, kind: TaskKind, error: BaseException) -> Response:
    """The response to a task of this kind that ended with ``error``."""
    failure = _failure(kind, error)
    if failure.code == "managed_memory_unavailable":
        return memory_unavailable(call_id, failure.message)
    return task_failed(call_id, failure.message, failure.code, failure.details)


def _failure(kind: TaskKind, error: BaseException) -> TaskFailure:
    if isinstance(error, QmemdError):
        if not ERRORS[error.code].internal:
            return TaskFailure.of(error.code, _clean(error.details))
        return TaskFailure.of(f"{kind.value}_failed", _clean(error.details or error.message))
    if isinstance(error, OSError):
        return TaskFailure.of(f"{kind.value}_failed", error.strerror)
    # The message of an unexpected error may quote remembered text: only its place is logged.
    _log.error(
        "a %s run failed with %s\n%s",
        kind.value,
        type(error).__name__,
        "".join(traceback.format_tb(error.__traceback__)),
    )
    return TaskFailure.of(f"{kind.value}_failed")


def _clean(details: str | None) -> str | None:
    # Cut first: redacting is not free and the text may be long.
    return redact(details[: 4 * MAX_DETAILS]) if details else None
