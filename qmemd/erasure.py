"""Texts that are to be gone for good: where they are, and what is left in their place."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

ERASED = "[erased]"
SHORTEST_PART = 12
"""Characters from which a text is looked for anywhere; a shorter one only as a line of its own,
since it would be part of very much."""


def holds(content: str, texts: Collection[str]) -> bool:
    """Whether any of the texts stands in the content.

    One that begins with ``/`` is the name of a file that says what was in it: a path ends with it.
    """
    return any(_stands_in(text, content) for text in texts if text)


def _stands_in(text: str, content: str) -> bool:
    if len(text) >= SHORTEST_PART:
        return text in content
    lines = content.split("\n")
    if text.startswith("/") and any(line.endswith(text) for line in lines):
        return True
    return any(line.strip(" \t-*.") == text.strip(" \t-*.") for line in lines)


def without(texts: Collection[str], value: Any) -> Any:
    """A JSON value in which every string that holds one of the texts says that it was erased."""
    if isinstance(value, str):
        return ERASED if holds(value, texts) else value
    if isinstance(value, list):
        return [without(texts, item) for item in value]
    if isinstance(value, dict):
        return {key: without(texts, item) for key, item in value.items()}
    return value
