"""What a list is called once an entry has left it: its head may have told that entry as well."""

from __future__ import annotations

import re
from collections.abc import Sequence

from qmemd.memory.documents import decode, parse, split_head
from qmemd.memory.names import file_stem
from qmemd.memory.scalars import write_scalar

_RUN = 3
"""Words in a row that give a text away."""
_WORD = re.compile(r"[^\W_]+")
_KEY = re.compile(r"(name|title|description)[ \t]*:")


def retold(data: bytes, removed: Sequence[str]) -> bytes:
    """The document with a new name and description where the old ones tell what was removed.

    Args:
        data: as it is without the entries.
        removed: their texts.
    """
    from qmemd.agent.models.offline.describe import description_of, name_of  # noqa: PLC0415

    text = decode(data)
    head, start, _ = split_head(text)
    if head is None:
        return data
    document = parse(data)
    gone = _runs(removed) - _runs([document.body])
    lines: list[str] = []
    dropping = False
    for line in head.split("\n"):
        if dropping and line[:1] in (" ", "\t"):
            continue  # it belonged to the value
        dropping = False
        key = _KEY.match(line)
        old = {"description": document.description}.get(key[1], document.name) if key else None
        if key is None or not _tells(old or "", gone):
            lines.append(line)
            continue
        dropping = True
        told = description_of if key[1] == "description" else name_of
        ending = "\r" if line.endswith("\r") else ""
        lines.append(f"{key[1]}: {write_scalar(told(document.body))}{ending}")
    at = text.index(head, 0, start)
    return (text[:at] + "\n".join(lines) + text[at + len(head) :]).encode()


def renamed(stem: str, data: bytes, removed: Sequence[str]) -> str | None:
    """A new stem, if the old one tells what was removed and not what is left."""
    document = parse(data)
    gone = _runs(removed) - _runs([document.body])
    if not _tells(stem.replace("-", " "), gone):
        return None
    from qmemd.agent.models.offline.describe import name_of  # noqa: PLC0415

    return file_stem(name_of(document.body))


def _tells(text: str, gone: set[tuple[str, ...]]) -> bool:
    return bool(_runs([text]) & gone)


def _runs(texts: Sequence[str]) -> set[tuple[str, ...]]:
    """All runs of a few words; of a shorter text all of it."""
    found: set[tuple[str, ...]] = set()
    for text in texts:
        for line in text.casefold().splitlines():
            words = _WORD.findall(line)
            run = min(_RUN, len(words))
            found |= {tuple(words[at : at + run]) for at in range(len(words) - run + 1) if run}
    return found
