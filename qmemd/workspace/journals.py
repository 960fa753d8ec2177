"""Where the journals of all workspaces are, and which one is whose."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path

from qmemd.journal import InMemoryJournal, Journal


class JournalFiles:
    """The journals in one state directory."""

    def __init__(self, state_dir: Path) -> None:
        self._directory = state_dir / "journals"

    def of(self, workspace: str) -> Path:
        """The file of a workspace, which is named as on the wire."""
        name = hashlib.sha256(workspace.encode()).hexdigest()[:16]
        return self._directory / f"{name}.sqlite3"

    def others(self, workspace: str) -> Sequence[Path]:
        """The files of all other workspaces."""
        own = self.of(workspace)
        return [path for path in self._directory.glob("*.sqlite3") if path != own]

    def open(self, kind: str, workspace: str, clock: Callable[[], datetime]) -> Journal:
        """A workspace's own journal, ``memory`` or ``sqlite``.

        Raises:
            SettingsError: its file cannot be used.
        """
        if kind == "memory":
            return InMemoryJournal(clock)
        from qmemd.journal.sqlite import SqliteJournal  # noqa: PLC0415 — not all want it

        return SqliteJournal(self.of(workspace), clock)
