"""What can go wrong: one exception tree and one table of stable codes.

A *code* is part of the wire contract and never changes its meaning. The table gives each code the
HTTP status of a refused request and the fixed sentence that people read; codes without a status
only ever appear in the ``error`` of a failed task.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class ErrorEntry:
    """One row of the table."""

    status: int | None
    """HTTP status when a request is refused with this code; None when only tasks fail with it."""
    sentence: str
    """What people read. Fixed per code, so that it never leaks what somebody typed."""
    retry_after: int | None = None
    """Seconds for the ``Retry-After`` header."""
    internal: bool = False
    """Inside the program only; never the code of a refusal or of a failed task."""

    @property
    def fails_tasks_only(self) -> bool:
        """Whether this is how a task may end, and nothing else."""
        return self.status is None and not self.internal


def _internal(sentence: str) -> ErrorEntry:
    return ErrorEntry(None, sentence, internal=True)


_KINDS = ("remember", "forget", "dream", "change")

ERRORS: Mapping[str, ErrorEntry] = {
    # the request as such
    "bad_request": ErrorEntry(400, "The request is not valid HTTP or cannot be understood."),
    "unauthorized": ErrorEntry(
        401, "This needs the daemon's token: send the header 'Authorization: Bearer <token>'."
    ),
    "invalid_host": ErrorEntry(
        403, "The Host header does not name this daemon; use the address that it listens on."
    ),
    "origin_denied": ErrorEntry(403, "Requests from this web origin are not allowed."),
    "not_found": ErrorEntry(404, "There is nothing at this path."),
    "method_not_allowed": ErrorEntry(405, "This path does not take this method; see Allow."),
    "body_too_large": ErrorEntry(413, "The request body is over the limit of 10 MiB."),
    "unsupported_media_type": ErrorEntry(
        415, "The body must be JSON: send 'Content-Type: application/json'."
    ),
    "headers_too_large": ErrorEntry(431, "The request headers are too large."),
    "not_implemented": ErrorEntry(501, "The daemon does not support this transfer encoding."),
    "metrics_unavailable": ErrorEntry(
        501, "Metrics need one more package: pip install 'qmemd[metrics]', then start again."
    ),
    "internal_error": ErrorEntry(500, "The daemon failed on this request; its log says why."),
    "rate_limit_exceeded": ErrorEntry(  # each answer has its own Retry-After
        429, "Rate limit exceeded; wait for as long as `Retry-After` says."
    ),
    "daemon_stopping": ErrorEntry(503, "The daemon is shutting down.", retry_after=5),
    "daemon_busy": ErrorEntry(503, "The daemon did not answer in time; try again.", retry_after=1),
    # its fields
    "invalid_json": ErrorEntry(
        400,
        "The body must be one JSON object in UTF-8 of at most 64 levels and 10,000 values, no NaN.",
    ),
    "invalid_content": ErrorEntry(
        400, "`content` must be a non-blank string of at most 65536 bytes of UTF-8."
    ),
    "invalid_query": ErrorEntry(
        400, "`query` must be a non-blank string of at most 65536 bytes of UTF-8."
    ),
    "invalid_context_mode": ErrorEntry(
        400, '`contextMode` must be "workspace", "clean" or absent.'
    ),
    "invalid_scope": ErrorEntry(400, '`scope` must be "user", "project" or absent.'),
    "invalid_client_id": ErrorEntry(
        400, "`X-Qwen-Client-Id` must be an id of a live session: 1-128 of [A-Za-z0-9._:-]."
    ),
    "invalid_idempotency_key": ErrorEntry(
        400, "`Idempotency-Key` must be 1-255 printable ASCII letters."
    ),
    "invalid_status": ErrorEntry(400, "`status` must be queued, running, completed or failed."),
    "invalid_kind": ErrorEntry(400, "`kind` must be remember, forget, dream or change."),
    "invalid_type": ErrorEntry(400, "`type` must be user, feedback, project or reference."),
    "invalid_limit": ErrorEntry(400, "`limit` must be a number from 1 to 1000."),
    "invalid_max_queued": ErrorEntry(400, "`maxQueued` must be a number from 16 to 2048."),
    "invalid_option": ErrorEntry(
        400, "`preview` and `erase` must be true or false, not both true."
    ),
    "invalid_action": ErrorEntry(400, '`action` must be "apply", "revert" or "discard".'),
    "invalid_change_set_id": ErrorEntry(
        400, "`changeSetId` must be 1-100 letters, digits, '-' or '_'."
    ),
    "invalid_cursor": ErrorEntry(400, "`cursor` must be the `nextCursor` of an earlier page."),
    "invalid_wait": ErrorEntry(400, "`wait` must be a number of seconds from 0 to 30."),
    "invalid_session_scope": ErrorEntry(
        400, '`sessionScope` must be "single", "thread" or absent.'
    ),
    "invalid_cwd": ErrorEntry(400, "`cwd` must be an absolute path of at most 4096 characters."),
    "workspace_mismatch": ErrorEntry(400, "This daemon serves another workspace."),
    # what it names
    "remember_task_not_found": ErrorEntry(404, "There is no such remember task."),
    "forget_task_not_found": ErrorEntry(404, "There is no such forget task."),
    "dream_task_not_found": ErrorEntry(404, "There is no such dream task."),
    "change_task_not_found": ErrorEntry(404, "There is no such change task."),
    "change_not_found": ErrorEntry(404, "There is no such change set."),
    "entry_not_found": ErrorEntry(404, "There is no such entry; it may have changed or gone."),
    "session_not_found": ErrorEntry(404, "There is no such session."),
    "subscriber_limit_exceeded": ErrorEntry(
        429, "Too many event streams are open; close one.", retry_after=5
    ),
    "session_limit_exceeded": ErrorEntry(
        503, "Too many sessions are open; close one.", retry_after=5
    ),
    # context files
    "invalid_mode": ErrorEntry(400, '`mode` must be "append", "replace" or absent.'),
    "content_too_large": ErrorEntry(400, "`content` must be at most 1048576 bytes of UTF-8."),
    "memory_file_too_large": ErrorEntry(
        413, 'The file is too large to append to; shorten it, or send `"mode": "replace"`.'
    ),
    "memory_file_refused": ErrorEntry(
        409,
        "The file is not a regular text file in its directory (a link, or not UTF-8); nothing was "
        "written.",
    ),
    "file_error": ErrorEntry(500, "The file could not be written; `osCode` says why."),
    "parse_error": ErrorEntry(400, "`path` is missing, or a number of the query is none."),
    "path_outside_workspace": ErrorEntry(400, "Only the context files can be read."),
    "symlink_escape": ErrorEntry(400, "The file is a link that leads out of its directory."),
    "path_not_found": ErrorEntry(404, "There is no such context file."),
    "permission_denied": ErrorEntry(403, "The daemon may not read the file."),
    "file_too_large": ErrorEntry(413, "The file is over 16 MiB."),
    "binary_file": ErrorEntry(422, "The file is not text in UTF-8."),
    "io_error": ErrorEntry(503, "The file could not be read; try again.", retry_after=1),
    "task_finished": ErrorEntry(409, "The task has ended already; there is nothing to cancel."),
    "idempotency_mismatch": ErrorEntry(
        422, "This Idempotency-Key was used with other fields; use a new key."
    ),
    # availability and capacity; the first also fails tasks
    "managed_memory_unavailable": ErrorEntry(
        409, "Managed memory is unavailable for this daemon workspace."
    ),
    "remember_queue_full": ErrorEntry(
        429, "The queue of memory tasks is full; try again later.", retry_after=5
    ),
    **{f"{kind}_failed": ErrorEntry(500, f"Workspace memory {kind} failed.") for kind in _KINDS},
    # how tasks fail
    **{
        f"{kind}_timeout": ErrorEntry(None, f"Workspace memory {kind} timed out.")
        for kind in _KINDS
    },
    "remember_path_escape": ErrorEntry(
        None, "The agent tried to write outside managed memory; nothing was written."
    ),
    "remember_scope_mismatch": ErrorEntry(
        None, "The agent tried to write outside the requested scope; nothing was written."
    ),
    "remember_no_update": ErrorEntry(None, "The agent did not update any memory."),
    "agent_crashed": ErrorEntry(None, "The agent process ended before it answered."),
    "task_cancelled": ErrorEntry(None, "The task was cancelled."),
    "secret_detected": ErrorEntry(
        None, "The text looks like it holds a secret; nothing was stored. Leave the secret out."
    ),
    "dream_unsafe": ErrorEntry(
        None, "The dream would have removed too many memories; nothing was changed."
    ),
    "daemon_restarted": ErrorEntry(None, "The daemon was restarted while the task ran."),
    "change_conflict": ErrorEntry(
        None, "A memory file was changed by another program meanwhile; nothing was overwritten."
    ),
    # inside the program; they reach users as the details of something else, or as a start's end
    "erasure_incomplete": _internal("The journal could not be cleaned."),
    "invalid_settings": _internal("A setting is wrong."),
    "protocol_error": _internal("The other end of the pipe broke the protocol."),
    "claim_lost": _internal("The claim on the task is not in force any more."),
    "memory_locked": _internal("Another process holds the lock of the memory."),
    "memory_path_refused": _internal("This path in the memory is not to be used."),
    "memory_document_unreadable": _internal("A memory document cannot be read."),
    "memory_index_failed": _internal("The index of the memory could not be rebuilt."),
    "change_set_unreadable": _internal("A change set in the history cannot be read."),
}


class QmemdError(Exception):
    """Base of every error that qmemd raises on purpose.

    ``code`` is stable. ``details`` may hold more about this one case and is shown to users, so
    it must be free of remembered text and of secrets.
    """

    def __init__(
        self, code: str, message: str | None = None, *, details: str | None = None
    ) -> None:
        self.code = code
        self.message = message or ERRORS[code].sentence
        self.details = details
        super().__init__(self.message)


class SettingsError(QmemdError):
    """A setting is wrong; the sentence names it and says what to do."""

    def __init__(self, message: str) -> None:
        super().__init__("invalid_settings", message)


class RequestError(QmemdError):
    """A request was refused before anything was accepted."""

    def __init__(
        self,
        code: str,
        message: str | None = None,
        *,
        details: str | None = None,
        extra: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(code, message, details=details)
        self.extra: Mapping[str, Any] = extra or {}
        """Documented further keys of the error body, e.g. ``{"clientId": …}``."""

    @property
    def status(self) -> int:
        """HTTP status by the table; 500 for a code without one."""
        return ERRORS[self.code].status or 500


class TaskFailedError(QmemdError):
    """A run ended without success; ``code`` and ``details`` become the task's ``error``."""


class MemoryFilesError(QmemdError):
    """The memory files could not be read or written as asked."""


class ProtocolError(QmemdError):
    """The other end of the pipe broke ACP's framing or message shapes."""

    def __init__(self, message: str) -> None:
        super().__init__("protocol_error", message)
