"""Entries with their text ready for matching, and what they are called."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from qmemd.agent.models.offline.lines import has_lines_of_its_own
from qmemd.memory.entries import Entry
from qmemd.memory.equality import equality_key
from qmemd.search.words import fold

SEPARATOR = " ; "
"""Stands between the name, the description and the text."""
_LABEL = 60
_EXPLAINS = re.compile(r"\s*(?:[-*+]\s+)?\**(?:why|how to apply|because)\b", re.IGNORECASE)
_ITEM = re.compile(r"^[ \t]{0,3}(?:[-*+]|\d{1,3}[.)])[ \t]+\S", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Folded:
    """An entry with its text ready for matching."""

    entry: Entry
    text: str


def fold_entries(entries: Iterable[Entry]) -> list[Folded]:
    """All entries, in their order."""
    return [Folded(entry, _text_of(entry)) for entry in entries]


def is_called(one: Folded, text: str, key: str) -> bool:
    """Whether a folded text is the whole text, the name, the path or the id of the entry.

    ``key`` is the equality key of the text.
    """
    entry = one.entry
    if text in (entry.entry_id.lower(), entry.path.lower()):
        return True
    if entry.number is None and fold(entry.name).strip(" .,;:!?") == text:
        return True
    return abs(len(entry.text) - len(text)) < len(text) + 9 and equality_key(entry.text) == key


def is_mixed(entry: Entry) -> bool:
    """Whether one document tells several things without being a list of entries.

    What explains the one thing, such as a line "**Why:** …", is no other thing.
    """
    if entry.number is not None:
        return False
    blocks = [block for block in re.split(r"\n[ \t]*\n", entry.text.strip()) if block.strip()]
    told = [block for block in blocks if not _EXPLAINS.match(block)]
    items = _ITEM.findall(entry.text)
    return len(told) > 1 or len(items) > 1 or any(map(has_lines_of_its_own, told))


def all_equal(found: Iterable[Folded]) -> bool:
    """Whether they all say the same."""
    return len({equality_key(one.entry.text) for one in found}) == 1


def ids_of(found: Sequence[Folded]) -> tuple[str, ...]:
    return tuple(one.entry.entry_id for one in found)


def names_of(found: Sequence[Folded], most: int) -> str:
    """The first of them, as a sentence may name them; those of one name with their paths."""
    labels = [_label(one.entry) for one in found[:most]]
    return ", ".join(
        f"“{label}”" if labels.count(label) == 1 else f"“{label}” ({one.entry.entry_id})"
        for label, one in zip(labels, found, strict=False)
    )


def _text_of(entry: Entry) -> str:
    """What is searched. A name that several entries of a list share tells none of them apart."""
    if entry.number is not None:
        return fold(entry.text)
    text = fold(entry.text)
    description = fold(entry.description.rstrip("…"))
    # Most descriptions are how the text begins; twice would bring far words close together.
    told = text if description in text else f"{description}{SEPARATOR}{text}"
    return f"{fold(entry.name)}{SEPARATOR}{told}"


def _label(entry: Entry) -> str:
    label = " ".join((entry.name if entry.number is None else entry.description).split())
    return label if len(label) <= _LABEL else label[: _LABEL - 1].rstrip() + "…"
