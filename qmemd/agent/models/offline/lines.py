"""Whether the lines of a paragraph are several things, or one that was wrapped."""

from __future__ import annotations

import re
from itertools import pairwise

_FENCED = re.compile(r"^(```|~~~).*?(?:^\1[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_NO_PROSE = re.compile(r"[#|>]|\**(?:why|how to apply|because)\b", re.IGNORECASE)
"""A heading, a table, a quotation, or what explains the one thing."""
_GOES_ON = re.compile(r"[,:;(\[{—–-]$")  # noqa: RUF001 - dashes are meant
_ENDS = re.compile(r"[.!?。！？][\"')”»]?$")  # noqa: RUF001 - full-width signs are meant
_LEAST_WIDTH = 60
"""Nobody wraps prose narrower."""


def has_lines_of_its_own(paragraph: str) -> bool:
    """Whether a line was ended by intent and another thing begins on the next one."""
    lines = [line for line in _FENCED.sub("", paragraph).splitlines() if line.strip()]
    width = max((len(line.rstrip()) for line in lines), default=0)
    return any(_parts(line.rstrip(), after, width) for line, after in pairwise(lines))


def _parts(line: str, after: str, width: int) -> bool:
    if _NO_PROSE.match(line.lstrip()) or _NO_PROSE.match(after.lstrip()) or after[0] in " \t":
        return False
    if _GOES_ON.search(line):
        return False
    first = after.split(maxsplit=1)[0]
    if _ENDS.search(line) and not first[0].islower():
        return True
    return len(line) + 1 + len(first) <= max(width, _LEAST_WIDTH)
