"""What a dream may lose: tidying up must never become forgetting."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from qmemd.errors import TaskFailedError
from qmemd.memory.changes import FileChange
from qmemd.memory.documents import parse
from qmemd.memory.found import FoundDocument
from qmemd.memory.scan import Scan
from qmemd.memory.shrinking import readable_entries
from qmemd.memory.statements import retold_by, told_by

ALWAYS_ALLOWED = 3
"""Entries that a dream may drop whatever the size of the memory; else a fifth of all."""

Said = tuple[str, ...]
"""What an entry says, under which headings: see `Entry.said`."""


def check_losses(changes: Sequence[FileChange], scan: Scan) -> None:
    """Refuses a dream that drops too many entries of one root, or too much of its text.

    An entry is dropped when nothing equal remains, its document got no other text for it, and it
    was not merged into a document that remains. Whatever is said to be merged, a third of the
    text must remain.

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
    merges = Merges(mine, scan)
    dropped = sum(_dropped(change, after, merges) for change in mine)
    shorter = 3 * sum(map(len, after.values())) < sum(map(len, before.values()))
    entries = sum(len(found.entries) for found in scan.documents if not found.pinned)
    if shorter or dropped > max(ALWAYS_ALLOWED, entries // 5):
        raise TaskFailedError("dream_unsafe")


class Merges:
    """Which removals in favour of another document are to be believed."""

    def __init__(self, changes: Iterable[FileChange], scan: Scan) -> None:
        self._scope = scan.root.scope
        self._texts = {found.path: found.document.body for found in scan.documents}
        self._changed = set()
        for change in changes:
            if change.path.scope is not self._scope:
                continue
            self._changed.add(change.path.relative)
            self._texts.pop(change.path.relative, None)
            if change.after is not None:
                self._texts[change.path.relative] = parse(change.after).body

    def tells(self, change: FileChange, text: str) -> bool:
        """Whether the named document remains and says what the removed text said.

        One that this run did not touch has to say all of it as it is: nobody wrote it for that.
        One that it wrote may say it in other words. Neither may lack a number: "port 8080" is not
        told by "port 8081".
        """
        target = change.merged_into
        if change.after is not None or target is None or target.scope is not self._scope:
            return False
        told = self._texts.get(target.relative)
        if told is None:
            return False
        return (retold_by if target.relative in self._changed else told_by)(text, told)


def _dropped(change: FileChange, after: dict[Said, str], merges: Merges) -> int:
    old = _texts(change, change.before)
    gone = old.keys() - after.keys()
    if change.after is not None:
        return max(0, len(gone) - len(_texts(change, change.after).keys() - old.keys()))
    return sum(not merges.tells(change, old[key]) for key in gone)


def _texts_found(documents: Iterable[FoundDocument]) -> dict[Said, str]:
    return {
        entry.said: entry.text
        for found in documents
        for entry in found.entries
        if entry.text.strip()
    }


def _texts(change: FileChange, content: bytes | None) -> dict[Said, str]:
    entries = readable_entries(change.path, content)
    return {entry.said: entry.text for entry in entries if entry.text.strip()}
