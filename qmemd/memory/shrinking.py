"""Telling whether a rewrite of a document drops what it said.

A document may get shorter when what goes is said elsewhere: in another document of the same run,
or in an entry that is there already. Words are compared, not sentences, so that a text may be
told anew.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable

from qmemd.errors import MemoryFilesError
from qmemd.memory.changes import FileChange
from qmemd.memory.documents import parse
from qmemd.memory.entries import Entry, entries_of
from qmemd.memory.equality import equality_key
from qmemd.memory.memorypath import MemoryPath

SHORT = 300
"""Characters; one fact of that length may be replaced by one of any length."""

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
_WORD = re.compile(rf"[{_CJK}]|[^\W_{_CJK}]+")


def is_emptied(change: FileChange) -> bool:
    """Whether a document that said something stays without any text."""
    if change.before is None or change.after is None:
        return False
    return bool(_body(change.before).strip()) and not _body(change.after).strip()


def is_shrunk(
    change: FileChange,
    others: Iterable[FileChange],
    elsewhere: Callable[[], Collection[str]],
    *,
    lists_too: bool,
) -> bool:
    """Whether more than half of a document is lost by its rewrite.

    Args:
        change: The rewrite.
        others: What else the run changes; what they gain is not lost.
        elsewhere: Equality keys of the entries that remain in other documents; asked when needed.
        lists_too: A list of entries counts however short it is.
    """
    if change.before is None or change.after is None:
        return False
    before, after = _body(change.before), _body(change.after)
    entries = readable_entries(change.path, change.before)
    is_list = len(entries) > 1
    if 2 * len(after.strip()) >= len(before.strip()):
        return False
    if len(before.strip()) <= SHORT and not (is_list and lists_too):
        return False
    said = elsewhere()
    gone = [entry.text for entry in entries if equality_key(entry.text) not in said]
    lost = Counter(words_of("\n".join(gone))) - Counter(words_of(after))
    for other in others:
        if other.after is not None:
            lost -= Counter(words_of(_body(other.after))) - Counter(words_of(_body(other.before)))
    return 2 * _size(lost) > _size(Counter(words_of(before)))


def readable_entries(path: MemoryPath, content: bytes | None) -> tuple[Entry, ...]:
    """The entries of a document; none when it is absent or cannot be read."""
    try:
        return () if content is None else entries_of(path.scope, path.relative, parse(content))
    except MemoryFilesError:
        return ()


def words_of(text: str) -> list[str]:
    """The words of a text in lower case; letters of scripts without blanks count one by one."""
    return _WORD.findall(text.lower())


def _body(content: bytes | None) -> str:
    try:
        return "" if content is None else parse(content).body
    except MemoryFilesError:
        return ""


def _size(words: Counter[str]) -> int:
    return sum(len(word) * number for word, number in words.items())
