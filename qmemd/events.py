"""What happened, as it is told to those who listen: pure data and its wire rendering."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, ClassVar

from qmemd.kinds import Scope, TaskKind, TaskStatus
from qmemd.results import Usage

MEMORY_CHANGED = "memory_changed"
TASK_UPDATED = "task_updated"
SESSION_CLOSED = "session_closed"


@dataclass(frozen=True, slots=True)
class MemoryChanged:
    """Documents of the managed memory changed on disk."""

    type: ClassVar[str] = MEMORY_CHANGED
    source: str
    """``workspace_memory_<kind>``."""
    task_id: str
    touched_scopes: tuple[Scope, ...]
    originator: str | None
    """Client id of the request; None for anonymous ones."""

    def to_wire(self) -> dict[str, object]:
        """The ``data`` of the event."""
        return {
            "scope": "managed",
            "source": self.source,
            "taskId": self.task_id,
            "touchedScopes": [scope.value for scope in self.touched_scopes],
        }


@dataclass(frozen=True, slots=True)
class FileChanged:
    """A context file was written through the daemon."""

    type: ClassVar[str] = MEMORY_CHANGED
    scope: str
    """``workspace`` or ``global``."""
    file_path: str
    mode: str
    """``append`` or ``replace``."""
    bytes_written: int
    originator: str | None

    def to_wire(self) -> dict[str, object]:
        """The ``data`` of the event."""
        return {
            "scope": self.scope,
            "filePath": self.file_path,
            "mode": self.mode,
            "bytesWritten": self.bytes_written,
        }


@dataclass(frozen=True, slots=True)
class TaskUpdated:
    """A task has another state now. Told only to those who may see the task."""

    type: ClassVar[str] = TASK_UPDATED
    task_id: str
    kind: TaskKind
    status: TaskStatus
    originator: str | None
    """Whose task it is; None: only anonymous listeners are told."""
    before: TaskStatus | None = None
    """The state that it had; None when it was in none. This and what follows is not told."""
    seconds: float | None = None
    """How long it had that state."""
    code: str | None = None
    """Why it failed."""
    usage: Usage | None = None
    """What it cost at a real model, once it has ended."""

    def to_wire(self) -> dict[str, object]:
        """The ``data`` of the event."""
        return {"taskId": self.task_id, "kind": self.kind.value, "status": self.status.value}


@dataclass(frozen=True, slots=True)
class SessionClosed:
    """A session ended; nothing comes after this on its streams."""

    type: ClassVar[str] = SESSION_CLOSED
    session_id: str
    reason: str
    """``client_close``, ``idle_timeout``, ``last_client_detached`` or ``daemon_shutdown``."""
    originator: str | None
    """Who closed it."""

    def to_wire(self) -> dict[str, object]:
        """The ``data`` of the event."""
        wire: dict[str, object] = {"sessionId": self.session_id, "reason": self.reason}
        return wire if self.originator is None else wire | {"closedBy": self.originator}


Happening = MemoryChanged | FileChanged | TaskUpdated | SessionClosed


@dataclass(frozen=True, slots=True)
class Event:
    """One event as streams carry it; rendered once for all that read it."""

    type: str
    body: bytes
    """The envelope: one line of ASCII JSON."""
    event_id: int | None = None
    """Grows by one per feed; None for what concerns one reader alone."""
    last: bool = False
    """Nothing comes after it."""


def envelope(
    event_type: str,
    data: dict[str, Any],
    *,
    timestamp: int,
    event_id: int | None = None,
    originator: str | None = None,
    last: bool = False,
) -> Event:
    """Renders an event.

    Args:
        event_type: the name on the wire.
        data: what it says; JSON values only.
        timestamp: when it was made, in milliseconds since the epoch.
        event_id: its place in a feed.
        originator: client id of whoever caused it.
        last: whether the stream ends with it.
    """
    wire: dict[str, Any] = {} if event_id is None else {"id": event_id}
    wire |= {"v": 1, "type": event_type, "data": data}
    if originator is not None:
        wire["originatorClientId"] = originator
    wire["_meta"] = {"serverTimestamp": timestamp}
    # ASCII alone: no separator of lines that only some parsers know can hide in a text.
    body = json.dumps(wire, separators=(",", ":"), ensure_ascii=True).encode()
    return Event(event_type, body, event_id, last)
