"""What happens in tests of feeds, and how it is read back."""

from __future__ import annotations

import json
from typing import Any

from qmemd.events import MemoryChanged, TaskUpdated
from qmemd.kinds import Scope, TaskKind, TaskStatus
from qmemd.streams import Reader


def changed(task: str, originator: str | None = None) -> MemoryChanged:
    return MemoryChanged("workspace_memory_dream", task, (Scope.USER,), originator)


def updated(task: str, client: str | None = None) -> TaskUpdated:
    return TaskUpdated(task, TaskKind.DREAM, TaskStatus.QUEUED, client)


def taken(reader: Reader) -> list[dict[str, Any]]:
    """The envelopes of all that waits."""
    events = []
    while (event := reader.take(0)) is not None:
        events.append(json.loads(event.body))
    return events


def seen(reader: Reader) -> list[tuple[str, Any, Any]]:
    """Type, id and task of all that waits."""
    return [(e["type"], e.get("id"), e["data"].get("taskId")) for e in taken(reader)]
