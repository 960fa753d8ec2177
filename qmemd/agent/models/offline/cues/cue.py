"""One row of the tables."""

from __future__ import annotations

from typing import NamedTuple


class Cue(NamedTuple):
    """A pattern over the folded text, and how loudly it speaks for its table's type.

    A row counts once, however often it matches.
    """

    weight: float
    pattern: str
