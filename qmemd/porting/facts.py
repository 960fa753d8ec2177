"""Text files of facts: one a line, or the bullets of a context file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from textwrap import dedent

from qmemd.porting.records import Read, ReadFact, SourceRefusedError, Unreadable
from qmemd.tasks import MAX_TEXT_BYTES

MAX_FACTS = 10_000
"""Facts of one import; each is a task of the daemon."""

_MARKER = re.compile(r"(?:[-*+\u2022]|[0-9]{1,4}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
_HEADING = re.compile(r"(#{1,6})[ \t]+(.*?)[ \t#]*$")
_FENCE = re.compile(r" {0,3}(```|~~~)")
_ADDED_MEMORIES = re.compile(r"(?:\w+ )?(?:added )?memor(?:y|ies)", re.IGNORECASE)
"""Headings under which tools collect facts; they say nothing about what stands below."""


def facts_of_lines(text: str) -> Iterator[Read]:
    """Each line that is neither blank nor a heading is a fact, without its bullet."""
    numbered = (
        (number, line.strip())
        for number, line in enumerate(_lines(text), 1)
        if line.strip() and not _HEADING.match(line.strip())
    )
    facts = ((number, _MARKER.sub("", line, count=1)) for number, line in numbered)
    return _bounded((number, fact) for number, fact in facts if fact)


def facts_of_bullets(text: str) -> Iterator[Read]:
    """Each top-level bullet with what is indented below it, after the heading that it stands under.

    "Never" above "commit to main" belongs to the fact. Prose, tables and code are left out: they
    are not facts that stand for themselves.
    """
    return _bounded(_bullets(text))


def _bullets(text: str) -> Iterator[tuple[int, str]]:
    heading = ""
    bullet: list[str] = []
    first = 0
    fence = ""
    for number, line in enumerate(_lines(text), 1):
        mark = _FENCE.match(line)
        if not bullet and (fence or mark):
            # Code between bullets is no bullet, whatever its lines begin with.
            fence = mark[1] if mark and not fence else "" if mark and mark[1] == fence else fence
            continue
        if bullet and (not line.strip() or line[0] in " \t"):
            bullet.append(line)
            continue
        if bullet:
            yield first, _told(heading, bullet)
            bullet = []
        if marker := _MARKER.match(line):
            first, bullet = number, [line[marker.end() :]]
        elif found := _HEADING.match(line):
            # The title of a file is about the file.
            named = found[2].rstrip(": ")
            heading = "" if found[1] == "#" or _ADDED_MEMORIES.fullmatch(named) else named
        elif mark:
            fence = mark[1]
    if bullet:
        yield first, _told(heading, bullet)


def _told(heading: str, bullet: list[str]) -> str:
    below = dedent("\n".join(bullet[1:])).rstrip()
    fact = "\n".join(part for part in (bullet[0].strip(), below) if part)
    return f"{heading}: {fact}" if heading and fact else fact


def _bounded(facts: Iterator[tuple[int, str]]) -> Iterator[Read]:
    taken = 0
    for number, fact in facts:
        where = f"line {number}"
        if not fact.strip():
            continue
        if len(fact.encode()) > MAX_TEXT_BYTES:
            yield Unreadable(where, f"the fact is longer than {MAX_TEXT_BYTES} bytes")
        elif not any(letter.isprintable() and not letter.isspace() for letter in fact):
            yield Unreadable(where, "the fact holds no visible letter")
        elif taken == MAX_FACTS:
            yield Unreadable(where, f"more than {MAX_FACTS} facts; what follows is not read")
            return
        else:
            taken += 1
            yield ReadFact(fact, where)


def _lines(text: str) -> list[str]:
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")


def decoded(data: bytes) -> str:
    """The text of a file.

    Raises:
        SourceRefusedError: it is no text in UTF-8.
    """
    if b"\0" in data:
        line = data.count(b"\n", 0, data.index(b"\0")) + 1
        raise SourceRefusedError(f"it holds a NUL byte in line {line}: it is no text")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise SourceRefusedError(f"line {line} is not UTF-8; convert the file first") from None
