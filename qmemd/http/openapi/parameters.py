"""What requests may carry outside of their bodies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from qmemd.http.context_resources import MAX_READ
from qmemd.http.parameters import DEFAULT_LISTED, MAX_LISTED, MAX_SEARCH, MAX_WAIT
from qmemd.http.stream_parameters import MAX_QUEUED, MIN_QUEUED
from qmemd.kinds import Scope, TaskKind, TaskStatus, Topic
from qmemd.streams import DEFAULT_QUEUED

CLIENT_ID = "clientId"

_MAYBE_CLIENT = {"type": "string", "pattern": "^[A-Za-z0-9._:-]{0,128}$"}


def _header(name: str, description: str, schema: Any) -> dict[str, Any]:
    return {"name": name, "in": "header", "description": description, "schema": schema}


def _query(name: str, description: str, schema: Any, **more: Any) -> dict[str, Any]:
    return {"name": name, "in": "query", "description": description, "schema": schema, **more}


def _path(name: str, description: str) -> dict[str, Any]:
    schema = {"type": "string", "minLength": 1}
    return {
        "name": name,
        "in": "path",
        "required": True,
        "description": description,
        "schema": schema,
    }


PARAMETERS: Mapping[str, dict[str, Any]] = {
    "taskId": _path("taskId", "As the 202 named it."),
    "changeSetId": _path("changeSetId", "As a result named it."),
    "entryId": _path("entryId", "As the list named it."),
    "file": _path("file", "As the page names it."),
    "sessionId": _path("sessionId", "As `POST /session` named it."),
    CLIENT_ID: _header(
        "X-Qwen-Client-Id",
        "Who asks: an id that `POST /session` gave, of a session that is open. Absent or empty is "
        "anonymous. What was made with an id is seen with that id alone.",
        _MAYBE_CLIENT,
    ),
    "idempotencyKey": _header(
        "Idempotency-Key",
        "The same key with the same fields names the same task for 24 hours.",
        {"type": "string", "pattern": "^[ -~]{1,255}$"},
    ),
    "wait": _query(
        "wait",
        "Seconds for which the answer may wait for the end of the task.",
        {"type": "number", "minimum": 0, "maximum": MAX_WAIT, "default": 0},
    ),
    "status": _query("status", "Only these.", {"enum": [status.value for status in TaskStatus]}),
    "kind": _query("kind", "Only these.", {"enum": [kind.value for kind in TaskKind]}),
    "limit": _query(
        "limit",
        "How many at most.",
        {"type": "integer", "minimum": 1, "maximum": MAX_LISTED, "default": DEFAULT_LISTED},
    ),
    "cursor": _query(
        "cursor",
        "The `nextCursor` of the page before.",
        {"type": "string", "pattern": r"^[0-9]{8}T[0-9]{9}Z\.[A-Za-z0-9_-]{1,100}$"},
    ),
    "first": _query(
        "cursor",
        "The `nextCursor` of the page before.",
        {"type": "string", "pattern": r"^[0-9]{1,9}$"},
    ),
    "q": _query(
        "q",
        "Words: the best entries come first. The last one may be the beginning of a word.",
        {"type": "string", "maxLength": MAX_SEARCH},
    ),
    "scope": _query("scope", "Only this memory.", {"enum": [scope.value for scope in Scope]}),
    "type": _query("type", "Only these.", {"enum": [topic.value for topic in Topic]}),
    "path": _query(
        "path",
        "Absolute, or relative to the workspace; one of the files that `GET /workspace/memory` "
        "lists.",
        {"type": "string", "minLength": 1},
        required=True,
    ),
    "maxBytes": _query(
        "maxBytes",
        "Bytes of UTF-8 after which the text is cut.",
        {"type": "integer", "minimum": 1, "maximum": 999_999_999, "default": MAX_READ},
    ),
    "line": _query(
        "line",
        "The first line that is wanted.",
        {"type": "integer", "minimum": 1, "maximum": 999_999_999, "default": 1},
    ),
    "lines": _query(
        "limit",
        "How many lines at most.",
        {"type": "integer", "minimum": 1, "maximum": 999_999_999},
    ),
    "lastEventId": _header(
        "Last-Event-ID",
        "The last id that arrived: what is newer comes first. 0 asks for all that is kept. What is "
        "no number is ignored.",
        {"type": "string"},
    ),
    "epoch": _header(
        "X-Qwen-Event-Epoch",
        "The epoch that `Last-Event-ID` is from; ids begin anew in each.",
        {"type": "string"},
    ),
    "maxQueued": _query(
        "maxQueued",
        "Events that may wait for a slow reader before it is sent away.",
        {
            "type": "integer",
            "minimum": MIN_QUEUED,
            "maximum": MAX_QUEUED,
            "default": DEFAULT_QUEUED,
        },
    ),
    "snapshot": _query(
        "snapshot", "`1` or `true` asks for a `session_snapshot` first.", {"type": "string"}
    ),
    "connectReason": _query("connectReason", "Taken and ignored.", {"type": "string"}),
    "client": _query("client", "Only changes that this client caused.", _MAYBE_CLIENT),
}
"""By the names that operations use for them."""
