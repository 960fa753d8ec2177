"""What is said about entries, and how it looks on the wire."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from qmemd.entry_keys import entry_key
from qmemd.kinds import Scope, TaskKind, Topic
from qmemd.memory.entries import Entry
from qmemd.memory.found import FoundDocument
from qmemd.tasks import iso


@dataclass(frozen=True, slots=True)
class EntryFilter:
    """Which entries are wanted. None means any."""

    words: str = ""
    """Blank: all of them, the newest first; else those with any of the words, the best first."""
    scope: Scope | None = None
    topic: Topic | None = None


@dataclass(frozen=True, slots=True)
class LastChange:
    """Which task put a document into its present state, as far as the history knows."""

    task_id: str
    kind: TaskKind
    at: datetime
    client_id: str | None
    """Who may see the task."""

    def to_wire(self, client_id: str | None) -> dict[str, Any]:
        visible = client_id == self.client_id
        return {
            "taskId": self.task_id if visible else None,
            "kind": self.kind.value,
            "at": iso(self.at),
        }


@dataclass(frozen=True, slots=True)
class CatalogEntry:
    """One fact with its document."""

    entry: Entry
    found: FoundDocument
    text: str
    """Folded: what words are looked for in."""

    @property
    def key(self) -> str:
        """Names the entry in a URL, until its document is renamed or its place in a list moves."""
        return entry_key(self.entry.entry_id)

    def to_wire(self, change: LastChange | None, client_id: str | None) -> dict[str, Any]:
        """One row of a listing."""
        modified = datetime.fromtimestamp(self.found.mtime_ns / 1e9, UTC)
        return {
            "id": self.key,
            "scope": self.entry.scope.value,
            "type": self.entry.topic.value,
            "name": self.entry.name,
            "description": self.entry.description,
            "path": str(self.found.absolute),
            "modified": iso(modified),
            "pinned": self.found.pinned,
            "lastChange": None if change is None else change.to_wire(client_id),
        }
