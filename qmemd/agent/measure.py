"""What a run did, read off its change set: nothing here believes a model's words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from qmemd.errors import MemoryFilesError
from qmemd.kinds import Scope, Topic
from qmemd.memory.changes import FileChange
from qmemd.memory.documents import parse
from qmemd.memory.entries import Entry, entries_of
from qmemd.memory.memorypath import MemoryPath
from qmemd.memory.paths import MemoryPaths
from qmemd.results import RemovedEntry

_MAX_SUMMARY = 200
_QUOTES = (('"', '"'), ("'", "'"), ("“", "”"))


@dataclass(frozen=True, slots=True)
class EntryChanges:
    """The entries that a set of file changes takes out of the memory and puts into it."""

    removed: tuple[Entry, ...]
    added: tuple[Entry, ...]

    @property
    def topics(self) -> tuple[Topic, ...]:
        """Sorted and unique."""
        return tuple(sorted({entry.topic for entry in (*self.removed, *self.added)}))


def entry_changes(files: Iterable[FileChange]) -> EntryChanges:
    """Compares the entries before and after, file by file and by their text.

    An entry that only got another number in its list counts as unchanged.
    """
    removed: list[Entry] = []
    added: list[Entry] = []
    for change in files:
        before = entries_in(change.path, change.before)
        after = entries_in(change.path, change.after)
        removed += _missing(before, after)
        added += _missing(after, before)
    return EntryChanges(tuple(removed), tuple(added))


def entries_in(path: MemoryPath, data: bytes | None) -> tuple[Entry, ...]:
    """The entries of one document; none when it is absent or cannot be read."""
    if data is None:
        return ()
    try:
        return entries_of(path.scope, path.relative, parse(data))
    except MemoryFilesError:
        return ()


def scopes(files: Iterable[FileChange]) -> tuple[Scope, ...]:
    """The touched scopes, sorted and unique."""
    return tuple(sorted({change.path.scope for change in files}))


def absolute(paths: MemoryPaths, path: MemoryPath) -> str:
    """The path as results carry it."""
    return str(paths.root(path.scope).path / path.relative)


def spoken(path: MemoryPath) -> str:
    """The path as summaries carry it, e.g. ``user memory: user/dark-mode.md``."""
    return f"{path.scope.value} memory: {path.relative}"


def count(number: int, singular: str, plural: str) -> str:
    """``1 entry``, ``2 entries``."""
    return f"{number} {singular if number == 1 else plural}"


def removed_entry(paths: MemoryPaths, entry: Entry) -> RemovedEntry:
    """The entry as a forget reports it."""
    text = entry.text if entry.number is not None else entry.description or entry.name
    lines = (line.strip() for line in (*(text or "").splitlines(), *entry.text.splitlines()))
    # A head that was written by hand may leave a fence or half a quote for a description.
    line = next((line for line in lines if any(map(str.isalnum, line))), entry.name or "")
    line = _without_half_a_quote(line)
    return RemovedEntry(
        topic=entry.topic,
        summary=line if len(line) <= _MAX_SUMMARY else line[: _MAX_SUMMARY - 1] + "…",
        file_path=str(paths.root(entry.scope).path / entry.path),
    )


def _without_half_a_quote(line: str) -> str:
    for opening, closing in _QUOTES:
        inside = line[1:]
        if line.startswith(opening) and not re.search(rf"{closing}(?!\w)", inside):
            return inside.lstrip()
        if line.endswith(closing) and not re.search(rf"(?<!\w){opening}", line[:-1]):
            # "The servers'" ends with no quote.
            return line if closing == "'" else line[:-1].rstrip()
    return line


def _missing(entries: tuple[Entry, ...], others: tuple[Entry, ...]) -> list[Entry]:
    """Those of ``entries`` that have no partner among ``others``."""
    there = Counter((entry.topic, entry.text) for entry in others)
    found = []
    for entry in entries:
        key = (entry.topic, entry.text)
        if there[key]:
            there[key] -= 1
        else:
            found.append(entry)
    return found
