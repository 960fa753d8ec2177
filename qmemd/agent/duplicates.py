"""Finds what the memory holds twice."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from qmemd.agent.measure import entries_in, entry_changes
from qmemd.agent.models.base import DuplicateGroup
from qmemd.kinds import Scope, Topic
from qmemd.memory.changes import FileChange
from qmemd.memory.entries import Entry
from qmemd.memory.losses import Merges
from qmemd.memory.scan import FoundDocument, Scan

Key = tuple[Scope, Topic, tuple[str, ...]]


def key_of(entry: Entry) -> Key:
    """Two entries are duplicates when their keys are equal."""
    return entry.scope, entry.topic, entry.said


def find_duplicates(scans: Iterable[Scan]) -> tuple[DuplicateGroup, ...]:
    """One group for each text that is there more than once within its scope and type.

    A pinned entry is kept before all others, then the one with the most keys of other programs
    in its head, then the oldest. Never extra are pinned ones, and whole documents with such keys
    that the kept one does not have.
    """
    groups: dict[Key, list[tuple[FoundDocument, Entry]]] = defaultdict(list)
    for scan in scans:
        for found in scan.documents:
            for entry in found.entries:
                if entry.text.strip():
                    groups[key_of(entry)].append((found, entry))
    return tuple(group for members in groups.values() if (group := _group(members)) and group.extra)


def count_merged(files: Sequence[FileChange], scans: Sequence[Scan]) -> int:
    """How many of the removed entries are told by one that stays; ``scans`` are from before.

    That is an equal one, or the document that the removed one was merged into.
    """
    changes = entry_changes(files)
    left = Counter(
        key_of(entry) for scan in scans for found in scan.documents for entry in found.entries
    )
    removed = Counter(key_of(entry) for entry in changes.removed)
    left.subtract(removed)
    left.update(key_of(entry) for entry in changes.added)
    equal = {key for key in removed if left[key] > 0}
    merges = {scan.root.scope: Merges(files, scan) for scan in scans}
    told = (
        entry
        for change in files
        if change.after is None and change.path.scope in merges
        for entry in entries_in(change.path, change.before)
        if key_of(entry) not in equal and merges[change.path.scope].tells(change, entry.text)
    )
    return sum(removed[key] for key in equal) + len(list(told))


def _group(members: list[tuple[FoundDocument, Entry]]) -> DuplicateGroup:
    ranked = sorted(members, key=_rank)
    known = set(ranked[0][0].document.other_keys)
    extra = tuple(
        entry
        for found, entry in ranked[1:]
        if not found.pinned
        and (entry.number is not None or known.issuperset(found.document.other_keys))
    )
    return DuplicateGroup(keep=ranked[0][1], extra=extra)


def _rank(member: tuple[FoundDocument, Entry]) -> tuple[bool, int, int, str, int]:
    found, entry = member
    keys = 0 if entry.number is not None else len(found.document.other_keys)
    return not found.pinned, -keys, found.mtime_ns, found.path, entry.number or 0
