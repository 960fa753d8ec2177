"""Events sorted out: what a program wants to know, checked, instead of what came over the wire.

The forms follow the normaliser of the TypeScript SDK, so that programs in both languages agree on
which payloads are sound.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from qmemd.client.events import Event, event_of_envelope


@dataclass(frozen=True, slots=True)
class _Base:
    event_id: int | None
    server_timestamp: int | None
    originator_client_id: str | None


@dataclass(frozen=True, slots=True)
class WorkspaceMemoryChanged(_Base):
    """Managed memory changed (``scope`` is ``managed``), or a context file was written."""

    scope: str
    """``managed``, or ``workspace`` or ``global`` for a context file."""
    source: str | None = None
    """``workspace_memory_<kind>``; managed only."""
    task_id: str | None = None
    touched_scopes: tuple[str, ...] = ()
    file_path: str | None = None
    """Of the context file, absolute."""
    mode: str | None = None
    bytes_written: int | float | None = None


@dataclass(frozen=True, slots=True)
class TaskUpdate(_Base):
    """A task has another state now."""

    task_id: str
    kind: str
    status: str


@dataclass(frozen=True, slots=True)
class SessionEnded(_Base):
    """The session is over, and so is its stream."""

    session_id: str
    reason: str


@dataclass(frozen=True, slots=True)
class ReplayComplete(_Base):
    """What had been missed was replayed; from here on events come as they happen."""

    replayed_count: int


@dataclass(frozen=True, slots=True)
class StateResyncRequired(_Base):
    """Something was missed: what is known of the state has to be asked for anew."""

    reason: str
    last_delivered_id: int
    earliest_available_id: int


@dataclass(frozen=True, slots=True)
class StreamTrouble(_Base):
    """The stream was cut off; one may come back."""

    text: str


@dataclass(frozen=True, slots=True)
class Debug(_Base):
    """Something that this version does not know, or whose payload makes no sense."""

    reason: str
    """``unrecognized_event`` or ``malformed_payload``."""
    text: str


Normalized = (
    WorkspaceMemoryChanged
    | TaskUpdate
    | SessionEnded
    | ReplayComplete
    | StateResyncRequired
    | StreamTrouble
    | Debug
)

_SCOPES = frozenset({"user", "project"})
_QUIET = frozenset({"slow_client_warning", "session_snapshot"})


def normalize_event(event: Event | Mapping[str, Any]) -> list[Normalized]:
    """What an event says: one item mostly, none for those that need no action."""
    found = event if isinstance(event, Event) else event_of_envelope(dict(event))
    if found is None:
        return [Debug(None, None, None, "malformed_payload", "not an envelope")]
    if found.type in _QUIET:
        return []
    reader = _READERS.get(found.type)
    base = (found.event_id, found.server_timestamp, found.originator_client_id)
    if reader is None:
        return [Debug(*base, "unrecognized_event", f"{found.type}: unrecognized event")]
    data = found.data if isinstance(found.data, dict) else {}
    read = reader(base, data)
    if read is None:
        text = f"{found.type}: malformed {found.type} payload"
        return [Debug(*base, "malformed_payload", text)]
    return [read]


_BaseFields = tuple[int | None, int | None, str | None]


def _memory_changed(base: _BaseFields, data: Mapping[str, Any]) -> Normalized | None:
    scope = data.get("scope")
    if scope == "managed":
        scopes = data.get("touchedScopes")
        if not _text(data, "source") or not _text(data, "taskId"):
            return None
        if not isinstance(scopes, list) or not all(_is_scope(each) for each in scopes):
            return None
        return WorkspaceMemoryChanged(
            *base,
            scope=scope,
            source=data["source"],
            task_id=data["taskId"],
            touched_scopes=tuple(scopes),
        )
    size = data.get("bytesWritten")
    if scope not in ("workspace", "global") or not _text(data, "filePath"):
        return None
    if data.get("mode") not in ("append", "replace") or not _finite(size):
        return None
    return WorkspaceMemoryChanged(
        *base,
        scope=scope,
        file_path=data["filePath"],
        mode=data["mode"],
        bytes_written=size,
    )


def _task_updated(base: _BaseFields, data: Mapping[str, Any]) -> Normalized | None:
    if not all(_text(data, key) for key in ("taskId", "kind", "status")):
        return None
    return TaskUpdate(*base, data["taskId"], data["kind"], data["status"])


def _session_closed(base: _BaseFields, data: Mapping[str, Any]) -> Normalized | None:
    if not _text(data, "sessionId") or not _text(data, "reason"):
        return None
    return SessionEnded(*base, data["sessionId"], data["reason"])


def _replay_complete(base: _BaseFields, data: Mapping[str, Any]) -> Normalized | None:
    count = data.get("replayedCount")
    return ReplayComplete(*base, count) if type(count) is int else None


def _resync(base: _BaseFields, data: Mapping[str, Any]) -> Normalized | None:
    last, earliest = data.get("lastDeliveredId"), data.get("earliestAvailableId")
    if not _text(data, "reason") or type(last) is not int or type(earliest) is not int:
        return None
    return StateResyncRequired(*base, data["reason"], last, earliest)


def _trouble(base: _BaseFields, data: Mapping[str, Any]) -> Normalized | None:
    text = data.get("reason") or data.get("error")
    return StreamTrouble(*base, text) if isinstance(text, str) else None


_READERS = {
    "memory_changed": _memory_changed,
    "task_updated": _task_updated,
    "session_closed": _session_closed,
    "session_died": _session_closed,
    "replay_complete": _replay_complete,
    "state_resync_required": _resync,
    "client_evicted": _trouble,
    "stream_error": _trouble,
}


def _text(data: Mapping[str, Any], key: str) -> bool:
    value = data.get(key)
    return isinstance(value, str) and bool(value)


def _is_scope(value: Any) -> bool:
    return isinstance(value, str) and value in _SCOPES


def _finite(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer that is infinite to JavaScript
        return False
