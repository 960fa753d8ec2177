"""The entries of one workspace's memory: listed, found by words, and read."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

from qmemd.catalog.finding import best
from qmemd.catalog.last_changes import LastChanges
from qmemd.catalog.records import CatalogEntry, EntryFilter
from qmemd.entry_keys import entry_id_of
from qmemd.errors import MemoryFilesError
from qmemd.memory.documents import MAX_DOCUMENT_BYTES
from qmemd.memory.entries import Entry
from qmemd.memory.files import read_regular
from qmemd.memory.found import FoundDocument
from qmemd.memory.history import History
from qmemd.memory.paths import MemoryPaths
from qmemd.memory.scan import Scanner
from qmemd.search.words import fold

_SEPARATOR = " ; "


class Catalog:
    """Reads files, takes no lock, and may be used from any thread."""

    def __init__(self, paths: MemoryPaths) -> None:
        self._paths = paths
        self._scanner = Scanner()
        self._last_changes = LastChanges(History(paths.history), paths.base)
        self._lock = threading.Lock()
        self._folded: dict[tuple[str, str], tuple[CatalogEntry, ...]] = {}
        """By path and digest, for the documents of the last look."""

    def page(
        self, wanted: EntryFilter, client_id: str | None, *, limit: int, first: int
    ) -> dict[str, Any]:
        """``entries``, their ``total``, and ``nextCursor`` if there are more.

        Args:
            wanted: which ones.
            client_id: whose tasks may be named.
            limit: how many at most.
            first: how many are skipped.
        """
        found = self._found(wanted)
        changes = self._last_changes.by_document()
        shown = found[first : first + limit]
        page: dict[str, Any] = {
            "entries": [one.to_wire(changes.get(one.found.absolute), client_id) for one in shown],
            "total": len(found),
        }
        if first + limit < len(found):
            page["nextCursor"] = str(first + limit)
        return page

    def detail(self, key: str, client_id: str | None) -> dict[str, Any] | None:
        """One entry with its ``text`` and its whole ``document``; None when there is none."""
        entry_id = entry_id_of(key)
        one = next((one for one in self._entries() if one.entry.entry_id == entry_id), None)
        if one is None:
            return None
        root = self._paths.root(one.entry.scope).path
        try:
            data = read_regular(root, one.entry.path, limit=MAX_DOCUMENT_BYTES)
        except (OSError, MemoryFilesError):
            return None  # it went just now
        change = self._last_changes.by_document().get(one.found.absolute)
        return one.to_wire(change, client_id) | {
            "text": one.entry.text,
            "headings": list(one.entry.headings),
            "document": data.decode(errors="replace"),
        }

    def _found(self, wanted: EntryFilter) -> Sequence[CatalogEntry]:
        entries = [
            one
            for one in self._entries()
            if wanted.scope in (None, one.entry.scope) and wanted.topic in (None, one.entry.topic)
        ]
        return best(entries, wanted.words) if wanted.words.strip() else entries

    def _entries(self) -> list[CatalogEntry]:
        """All of them, the newest documents first."""
        documents = [
            found for root in self._paths.roots for found in self._scanner.scan(root).documents
        ]
        documents.sort(key=lambda found: (-found.mtime_ns, str(found.absolute)))
        with self._lock:
            folded = {}
            for found in documents:
                key = (str(found.absolute), found.sha256)
                folded[key] = self._folded.get(key) or _entries_of(found)
            self._folded = folded
        return [
            CatalogEntry(one.entry, found, one.text)
            for found, entries in zip(documents, folded.values(), strict=True)
            for one in entries
        ]


def _entries_of(found: FoundDocument) -> tuple[CatalogEntry, ...]:
    return tuple(CatalogEntry(entry, found, _searched(entry)) for entry in found.entries)


def _searched(entry: Entry) -> str:
    return fold(_SEPARATOR.join((entry.name, entry.description, entry.text)))
