"""Texts that left the files and the history, and that journals may still hold.

A run that erases notes them here before anything of it is closed. They stay until the daemon says
that its journal is rid of them, whatever ends in between.
"""

from __future__ import annotations

import contextlib
import json
import logging
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from qmemd.errors import MemoryFilesError
from qmemd.memory import files
from qmemd.memory.changes import ChangeSet
from qmemd.tasks import to_json

_SUFFIX = ".json"
_MAX_FILE_BYTES = 1 << 26
_logger = logging.getLogger(__name__)


class OwedErasures:
    """One small file for each run that erased; readable by the owner alone."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def note(self, change_set: ChangeSet) -> None:
        """Before the change set is closed. Durable; done again, it is the same."""
        note = {"workspace": change_set.workspace, "texts": list(change_set.erases)}
        files.atomic_write(self._place(change_set.task_id), to_json(note))

    def of_task(self, task_id: str) -> tuple[str, ...]:
        """What the task's run erased; empty once it is paid, and for other tasks."""
        note = self._read(self._place(task_id))
        return () if note is None else note[1]

    def of_workspace(self, workspace: str) -> tuple[str, ...]:
        """What the journal of this workspace may still hold."""
        notes = (note for _, note in self._notes())
        owed = (text for place, texts in notes if place == workspace for text in texts)
        return tuple(dict.fromkeys(owed))

    def paid(self, workspace: str, texts: Collection[str]) -> None:
        """The journal of the workspace is rid of these: notes of nothing else go."""
        for path, (place, owed) in self._notes():
            if place == workspace and set(owed) <= set(texts):
                with contextlib.suppress(OSError):
                    path.unlink(missing_ok=True)

    def _place(self, task_id: str) -> Path:
        return self.directory / f"{quote(task_id, safe='')}{_SUFFIX}"

    def _notes(self) -> Iterator[tuple[Path, tuple[str, tuple[str, ...]]]]:
        with contextlib.suppress(OSError):
            for path in sorted(self.directory.glob(f"*{_SUFFIX}")):
                if (note := self._read(path)) is not None:
                    yield path, note

    def _read(self, path: Path) -> tuple[str, tuple[str, ...]] | None:
        try:
            wire: Any = json.loads(
                files.read_regular(path.parent, path.name, limit=_MAX_FILE_BYTES)
            )
            return str(wire["workspace"]), tuple(map(str, wire["texts"]))
        except FileNotFoundError:
            return None
        except (OSError, MemoryFilesError, ValueError, KeyError, TypeError):
            _logger.warning("a note of what is to be erased cannot be read: %s", path)
            return None
