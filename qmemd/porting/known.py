"""What the memory told before an import began, so that a fact costs no task a second time."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from qmemd.kinds import Scope
from qmemd.memory.equality import equality_key
from qmemd.memory.memorypath import MemoryPath
from qmemd.memory.paths import Root
from qmemd.memory.scan import Scanner


class Known:
    """Looks up facts. The memory is read when the first one is asked for."""

    def __init__(self, roots: Sequence[Root]) -> None:
        self._roots = roots

    def place(self, text: str, scope: Scope | None) -> MemoryPath | None:
        """Where a fact stands already, in this scope or, when it is None, in any."""
        key = equality_key(text)
        places = (self._places.get((one, key)) for one in ((scope,) if scope else tuple(Scope)))
        return next((place for place in places if place is not None), None)

    @cached_property
    def _places(self) -> dict[tuple[Scope, str], MemoryPath]:
        scanner = Scanner()
        return {
            (found.scope, equality_key(entry.text)): MemoryPath(found.scope, found.path)
            for root in self._roots
            for found in scanner.scan(root).documents
            for entry in found.entries
            if not entry.headings  # below one it may say something else, even the opposite
        }
