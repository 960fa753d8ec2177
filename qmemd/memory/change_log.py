"""The change sets of one workspace, as those who may see them look at them."""

from __future__ import annotations

import difflib
from itertools import islice
from pathlib import Path
from typing import Any

from qmemd.kinds import ChangeState
from qmemd.memory.changes import ChangeSet, FileChange
from qmemd.memory.history import History
from qmemd.memory.paths import MemoryPaths
from qmemd.tasks import iso

MAX_LOOKED_AT = 2_000
"""Change sets that are read for one page; those of other workspaces and clients count."""
MAX_COMPARED_LINES = 20_000
"""Lines of both sides that are compared; comparing more could take very long."""
MAX_DIFF_LINES = 5_000
"""Lines of one document's diff; what follows is left out, and said to be."""


class ChangeLog:
    """Reads the history. Needs no lock, and may be used from any thread."""

    def __init__(self, paths: MemoryPaths, workspace: str) -> None:
        """``workspace`` is the canonical path whose change sets are shown."""
        self._paths = paths
        self._history = History(paths.history)
        self._workspace = workspace

    def page(self, client_id: str | None, *, limit: int, cursor: str | None) -> dict[str, Any]:
        """``changes``, the newest first, and ``nextCursor`` if there may be more."""
        changes: list[dict[str, Any]] = []
        last: str | None = None
        looked_at = islice(self._history.newest_first(before=cursor), MAX_LOOKED_AT)
        for count, (place, change_set) in enumerate(looked_at, 1):
            if len(changes) == limit:
                return {"changes": changes, "nextCursor": last}
            last = place
            if self._may_see(change_set, client_id):
                changes.append(self._item(change_set))
            if count == MAX_LOOKED_AT:
                return {"changes": changes, "nextCursor": last}
        return {"changes": changes}

    def detail(self, change_set_id: str, client_id: str | None) -> dict[str, Any] | None:
        """One change set with the diff of each document; None when there is none to be seen."""
        change_set = self._history.load(change_set_id)
        if change_set is None or not self._may_see(change_set, client_id):
            return None
        item = self._item(change_set)
        for told, change in zip(item["files"], change_set.files, strict=True):
            told["diff"] = "" if change_set.state is ChangeState.ERASED else _diff(change)
        return item

    def has(self, change_set_id: str, client_id: str | None) -> bool:
        """Whether there is one to be seen; costs no diff."""
        change_set = self._history.load(change_set_id)
        return change_set is not None and self._may_see(change_set, client_id)

    def _may_see(self, change_set: ChangeSet, client_id: str | None) -> bool:
        return (
            change_set.moves is None
            and change_set.state is not ChangeState.OPEN
            and change_set.workspace == self._workspace
            and change_set.client_id == client_id
        )

    def _item(self, change_set: ChangeSet) -> dict[str, Any]:
        return {
            "changeSetId": change_set.change_set_id,
            "taskId": change_set.task_id,
            "kind": change_set.kind.value,
            "createdAt": iso(change_set.created_at),
            "state": change_set.state.value,
            "touchedScopes": [scope.value for scope in change_set.touched_scopes],
            "files": [
                {"path": str(self._place(change_set, change)), "change": change.change}
                for change in change_set.files
            ],
        }

    def _place(self, change_set: ChangeSet, change: FileChange) -> Path:
        return self._paths.base / change_set.roots[change.path.scope] / change.path.relative


def _diff(change: FileChange) -> str:
    """A unified diff; of what is no text only that it changed."""
    try:
        before, after = ((text or b"").decode() for text in (change.before, change.after))
    except UnicodeDecodeError:
        return "Binary files differ\n"
    if before.count("\n") + after.count("\n") > MAX_COMPARED_LINES:
        return "\\ The document is too long to be compared\n"
    name = change.path.relative
    lines = difflib.unified_diff(
        _lines(before),
        _lines(after),
        "/dev/null" if change.before is None else f"a/{name}",
        "/dev/null" if change.after is None else f"b/{name}",
    )
    shown = list(islice(lines, MAX_DIFF_LINES + 1))
    if len(shown) > MAX_DIFF_LINES:
        shown[MAX_DIFF_LINES:] = ["\\ The rest of the diff is left out\n"]
    return "".join(shown)


def _lines(text: str) -> list[str]:
    """At line feeds alone; a last line without one is marked as diff does."""
    lines = [f"{line}\n" for line in text.split("\n")]
    last = lines.pop()
    return lines if last == "\n" else [*lines, f"{last}\\ No newline at end of file\n"]
