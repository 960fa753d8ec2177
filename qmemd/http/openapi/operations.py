"""What can be asked, one row for each method of each path."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from qmemd.http import paths
from qmemd.http.openapi.parameters import CLIENT_ID
from qmemd.kinds import TaskKind

SSE = "text/event-stream"
HTML = "text/html"
EMPTY = "empty"
"""The body of a request that needs none."""

_ASKS = ("daemon_busy",)
"""Codes of what is asked of the daemon's actors."""
_READS_FILE = (
    *("parse_error", "path_outside_workspace", "symlink_escape", "permission_denied"),
    *("path_not_found", "file_too_large", "binary_file", "io_error"),
)
_WRITES_FILE = (
    *("invalid_scope", "invalid_mode", "invalid_content", "content_too_large"),
    *("memory_file_too_large", "memory_file_refused", "file_error", "daemon_busy"),
)


@dataclass(frozen=True, slots=True)
class Operation:
    """One row."""

    method: str
    """In lower case."""
    path: str
    name: str
    """Its ``operationId``."""
    tag: str
    summary: str
    description: str = ""
    parameters: tuple[str, ...] = ()
    """Names in ``PARAMETERS``."""
    body: str | None = None
    """The name of the schema that the body is checked with."""
    body_optional: bool = False
    status: int = 200
    answer: str | None = None
    """The named schema of the body; None when there is none."""
    media_types: tuple[str, ...] = ("application/json",)
    """Those that the body may have."""
    open: bool = False
    """Whether it needs no token."""
    unchanged: bool = False
    """Whether a 304 tells who has the body already that it is still the same."""
    codes: tuple[str, ...] = ()
    """Codes of its own; those of every request, of bodies and of client ids come by themselves."""
    stops: bool = True
    """Whether it is refused while the daemon shuts down."""
    links: tuple[str, ...] = ()
    """Operations that may follow."""
    names: tuple[str, ...] = ()
    """Parameters of those that the answer holds."""


def operations() -> Iterator[Operation]:
    """All of them, in the order in which people read about them."""
    yield from _DAEMON
    for kind in TaskKind:
        yield from _of_kind(kind)
    yield from _TASKS_AND_CHANGES
    yield from _ENTRIES
    yield from _SESSIONS
    yield from _EVENTS
    yield from _CONTEXT
    yield from _PAGE


_DAEMON = (
    Operation(
        "get",
        paths.HEALTH,
        "getHealth",
        "daemon",
        "Is it up?",
        "Open without a token, unless `--require-auth` says otherwise.",
        answer="Health",
        open=True,
    ),
    Operation(
        "get",
        paths.CAPABILITIES,
        "getCapabilities",
        "daemon",
        "What can it do?",
        answer="Capabilities",
    ),
    Operation("get", paths.STATUS, "getStatus", "daemon", "How is it?", answer="DaemonStatus"),
    Operation(
        "get",
        paths.METRICS,
        "getMetrics",
        "daemon",
        "Its numbers, for Prometheus.",
        "Needs the extra `metrics`; see docs/operations.md.",
        answer="MetricsText",
        media_types=("text/plain",),
        codes=("metrics_unavailable",),
    ),
    Operation(
        "get",
        paths.OPENAPI,
        "getOpenapi",
        "daemon",
        "This document.",
        answer="OpenapiDocument",
    ),
)

_BODY_CODES = {
    TaskKind.REMEMBER: ("invalid_content", "invalid_context_mode", "invalid_scope"),
    TaskKind.FORGET: ("invalid_query", "invalid_scope", "invalid_option"),
    TaskKind.DREAM: ("invalid_option",),
    TaskKind.CHANGE: ("invalid_change_set_id", "invalid_action", "change_not_found"),
}
_SUMMARIES = {
    TaskKind.REMEMBER: "Keep a fact.",
    TaskKind.FORGET: "Remove what a query names.",
    TaskKind.DREAM: "Merge what is there twice, and mend the index.",
    TaskKind.CHANGE: "Apply, revert or discard a change set.",
}


def _of_kind(kind: TaskKind) -> Iterator[Operation]:
    name, place = kind.title(), f"{paths.MEMORY}/{kind}"
    one = f"{place}/{{taskId}}"
    yield Operation(
        "post",
        place,
        f"start{name}",
        "tasks",
        _SUMMARIES[kind],
        "The task is journaled before the answer leaves, and runs when those before it have.",
        (CLIENT_ID, "idempotencyKey"),
        body=kind.value,
        body_optional=kind is TaskKind.DREAM,
        status=202,
        answer=f"{name}Receipt",
        codes=(
            *(*_BODY_CODES[kind], "invalid_idempotency_key", "managed_memory_unavailable"),
            *("idempotency_mismatch", "remember_queue_full", f"{kind}_failed", *_ASKS),
        ),
        links=(f"get{name}Task", f"cancel{name}Task"),
        names=("taskId",),
    )
    yield Operation(
        "get",
        one,
        f"get{name}Task",
        "tasks",
        f"Look at a {kind} task.",
        "Answered even while the daemon shuts down.",
        ("taskId", "wait", CLIENT_ID),
        answer=f"{name}Task",
        codes=(f"{kind}_task_not_found", "invalid_wait"),
        stops=False,
    )
    yield Operation(
        "delete",
        one,
        f"cancel{name}Task",
        "tasks",
        f"Cancel a {kind} task.",
        "A queued one ends at once; a running one is told, and ends within a few seconds unless "
        "its change set was applied already.",
        ("taskId", CLIENT_ID),
        body=EMPTY,
        body_optional=True,
        status=202,
        answer=f"{name}Task",
        codes=(f"{kind}_task_not_found", "task_finished", *_ASKS),
    )


_TASKS_AND_CHANGES = (
    Operation(
        "get",
        f"{paths.MEMORY}/tasks",
        "listTasks",
        "tasks",
        "List tasks, the newest first.",
        parameters=("status", "kind", "limit", CLIENT_ID),
        answer="TaskList",
        codes=("invalid_status", "invalid_kind", "invalid_limit"),
    ),
    Operation(
        "get",
        f"{paths.MEMORY}/changes",
        "listChanges",
        "changes",
        "List change sets, the newest first.",
        parameters=("limit", "cursor", CLIENT_ID),
        answer="ChangeList",
        codes=("invalid_limit", "invalid_cursor"),
    ),
    Operation(
        "get",
        f"{paths.MEMORY}/changes/{{changeSetId}}",
        "getChange",
        "changes",
        "Look at a change set with its diffs.",
        parameters=("changeSetId", CLIENT_ID),
        answer="ChangeSetDetail",
        codes=("change_not_found",),
    ),
)

_ENTRIES = (
    Operation(
        "get",
        paths.ENTRIES,
        "listEntries",
        "entries",
        "List what is remembered.",
        "The newest documents first; with `q`, the best entries first.",
        ("q", "scope", "type", "limit", "first", CLIENT_ID),
        answer="EntryList",
        codes=("invalid_query", "invalid_scope", "invalid_type", "invalid_limit", "invalid_cursor"),
    ),
    Operation(
        "get",
        f"{paths.ENTRIES}/{{entryId}}",
        "getEntry",
        "entries",
        "Read an entry and its whole document.",
        parameters=("entryId", CLIENT_ID),
        answer="EntryDetail",
        codes=("entry_not_found",),
    ),
)

_ONE_SESSION = f"{paths.SESSION}/{{sessionId}}"
_SESSION_CODES = ("session_not_found", *_ASKS)

_SESSIONS = (
    Operation(
        "post",
        paths.SESSION,
        "openSession",
        "sessions",
        "Open a session, or attach to the one that is there.",
        "Only clients that want an id of their own, or a session's events, need one.",
        parameters=(CLIENT_ID,),
        body="session",
        body_optional=True,
        answer="Session",
        codes=(
            *("invalid_cwd", "invalid_session_scope", "workspace_mismatch"),
            *("session_limit_exceeded", *_ASKS),
        ),
        links=("startRemember", "startForget", "listTasks", "beat", "detach", "closeSession"),
        names=("sessionId", CLIENT_ID),
    ),
    Operation(
        "post",
        f"{_ONE_SESSION}/heartbeat",
        "beat",
        "sessions",
        "Say that a client is still there.",
        "A session without a stream and without one of these for 30 minutes is closed.",
        ("sessionId", CLIENT_ID),
        body=EMPTY,
        body_optional=True,
        answer="Heartbeat",
        codes=_SESSION_CODES,
    ),
    Operation(
        "post",
        f"{_ONE_SESSION}/detach",
        "detach",
        "sessions",
        "Leave a session; the last client closes it.",
        parameters=("sessionId", CLIENT_ID),
        body=EMPTY,
        body_optional=True,
        status=204,
        codes=_SESSION_CODES,
    ),
    Operation(
        "delete",
        _ONE_SESSION,
        "closeSession",
        "sessions",
        "Close a session, its streams and its client ids.",
        parameters=("sessionId", CLIENT_ID),
        body=EMPTY,
        body_optional=True,
        status=204,
        codes=_SESSION_CODES,
    ),
)

_READING = "A stream of server-sent events; the first bytes leave at once. See the guide's events."
_STREAM_CODES = ("invalid_max_queued", "subscriber_limit_exceeded", *_ASKS)
_STREAM_PARAMETERS = ("lastEventId", "epoch", "maxQueued", "snapshot", "connectReason")

_EVENTS = (
    Operation(
        "get",
        paths.EVENTS,
        "watchWorkspace",
        "events",
        "Read what happens in the workspace.",
        _READING,
        (*_STREAM_PARAMETERS, "client", CLIENT_ID),
        answer="EventStream",
        media_types=(SSE,),
        codes=_STREAM_CODES,
    ),
    Operation(
        "get",
        f"{_ONE_SESSION}/events",
        "watchSession",
        "events",
        "Read a session's events.",
        _READING,
        ("sessionId", *_STREAM_PARAMETERS, CLIENT_ID),
        answer="EventStream",
        media_types=(SSE,),
        codes=(*_STREAM_CODES, "session_not_found"),
    ),
)

_CONTEXT = (
    Operation(
        "get",
        paths.MEMORY,
        "listContextFiles",
        "context files",
        "List the context files of the workspace and the user.",
        answer="ContextFileList",
    ),
    Operation(
        "post",
        paths.MEMORY,
        "writeContextFile",
        "context files",
        "Append to, or replace, a QWEN.md.",
        parameters=(CLIENT_ID,),
        body="context",
        answer="ContextFileWritten",
        codes=_WRITES_FILE,
    ),
    Operation(
        "get",
        paths.FILE,
        "readFile",
        "context files",
        "Read one of them.",
        parameters=("path", "maxBytes", "line", "lines"),
        answer="FileContent",
        codes=_READS_FILE,
    ),
)

_PAGE = (
    Operation(
        "get",
        paths.ROOT,
        "getPage",
        "page",
        "The page for people.",
        "It holds nothing of anybody, so it needs no token; what it shows is asked for with one.",
        answer="Page",
        media_types=(HTML,),
        open=True,
        unchanged=True,
        stops=False,
    ),
    Operation(
        "get",
        f"{paths.PAGE}/{{file}}",
        "getPageFile",
        "page",
        "A script, style sheet or picture of the page.",
        parameters=("file",),
        answer="PageFile",
        media_types=("text/html", "text/css", "text/javascript", "image/svg+xml"),
        open=True,
        unchanged=True,
        stops=False,
    ),
)
