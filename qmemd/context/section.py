"""The section of a context file in which remembered text is collected."""

from __future__ import annotations

import re

HEADING = "## Qwen Added Memories"

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_HEADING = re.compile(r"#{1,2} ")


def append(document: str, text: str) -> str:
    """The document with ``text`` at the end of the section, which is made when it is missing.

    Headings within code fences are text. The text gets the line ending of the document: the one
    that most of its lines have.
    """
    ending = "\r\n" if document.count("\r\n") * 2 > document.count("\n") else "\n"
    text = text.strip("\r\n").replace("\r\n", "\n").replace("\n", ending)
    lines = lines_of(document)
    where = _end_of_section(lines)
    if where is None:
        kept = document.rstrip("\r\n")
        gap = f"{ending}{ending}" if kept else ""
        return f"{kept}{gap}{HEADING}{ending}{ending}{text}{ending}"
    before = "".join(lines[:where]).rstrip("\r\n")
    after = "".join(lines[where:])
    gap = f"{ending}{ending}" if before.endswith(HEADING) else ending
    return f"{before}{gap}{text}{ending}{ending if after else ''}{after}"


def lines_of(document: str) -> list[str]:
    """Lines with their ends, split at line feeds alone: other separators are part of a text."""
    return re.findall(r"[^\n]*\n|[^\n]+", document)


def _end_of_section(lines: list[str]) -> int | None:
    """Number of the line before which the section ends; None without a section."""
    inside = False
    fence = ""
    for number, line in enumerate(lines):
        marker = _FENCE.match(line.rstrip("\r\n"))
        if fence:
            closes = marker and marker[1].startswith(fence) and not marker[2].strip()
            fence = "" if closes else fence
        elif marker and not (marker[1][0] == "`" and "`" in marker[2]):
            fence = marker[1]
        elif inside and _HEADING.match(line):
            return number
        elif line.rstrip() == HEADING:
            inside = True
    return len(lines) if inside else None
