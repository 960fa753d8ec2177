"""What a merge relies on: the entries that stay, on disk as they were when it was decided."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from qmemd.agent.duplicates import Key, key_of
from qmemd.agent.measure import entries_in
from qmemd.agent.models.base import DuplicateGroup
from qmemd.errors import TaskFailedError
from qmemd.memory.changes import FileChange
from qmemd.memory.draft import Draft
from qmemd.memory.entries import Entry
from qmemd.memory.memorypath import MemoryPath


def relied_on(
    duplicates: Sequence[DuplicateGroup], changes: Sequence[FileChange], draft: Draft
) -> Mapping[MemoryPath, bytes | None]:
    """The documents that must not change before the commit, with the content that counts.

    A duplicate may go because an equal entry stays. If an editor was faster than the run, the one
    may say something else by now, or the other may be gone.

    Raises:
        TaskFailedError: ``change_conflict``: that is so already; the run should start again.
    """
    changed = {change.path: change for change in changes}
    listed = _listed(duplicates)
    relied: dict[MemoryPath, bytes | None] = {}
    for group in duplicates:
        if not any(_path(entry) in changed for entry in group.extra):
            continue
        keep = _path(group.keep)
        content = changed[keep].after if keep in changed else draft.before(keep)
        if key_of(group.keep) not in {key_of(entry) for entry in entries_in(keep, content)}:
            raise TaskFailedError("change_conflict")
        if keep not in changed:
            relied[keep] = content
    for change in changes:
        if change.after is not None or change.merged_into is None or change.path not in listed:
            continue
        says_more = {key_of(entry) for entry in entries_in(change.path, change.before)}
        if says_more - listed[change.path] and change.merged_into not in changed:
            raise TaskFailedError("change_conflict")
    return relied


def _listed(duplicates: Sequence[DuplicateGroup]) -> dict[MemoryPath, set[Key]]:
    listed: dict[MemoryPath, set[Key]] = {}
    for group in duplicates:
        for entry in group.extra:
            listed.setdefault(_path(entry), set()).add(key_of(entry))
    return listed


def _path(entry: Entry) -> MemoryPath:
    return MemoryPath(entry.scope, entry.path)
