"""Who changed each document last, kept from the history, of which little is ever new."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from pathlib import Path

from qmemd.catalog.records import LastChange
from qmemd.kinds import ChangeState
from qmemd.memory.changes import ChangeSet
from qmemd.memory.history import History

MAX_LOOKED_AT = 2_000
"""Change sets, the newest ones, that are looked at."""

_NEVER_DONE = (ChangeState.PREVIEW, ChangeState.DISCARDED, ChangeState.CONFLICT, ChangeState.OPEN)

_Told = tuple[LastChange, tuple[Path, ...]]


class LastChanges:
    """Reads each change set once. May be used from any thread."""

    def __init__(self, history: History, base: Path) -> None:
        self._history = history
        self._base = base
        self._lock = threading.Lock()
        self._told: dict[str, _Told | None] = {}

    def by_document(self) -> Mapping[Path, LastChange]:
        """The last change of each document that one of the newest change sets touched."""
        with self._lock:
            names = self._history.closed_names()[:MAX_LOOKED_AT]
            self._told = {
                name: self._told[name] if name in self._told else self._read(name) for name in names
            }
            last: dict[Path, LastChange] = {}
            for name in names:
                if (told := self._told[name]) is not None:
                    change, places = told
                    for place in places:
                        last.setdefault(place, change)
            return last

    def _read(self, name: str) -> _Told | None:
        """None for what changed no file. A preview that is applied later has a record of that."""
        change_set = self._history.read_closed(name)
        if change_set is None or change_set.state in _NEVER_DONE:
            return None
        change = LastChange(
            change_set.task_id, change_set.kind, change_set.created_at, change_set.client_id
        )
        if change_set.moves is not None:  # its files are those of the one that it did or undid
            moved = self._history.load(change_set.moves.change_set_id)
            return change, () if moved is None else self._places(moved)
        return change, self._places(change_set)

    def _places(self, change_set: ChangeSet) -> tuple[Path, ...]:
        return tuple(
            self._base / change_set.roots[one.path.scope] / one.path.relative
            for one in change_set.files
            if one.path.scope in change_set.roots
        )
