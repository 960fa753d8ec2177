"""Entries: the single facts in a document.

Most documents are one entry. Older ones are lists: top-level ``- `` bullets with indented
continuation lines, below optional headings.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import dedent

from qmemd.errors import MemoryFilesError
from qmemd.kinds import Scope, Topic
from qmemd.memory.documents import Document, decode, split_head
from qmemd.memory.equality import equality_key

_HEADING = re.compile(r"(#{1,6})(?:\s|\Z)")


@dataclass(frozen=True, slots=True)
class Entry:
    """One fact, as it was when its document was read."""

    scope: Scope
    path: str
    """Relative to the root, with ``/``."""
    number: int | None
    """Place in a list, from 0; None when the whole document is the entry."""
    text: str
    """The body, or one bullet without its ``- ``."""
    topic: Topic
    name: str
    """Of the document; its file name when it says none."""
    description: str
    """One line: the document's description, or the first line of the text."""
    headings: tuple[str, ...] = ()
    """Those that the bullet stands below, the outermost first, without their ``#``."""

    @property
    def said(self) -> tuple[str, ...]:
        """Equal for two entries that say the same of the same thing: headings are part of it."""
        return (*map(equality_key, self.headings), equality_key(self.text))

    @property
    def entry_id(self) -> str:
        """``user:dark-mode.md`` or ``user:list.md:2``."""
        base = f"{self.scope.value}:{self.path}"
        return base if self.number is None else f"{base}:{self.number}"


def entries_of(scope: Scope, path: str, document: Document) -> tuple[Entry, ...]:
    """The entries of a document, at least one."""
    topic = document.topic or fallback_topic(scope, path)
    name = document.name or path.rpartition("/")[2].removesuffix(".md")
    bullets = _bullets(document.body)
    if not bullets:
        description = _one_line(document.description or "") or _first_line(document.body) or name
        return (Entry(scope, path, None, document.body, topic, name, description),)
    texts = [_bullet_text(document.body[start:end]) for start, end in bullets]
    above = _headings(document.body, [start for start, _ in bullets])
    return tuple(
        Entry(scope, path, number, text, topic, name, _first_line(text) or name, headings)
        for number, (text, headings) in enumerate(zip(texts, above, strict=True))
    )


def fallback_topic(scope: Scope, path: str) -> Topic:
    """The topic of a document that names none: by a directory or file named so, else by scope."""
    first = path.partition("/")[0].removesuffix(".md").lower()
    try:
        return Topic(first)
    except ValueError:
        return Topic.USER if scope is Scope.USER else Topic.PROJECT


def remove_entry(data: bytes, number: int, expected_text: str) -> bytes | None:
    """Takes one bullet out of a list; every other byte stays.

    Args:
        data: The document as it is now.
        number: Where the entry was when it was chosen.
        expected_text: Its text then. If the entry has moved since, it is found by that.

    Returns:
        The rest, or None when no entry remains.

    Raises:
        MemoryFilesError: ``change_conflict``: the entry is not there, or not certain.
    """
    text = decode(data)
    _, start, _ = split_head(text)
    body = text[start:]
    bullets = _bullets(body)
    expected = _words(expected_text)
    alike = [
        place
        for place, (begin, end) in enumerate(bullets)
        if _words(_bullet_text(body[begin:end])) == expected
    ]
    if number not in alike and len(alike) != 1:
        raise MemoryFilesError("change_conflict", details="an entry is not where it was")
    if len(bullets) == 1:
        return None
    begin, end = bullets[number if number in alike else alike[0]]
    return (text[: start + begin] + body[end:]).encode()


def _bullets(body: str) -> list[tuple[int, int]]:
    """Start and end of each bullet; empty when the body is not a list."""
    found: list[tuple[int, int]] = []
    in_bullet = False
    end = 0
    for line in body.split("\n"):
        begin, end = end, end + len(line) + 1
        if not line or line.isspace():
            continue
        if line.startswith("- "):
            found.append((begin, end))
            in_bullet = True
        elif line[0] in " \t" and in_bullet:
            found[-1] = (found[-1][0], end)
        elif _HEADING.match(line):
            in_bullet = False
        else:
            return []
    return found


def _headings(body: str, starts: Sequence[int]) -> list[tuple[str, ...]]:
    """For each bullet of a list the headings above it."""
    found: list[tuple[str, ...]] = []
    open_ones: list[tuple[int, str]] = []
    bullets = set(starts)
    end = 0
    for line in body.split("\n"):
        begin, end = end, end + len(line) + 1
        if begin in bullets:
            found.append(tuple(text for _, text in open_ones))
        elif heading := _HEADING.match(line):
            level = len(heading[1])
            open_ones = [one for one in open_ones if one[0] < level]
            open_ones.append((level, _one_line(line[level:])))
    return found


def _bullet_text(bullet: str) -> str:
    first, newline, rest = bullet[2:].partition("\n")
    if not newline or not rest:
        return first.strip()
    lines = (line.rstrip() for line in dedent(rest).split("\n"))
    return "\n".join((first.strip(), *lines)).rstrip()


def _first_line(text: str) -> str:
    return next((_one_line(line) for line in text.split("\n") if line.strip()), "")


def _one_line(text: str) -> str:
    return " ".join(text.split())


_words = _one_line
