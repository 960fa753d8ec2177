"""What a dream may lose: tidying up must never become forgetting."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from qmemd.errors import TaskFailedError
from qmemd.memory.changes import FileChange
from qmemd.memory.documents import parse
from qmemd.memory.entries import entries_of
from qmemd.memory.equality import equality_key
from qmemd.memory.found import FoundDocument
from qmemd.memory.scan import Scan

ALWAYS_ALLOWED = 3
"""Entries that a dream may drop whatever the size of the memory; else a fifth of all."""


def check_losses(changes: Sequence[FileChange], scan: Scan) -> None:
    """Refuses a dream that drops too many entries of one root, or too much of its text.

    An entry is dropped when nothing equal remains, and its document neither got another text for
    it nor was removed in favour of a document that remains. Whatever is said to be merged, a
    third of the text must remain.

    Raises:
        TaskFailedError: ``dream_unsafe``.
    """
    mine = [change for change in changes if change.path.scope is scan.root.scope]
    changed = {change.path.relative for change in mine}
    untouched = [found for found in scan.documents if found.path not in changed]
    before = _texts_found(scan.documents)
    after = _texts_found(untouched)
    for change in mine:
        after |= _texts(change, change.after)
    remaining = {found.path for found in untouched}
    remaining |= {change.path.relative for change in mine if change.after is not None}
    dropped = sum(_dropped(change, after, remaining) for change in mine)
    shorter = 3 * sum(map(len, after.values())) < sum(map(len, before.values()))
    entries = sum(len(found.entries) for found in scan.documents if not found.pinned)
    if shorter or dropped > max(ALWAYS_ALLOWED, entries // 5):
        raise TaskFailedError("dream_unsafe")


def _dropped(change: FileChange, after: dict[str, str], remaining: set[str]) -> int:
    old = _texts(change, change.before)
    gone = old.keys() - after.keys()
    if change.after is not None:
        return max(0, len(gone) - len(_texts(change, change.after).keys() - old.keys()))
    target = change.merged_into
    merged = (
        target is not None and target.scope is change.path.scope and target.relative in remaining
    )
    return 0 if merged else len(gone)


def _texts_found(documents: Iterable[FoundDocument]) -> dict[str, str]:
    return {
        equality_key(entry.text): entry.text
        for found in documents
        for entry in found.entries
        if entry.text.strip()
    }


def _texts(change: FileChange, content: bytes | None) -> dict[str, str]:
    if content is None:
        return {}
    entries = entries_of(change.path.scope, change.path.relative, parse(content))
    return {equality_key(entry.text): entry.text for entry in entries if entry.text.strip()}
