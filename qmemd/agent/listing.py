"""The documents of the memory in a few words each, for a model that is to tidy them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from datetime import UTC, datetime

from qmemd.memory.documents import Document
from qmemd.memory.found import FoundDocument
from qmemd.memory.scan import Scan

MAX_DOCUMENTS = 300
MAX_CHARACTERS = 40_000
_MAX_FIELD = 160
_NS = 1_000_000_000


def list_documents(
    scans: Iterable[Scan],
    shown: Callable[[FoundDocument], FoundDocument] = lambda found: found,
    *,
    max_documents: int = MAX_DOCUMENTS,
    max_characters: int = MAX_CHARACTERS,
) -> str:
    """One line of JSON a document: those with a faulty head first, then the newest.

    What does not fit is said in a last line. ``shown`` makes of a document what may be told.
    """
    documents = [found for scan in scans for found in scan.documents]
    documents.sort(key=lambda found: (fault_of(found) is None, -found.mtime_ns, found.path))
    lines: list[str] = []
    left = max_characters
    for found in documents[:max_documents]:
        line = _line(shown(found))
        left -= len(line) + 1
        if left < 0:
            break
        lines.append(line)
    if missing := len(documents) - len(lines):
        lines.append(f"[Cut: {missing} more documents are not listed; ls and grep find them.]")
    return "\n".join(lines)


def fault_of(found: FoundDocument) -> str | None:
    """What is wrong with the head of a document that the agent may mend."""
    if found.pinned:
        return None
    document: Document = found.document
    if not document.has_head:
        return "it has no head"
    if document.topic is None:
        return "its type is missing or unknown"
    return None if document.name else "it has no name"


def _line(found: FoundDocument) -> str:
    document = found.document
    changed = datetime.fromtimestamp(found.mtime_ns / _NS, UTC)
    told = {
        "path": str(found.absolute),
        "type": document.topic,
        "name": _short(document.name),
        "description": _short(document.description),
        "entries": len(found.entries),
        "bytes": found.size,
        "changed": f"{changed:%Y-%m-%d}",
        "pinned": found.pinned or None,
        "fault": fault_of(found),
    }
    shown = {key: value for key, value in told.items() if value is not None}
    # A line break in a field would make two lines of it.
    return json.dumps(shown, ensure_ascii=False)


def _short(text: str | None) -> str | None:
    return None if text is None else " ".join(text.split())[:_MAX_FIELD]
