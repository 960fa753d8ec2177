"""The text of ``MEMORY.md``: the generated list of a root's documents.

Whatever a document calls itself stays on its own line and inside its own link.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from urllib.parse import quote

from qmemd.memory.entries import fallback_topic
from qmemd.memory.scan import FoundDocument

MAX_ENTRIES = 200
MAX_LINE = 150
"""Characters of one entry, without its newline."""
MAX_BYTES = 25_000

_MAX_QUOTED = 80
"""Characters of a target up to which every letter beyond ASCII is percent-encoded in it."""
_MIN_ROOM = 2
"""Characters: what a label and a tail can be cut to."""
_WARNING = "> WARNING:"
_WARNING_ROOM = 160
_ELLIPSIS = "…"
_GENERATED = re.compile(r"- \[.+\]\((?!/|[a-zA-Z][a-zA-Z0-9+.-]*:).+\.md\) — .+")
# What could end the label, begin a link, an autolink or a code span; "(" only after "]", so that
# readers which know no escapes find "](" once a line.
_SPECIAL = re.compile(r"[\\\[\]<>`]|(?<=\])\(")
# What some programs take for the end of a line: behind it may stand what a person wrote.
_HIDDEN_LINE_END = re.compile(r"[\r\v\f\x1c-\x1e\x85\u2028\u2029]")
# Invisible marks that reorder what people see, and half surrogate pairs.
_UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")


def render_index(
    documents: Sequence[FoundDocument],
    shown: Callable[[FoundDocument], FoundDocument] = lambda found: found,
) -> bytes:
    """The text of ``MEMORY.md`` for these documents: at most 200 lines and 25,000 bytes.

    What is left out is counted in a last line that starts with ``> WARNING:``. ``shown`` makes of
    each document what its line may tell.
    """
    ordered = sorted(documents, key=lambda found: (-found.mtime_ns, found.path))
    lines: list[bytes] = []
    size = 0
    for found in ordered:
        line = _line(shown(found))
        if line is None:
            continue
        data = line.encode() + b"\n"
        if len(lines) == MAX_ENTRIES or size + len(data) > MAX_BYTES - _WARNING_ROOM:
            break
        lines.append(data)
        size += len(data)
    left_out = len(ordered) - len(lines)
    if left_out:
        lines.append(
            f"{_WARNING} {left_out} more memories are not listed here: the index ends at "
            f"{MAX_ENTRIES} lines, {MAX_BYTES} bytes and {MAX_LINE} characters a line.\n".encode()
        )
    return b"".join(lines)


def is_generated(line: str) -> bool:
    """Whether a line of a ``MEMORY.md`` is one that this program or Qwen Code writes anew.

    Args:
        line: What stands between two newlines; a carriage return at its end belongs to them.
    """
    line = line.removesuffix("\r")
    if not line or line.isspace():
        return True
    if _HIDDEN_LINE_END.search(line):
        return False
    if line.startswith(_WARNING):
        return True
    return len(line) <= MAX_LINE and _GENERATED.fullmatch(line) is not None


def _line(found: FoundDocument) -> str | None:
    """The entry; None when not even its link fits."""
    document = found.document
    stem = found.path.rpartition("/")[2].removesuffix(".md")
    label = _plain(document.name or "") or _plain(stem) or "untitled"
    topic = document.topic or fallback_topic(found.scope, found.path)
    tail = _plain(document.description or "") or topic.value
    target = quote(found.path, safe="/")
    if len(target) > _MAX_QUOTED:
        target = _lean_target(found.path)
    room = MAX_LINE - len("- []() — ") - len(target)
    if room < _MIN_ROOM:
        return None
    shown = _escaped(label, room - 1)
    return f"- [{shown}]({target}) — {_escaped(tail, room - len(shown))}"


def _plain(text: str) -> str:
    return " ".join(_UNSEEN.sub(" ", text).split())


def _escaped(text: str, room: int) -> str:
    """The text with its special characters escaped, in at most ``room`` characters (from 1)."""
    whole = _SPECIAL.sub(r"\\\g<0>", text[: room + 1])
    if len(text) <= room and len(whole) <= room:
        return whole
    kept = text[: room - 1]
    while len(shown := _SPECIAL.sub(r"\\\g<0>", kept)) > room - 1:
        kept = kept[:-1]
    return shown.rstrip(" ") + _ELLIPSIS


def _lean_target(path: str) -> str:
    """Percent-encoded only where it must be, for names whose every letter would cost nine."""
    return "".join(
        char if not char.isascii() and char.isprintable() else quote(char, safe="/")
        for char in path
    )
