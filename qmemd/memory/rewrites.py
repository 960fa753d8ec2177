"""What a rewrite of a document must not do, told in sentences that a model can act on."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from qmemd.kinds import Scope
from qmemd.memory.changes import FileChange
from qmemd.memory.equality import equality_key
from qmemd.memory.placeholders import find_placeholder
from qmemd.memory.scan import Scan
from qmemd.memory.shrinking import is_emptied, is_shrunk, readable_entries


class Rewrites:
    """Judges the changes of one run, each in the light of all."""

    def __init__(
        self,
        changes: Sequence[FileChange],
        scan: Callable[[Scope], Scan],
        *,
        dreaming: bool,
    ) -> None:
        self._changes = changes
        self._scan = scan
        self._dreaming = dreaming
        self._known = "\n".join(_text(change.before) for change in changes)

    def fault(self, change: FileChange) -> str | None:
        """Why the change must not be; None when it may."""
        if change.after is None or (change.before is None and not self._dreaming):
            return None
        if is_emptied(change):
            return "A document would be left without any text."
        if find_placeholder(_text(change.after), self._known):
            return (
                "A line stands for text instead of being it, like '... rest unchanged ...' or "
                "'[redacted: …]'. "
                "Write the whole text, or use `edit` for the part that changes."
            )
        others = [other for other in self._changes if other is not change]
        if is_shrunk(change, others, lambda: self._elsewhere(change), lists_too=not self._dreaming):
            return (
                "A document would lose more than half of its text. Keep what still holds; what "
                "moves to another document has to be written there first."
            )
        return None

    def _elsewhere(self, change: FileChange) -> set[str]:
        """What the memory will say in entries, the changed document's own new ones included."""
        mine = [other for other in self._changes if other.path.scope is change.path.scope]
        paths = {other.path.relative for other in mine}
        entries = [
            entry
            for found in self._scan(change.path.scope).documents
            if found.path not in paths
            for entry in found.entries
        ]
        for other in mine:
            entries += readable_entries(other.path, other.after)
        return {equality_key(entry.text) for entry in entries}


def _text(content: bytes | None) -> str:
    return (content or b"").decode(errors="replace")
