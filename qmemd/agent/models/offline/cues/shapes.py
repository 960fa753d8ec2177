"""What a word is by its look: an address, a number, a form of a known verb."""

from __future__ import annotations

import re
from functools import cache

ADDRESSES = frozenset({"url", "host", "path", "file", "channel", "mail"})

_FILE_ENDINGS = (
    r"(?:md|rst|pdf|adoc|docx?|xls[xbm]?|pptx?|[ct]sv|ya?ml|json|txt|org|toml|html?|tbx|tex|"
    r"ipynb|dbml|sql)"
)
_DOMAINS = (
    r"(?:com|net|org|io|dev|cn|de|fr|es|jp|pt|br|uk|eu|na|app|ai|internal|corp|local|example|"
    r"ht|edu)"
)
_SHAPES = (
    ("url", r"\w+://.+|www\..+"),
    ("mail", r"[\w.+-]+@[\w-]+\.\w.*"),
    ("channel", r"#[a-z][\w-]*"),
    ("ticket", r"#\d+|[a-z]{2,}-\d+"),
    ("file", rf".*\w\.{_FILE_ENDINGS}"),
    ("host", rf"(?:[a-z0-9-]+\.)+{_DOMAINS}(?:/.*)?|\d+(?:\.\d+){{3}}"),
    ("path", r"(?:[~.]?/|[a-z]:\\|\w+:/).+|[\w.-]+/[\w.-]+/.*|[\w-]+\.[\w-]+/.+"),
    ("date", r"\d{4}-\d\d.*|\d{1,2}:\d\d|20\d\d|\d{1,2}(?:st|nd|rd|th)"),
    ("version", r"v?\d+(?:\.\d+)+|v\d+"),
    ("number", r"[~<>]?\d.*"),
    ("arrow", r"→|->|=>|>|="),
)

_ENDINGS = (("ed", "did", 5), ("ing", "doing", 6), ("n't", "no", 3), ("ist", "job", 7))
"""An ending, what it makes of an unknown word, and how long that must be at least."""


def shape_of(word: str) -> str | None:
    """The kind of a word that its letters and signs give away."""
    # A purely alphabetic word is the common case, and has no such shape.
    if word.isalpha():
        return None
    match = _pattern().fullmatch(word)
    return match.lastgroup if match else None


def ending_of(word: str, verbs: frozenset[str]) -> str | None:
    """What the ending of an unknown word tells; ``verbs`` are those known without one."""
    if word.endswith("s") and (word[:-1] in verbs or word[:-2] in verbs):
        return "does"
    for ending, kind, length in _ENDINGS:
        if len(word) >= length and word.endswith(ending):
            return kind
    return None


@cache
def _pattern() -> re.Pattern[str]:
    return re.compile("|".join(f"(?P<{name}>{pattern})" for name, pattern in _SHAPES))
