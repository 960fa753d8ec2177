"""What the tasks may spend at a real model."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Reached limits fail a task before the model is asked again."""

    model_calls: int = 20
    """Answered requests of one task."""
    tokens_a_day: int | None = None
    """Tokens in and out of a day in UTC, of all tasks of this memory home; None: no limit."""
