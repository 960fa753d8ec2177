"""What an import did, item by item."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field
from typing import Any

from qmemd.memory.secrets import redact

MAX_SHOWN = 100
"""Characters of a text in a report."""
MAX_LINES = 20
"""Lines about what went well, of each kind, in a report for people; the rest is counted."""


@dataclass(frozen=True, slots=True)
class Item:
    """One line of a report."""

    where: str
    """In the source: a path, or ``line 12``."""
    said: str
    """For what was taken: where it is now, else the reason."""


@dataclass(slots=True)
class Report:
    """Grows while the import goes on."""

    added: list[Item] = field(default_factory=list)
    present: list[Item] = field(default_factory=list)
    """What the memory holds already."""
    conflicts: list[Item] = field(default_factory=list)
    """Documents whose place another text has."""
    skipped: list[Item] = field(default_factory=list)
    change_sets: list[str] = field(default_factory=list)
    """Each can be undone."""
    interrupted: bool = False
    """What is in none of the lists was not looked at."""

    @property
    def complete(self) -> bool:
        """Whether all of the source is in the memory now."""
        return not (self.conflicts or self.skipped or self.interrupted)

    def to_json(self) -> dict[str, Any]:
        """Counts, and every item."""
        kinds = {
            "added": (self.added, "place"),
            "alreadyThere": (self.present, "place"),
            "conflicts": (self.conflicts, "reason"),
            "skipped": (self.skipped, "reason"),
        }
        return {
            "counts": {kind: len(items) for kind, (items, _) in kinds.items()},
            **{
                kind: [{"where": one.where, key: one.said} for one in items]
                for kind, (items, key) in kinds.items()
            },
            "changeSets": self.change_sets,
            "interrupted": self.interrupted,
        }

    def lines(self, *, dry: bool = False) -> list[str]:
        """For people; safe to print on a terminal. Of a dry run all is told, since it is asked."""
        most = None if dry else MAX_LINES
        told = [
            *_told("would add" if dry else "added", self.added, " -> ", most),
            *_told("already there", self.present, " = ", most),
            *_told("conflict", self.conflicts, ": ", None),
            *_told("skipped", self.skipped, ": ", None),
            self._counts("to add" if dry else "added"),
        ]
        if self.interrupted:
            told.append("interrupted: the same import again goes on from here")
        elif not self.added and self.complete:
            told.append("nothing is new: the memory was not changed")
        if len(self.change_sets) == 1:
            told.append(f"take it back with: qmemd undo {self.change_sets[0]}")
        elif self.change_sets:
            told.append(f"take back any of its {len(self.change_sets)} changes: see qmemd history")
        return told

    def _counts(self, added: str) -> str:
        return (
            f"{len(self.added)} {added}, {len(self.present)} already there, "
            f"{len(self.conflicts)} in conflict, {len(self.skipped)} skipped"
        )


def shown(text: str) -> str:
    """A text from anywhere as one short line without secrets and without control characters."""
    line = " ".join(redact(text).split())
    visible = "".join(
        letter if unicodedata.category(letter)[0] != "C" else "\N{REPLACEMENT CHARACTER}"
        for letter in line
    )
    return visible if len(visible) <= MAX_SHOWN else f"{visible[: MAX_SHOWN - 1]}\u2026"


def _told(what: str, items: list[Item], between: str, most: int | None) -> list[str]:
    lines = [f"{what:<13}  {_pair(one, between)}" for one in items[:most]]
    left = len(items) - len(lines)
    return [*lines, f"{what:<13}  and {left} more"] if left else lines


def _pair(one: Item, between: str) -> str:
    same = one.where == one.said
    return shown(one.where) + (between + shown(one.said) if one.said and not same else "")
