"""What an import reads: documents, facts, and what it could not take. Plain data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from qmemd.kinds import Scope


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """A whole document, to be kept byte for byte. Nothing of it is judged yet."""

    scope: Scope
    relative: str
    """Where it was, below its root."""
    content: bytes
    modified_ns: int | None = None
    """When it was changed last, in nanoseconds since the epoch."""

    @property
    def where(self) -> str:
        """As a report names it, such as ``user:dark-mode.md``."""
        return f"{self.scope.value}:{self.relative}"


@dataclass(frozen=True, slots=True)
class ReadFact:
    """One fact, in words that stand for themselves."""

    text: str
    where: str
    """Says in a report which one it is, such as ``line 12``."""


@dataclass(frozen=True, slots=True)
class Unreadable:
    """What stood there and is left out."""

    where: str
    reason: str


Read = ReadDocument | ReadFact | Unreadable


@dataclass(frozen=True, slots=True)
class Source:
    """What is to be imported, read as far as somebody asks for it."""

    name: str
    """What it is: ``export``, ``lines``, ``bullets`` or ``documents``."""
    items: Iterator[Read]
    count: int | None = None
    """How many items are to be expected, for a progress bar; not to be believed."""


class SourceRefusedError(Exception):
    """Nothing of a source is taken; the sentence says why."""
