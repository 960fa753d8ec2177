"""File names for documents, out of whatever a fact is called."""

from __future__ import annotations

import unicodedata
from collections.abc import Container

MAX_CHARACTERS = 60
MAX_BYTES = 120

_SHORT = 3
"""Letters of a word that says nothing by itself."""
_APOSTROPHES = "'\u2019"
_FALLBACK = "note"
_RESERVED = frozenset(
    # The index on a disk that ignores case, and what Windows keeps for devices.
    {"memory", "con", "prn", "aux", "nul"}
    | {f"{device}{number}" for device in ("com", "lpt") for number in "0123456789¹²³"}
)


def file_stem(name: str) -> str:
    """A stem that is safe on every disk: letters, digits and hyphens of any script, lower case.

    At most 60 characters and 120 bytes of UTF-8, in NFC, never empty.
    """
    kept = unicodedata.normalize("NFC", _spelled(unicodedata.normalize("NFC", name)).lower())
    stem = _cut(kept).strip("-") or _FALLBACK
    return f"{stem}-{_FALLBACK}" if stem in _RESERVED else stem


def tells(stem: str, text: str) -> bool:
    """Whether a stem gives away something of a text: all of itself, or a word that is not short."""
    spelled = _spelled(unicodedata.normalize("NFC", text)).lower()
    words = {word for word in spelled.split("-") if len(word) > _SHORT or not word.isalpha()}
    return stem.lower() in spelled or not words.isdisjoint(stem.lower().split("-"))


def free_name(stem: str, taken: Container[str]) -> str:
    """The first of ``stem.md``, ``stem-2.md``, … that is not taken.

    Args:
        stem: See ``file_stem``.
        taken: Casefolded names that the directory has.
    """
    name = f"{stem}.md"
    number = 2
    while name.casefold() in taken:
        name = f"{stem}-{number}.md"
        number += 1
    return name


def _spelled(name: str) -> str:
    letters: list[str] = []
    for letter in name:
        category = unicodedata.category(letter)
        after_letter = bool(letters) and letters[-1] != "-"
        if category[0] in "LN" or (category[0] == "M" and after_letter):
            letters.append(letter)
        elif after_letter and category != "Cf" and letter not in _APOSTROPHES:
            letters.append("-")
    return "".join(letters)


def _cut(text: str) -> str:
    short = text[:MAX_CHARACTERS].encode()[:MAX_BYTES].decode(errors="ignore")
    if len(short) == len(text) or text[len(short)] == "-":
        return short
    whole_words = short.rpartition("-")[0]
    return whole_words if len(whole_words) > len(short) // 2 else short
