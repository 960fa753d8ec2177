"""Which texts the memory holds already, by the rule that tells equal ones."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from qmemd.agent import measure
from qmemd.kinds import Scope
from qmemd.memory.changes import FileChange
from qmemd.memory.entries import Entry
from qmemd.memory.equality import equality_key
from qmemd.memory.memorypath import MemoryPath
from qmemd.memory.scan import Scan


class KnownTexts:
    """Looks texts up among the entries of some scans."""

    def __init__(self, scans: Iterable[Scan]) -> None:
        self._by_key: dict[str, list[Entry]] = {}
        for scan in scans:
            for found in scan.documents:
                for entry in found.entries:
                    self._by_key.setdefault(equality_key(entry.text), []).append(entry)

    def find(self, text: str, scopes: Collection[Scope]) -> MemoryPath | None:
        """Where an entry of these scopes says the same, whatever its type and heading."""
        said = self._by_key.get(equality_key(text), ())
        return next(
            (MemoryPath(entry.scope, entry.path) for entry in said if entry.scope in scopes), None
        )

    def place_of_all(self, change: FileChange) -> MemoryPath | None:
        """Where the document says nothing new: each of its entries has an equal one there.

        Equal means within its scope and type. None when at least one entry is new. What stands
        below a heading is told only by what stands below the same one; a single fact without one
        is told by any entry of its text.
        """
        place = None
        entries = measure.entries_in(change.path, change.after)
        bare = len(entries) == 1 and not entries[0].headings
        for entry in entries:
            place = self._equal(entry, whatever_heading=bare)
            if place is None:
                return None
        return place

    def _equal(self, entry: Entry, *, whatever_heading: bool) -> MemoryPath | None:
        return next(
            (
                MemoryPath(other.scope, other.path)
                for other in self._by_key.get(equality_key(entry.text), ())
                if (other.scope, other.topic) == (entry.scope, entry.topic)
                and (whatever_heading or other.said == entry.said)
            ),
            None,
        )
