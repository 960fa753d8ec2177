"""Whether a text tells what a statement says, word by word.

A rough measure on purpose, and a strict one: it decides whether a text may go because another one
remains. Where it errs, a text stays, or counts as one that is dropped.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from qmemd.memory.equality import equality_key
from qmemd.memory.shrinking import words_of
from qmemd.memory.statement_words import DENIALS, EMPTY, MONTHS

_BLOCK = re.compile(r"\n[ \t]*\n|\n(?=[ \t]*(?:[-*+]|[0-9]{1,3}[.)])[ \t])")
_HEADING = re.compile(r"^#.*$", re.MULTILINE)
_SENTENCE = re.compile(r"(?<=[.!?;])[\"')\]]{0,2}\s+|(?<=[\u3002\uff01\uff1f\uff1b])")
_TO = r"(?:-|\u2013|\u2026|\.\.|to|bis|through|until)"
_RANGE = re.compile(rf"(?<![\w.,:-])(\d{{1,9}})\s*{_TO}\s*(\d{{1,9}})(?![\w:-])")
_THOUSANDS = re.compile(r"(?<=\d)[,'_](?=\d{3}(?!\d))")
_CONTRACTED = re.compile(r"n['\u2019]t\b")
_LONGEST_RANGE = 10_000
_ENOUGH = 2
"""A statement is told anew by a text that shares one in so many of its words."""

_ENDINGS = ("ing", "ed", "es", "en", "s")
_DIGITS = 10
_MOST_PAIRS = 200_000
_STEM = 3
"""Letters that an ending leaves at least."""


def told_by(statement: str, text: str) -> bool:
    """Whether a text that nobody wrote for it says all of the statement, and not its opposite.

    Each sentence of the statement has an equal one there, or one that holds all its words, its
    numbers, and a negation exactly when it has one.
    """
    there = _sentences(text)
    others = _others(statement, there)
    return others is not None and all(
        any(_holds_all(one, other) for other in there) for one in others
    )


def retold_by(statement: str, text: str) -> bool:
    """Whether a text that was written for it still speaks of all that the statement says.

    Of each sentence half of the words must be there, and every number; the nearest sentence must
    not say the opposite.
    """
    there = _sentences(text)
    whole = _Sentence(text)
    others = _others(statement, there)
    return others is not None and all(
        one.says_something
        and _ENOUGH * len(one.words & whole.words) >= len(one.words)
        and all(map(whole.has_number, one.numbers))
        and _not_denied(one, there)
        for one in others
    )


@dataclass(frozen=True)
class _Sentence:
    text: str

    @cached_property
    def _all(self) -> tuple[str, ...]:
        return tuple(words_of(_THOUSANDS.sub("", self.text)))

    @cached_property
    def words(self) -> frozenset[str]:
        """Stems of the words that carry the meaning; of others if there are none."""
        plain = [word for word in self._all if not _is_number(word) and word not in DENIALS]
        meant = [word for word in plain if word not in EMPTY and word != "t"]
        return frozenset(map(_stem, meant or ([] if self.numbers else plain)))

    @cached_property
    def numbers(self) -> frozenset[str]:
        """Words with a digit."""
        return frozenset(_number(word) for word in self._all if _is_number(word))

    @cached_property
    def _months(self) -> frozenset[str]:
        return frozenset(str(MONTHS[word]) for word in self._all if word in MONTHS)

    @cached_property
    def _ranges(self) -> frozenset[tuple[int, int]]:
        found = ((int(hit[1]), int(hit[2])) for hit in _RANGE.finditer(self.text))
        return frozenset(pair for pair in found if 0 < pair[1] - pair[0] <= _LONGEST_RANGE)

    @property
    def says_something(self) -> bool:
        """False: only an equal text tells it."""
        return bool(self.words or self.numbers)

    @cached_property
    def denies(self) -> bool:
        return any(word in DENIALS for word in self._all) or bool(
            _CONTRACTED.search(self.text.lower())
        )

    def has_number(self, number: str) -> bool:
        """Whether it names the number, as such, as a month, or within a range such as 3 to 9."""
        if number in self.numbers or number in self._months:
            return True
        # A number of ten digits is none that anybody counts up to.
        return (
            len(number) < _DIGITS
            and number.isdecimal()
            and any(first <= int(number) <= last for first, last in self._ranges)
        )


def _sentences(text: str) -> Sequence[_Sentence]:
    apart = _HEADING.sub(r"\n\g<0>\n\n", text)
    blocks = (" ".join(block.split()) for block in _BLOCK.split(apart))
    return [
        _Sentence(sentence.strip())
        for block in blocks
        for sentence in _SENTENCE.split(block)
        if words_of(sentence)
    ]


def _others(statement: str, there: Sequence[_Sentence]) -> Sequence[_Sentence] | None:
    """The sentences of a statement that have no equal one among these; None when too many."""
    keys = {equality_key(one.text) for one in there}
    others = [one for one in _sentences(statement) if equality_key(one.text) not in keys]
    # Each is compared with each; of what is too long for that only equal sentences count.
    return others if len(others) * len(there) <= _MOST_PAIRS else None


def _holds_all(one: _Sentence, other: _Sentence) -> bool:
    return (
        one.says_something
        and one.words <= other.words
        and one.denies == other.denies
        and all(map(other.has_number, one.numbers))
    )


def _not_denied(one: _Sentence, there: Sequence[_Sentence]) -> bool:
    """Whether one of the sentences that are nearest to it agrees with it."""
    nearest = max((len(one.words & other.words) for other in there), default=0)
    return any(
        one.denies == other.denies for other in there if len(one.words & other.words) == nearest
    )


def _is_number(word: str) -> bool:
    return any(map(str.isdigit, word))


def _number(word: str) -> str:
    """``05`` is 5 in a date; what has letters in it stands as it is."""
    return (word.lstrip("0") or "0") if word.isdecimal() else word


def _stem(word: str) -> str:
    if word.endswith(("ies", "ied")) and len(word) > _STEM + 1:
        return f"{word[:-3]}y"
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _STEM:
            word = word.removesuffix(ending)
            break
    # "like" as "likes", "run" as "running".
    word = word.removesuffix("e") if len(word) > _STEM else word
    return word[:-1] if len(word) > _STEM and word[-1] == word[-2] else word
