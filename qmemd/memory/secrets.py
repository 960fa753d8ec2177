"""Finding credentials in text, so that none is stored, and blotting them out of messages.

Looks for known shapes only. Words about secrets, hashes and ids are ordinary text.
"""

from __future__ import annotations

import re
from collections.abc import Container
from enum import StrEnum
from functools import cache

from qmemd.memory.secret_shapes import HEADER, SHAPES

REDACTED = "[redacted]"
MARK = re.compile(r"\[redacted: [A-Za-z -]{1,40} [0-9]{1,7}\]")
"""What a model is shown in the place of a secret that a document holds."""


class SecretPolicy(StrEnum):
    """What becomes of a text that holds a secret."""

    ALLOW = "allow"
    """It is stored as it is; nobody looks."""
    MASK = "mask"
    """It is stored with ``[redacted]`` in the place of the secret."""
    REFUSE = "refuse"
    """It is not stored."""


def find_secret(text: str) -> str | None:
    """The kind of the first secret in the text, e.g. ``"GitHub token"``; never its value."""
    return next((kind for kind, pattern in _patterns() if pattern.search(text)), None)


def secrets_in(text: str) -> dict[str, str]:
    """Every secret in the text itself, and its kind. Never to be logged or shown."""
    return {_value(hit): kind for kind, pattern in _patterns() for hit in pattern.finditer(text)}


def secret_spans(text: str) -> list[tuple[int, int, str]]:
    """Where secrets stand in the text: start, end and kind, in order, none over another."""
    found = (
        (*hit.span(hit.lastgroup or 0), kind)
        for kind, pattern in _patterns()
        for hit in pattern.finditer(text)
    )
    spans: list[tuple[int, int, str]] = []
    for begin, end, kind in sorted(found, key=lambda one: one[:2]):
        if spans and begin < spans[-1][1]:
            first, last, known = spans[-1]
            spans[-1] = (first, max(last, end), known)
        elif begin < end:
            spans.append((begin, end, kind))
    return spans


def mask(text: str, only: Container[str] | None = None) -> str:
    """The text with ``[redacted]`` in the place of every secret; every other letter stays.

    ``only`` are the secrets to blot out, as `secrets_in` gives them; None: all.
    """

    def blot(hit: re.Match[str]) -> str:
        return hit[0] if only is not None and _value(hit) not in only else _blot(hit)

    for _, pattern in _patterns():
        text = pattern.sub(blot, text)
    return text


def redact(text: str) -> str:
    """Like `mask`, for messages: also without what follows ``Authorization:``, however short."""
    return _header().sub(_blot, mask(text))


def _value(hit: re.Match[str]) -> str:
    return hit[hit.lastgroup or 0]


def _blot(hit: re.Match[str]) -> str:
    start, end = hit.span(hit.lastgroup or 0)
    return hit[0][: start - hit.start()] + REDACTED + hit[0][end - hit.start() :]


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    # Compiled at first use: it takes longer than the import of the whole package may.
    return tuple((kind, re.compile(shape)) for kind, shape in SHAPES)


@cache
def _header() -> re.Pattern[str]:
    return re.compile(HEADER)
