"""Where words stand in a text, and what that says about a match."""

from __future__ import annotations

import re
from collections.abc import Sequence

from qmemd.search.words import Term, content_words, is_cjk

_PAIR = 2
_CJK_PHRASE = 4
_ENDINGS = frozenset(("", "s", "es", "e", "ed", "d", "ing", "y", "ies", "ied"))
_SENTENCE_END = re.compile(r"[.!?;](?=\s|$)|[。！？；]|\s[—–]\s|,?\s(?:but|aber|mais|pero)\s")  # noqa: RUF001 - full-width signs end a sentence too

_CLAUSES_PART = re.compile(r"(?<! );\s|[.!?]\s|,\s|\s(?:but|and|aber|und|mais|et|pero|y)\s")
_CLAUSE_END = re.compile(r",\s|\s(?:and|und|et|y)\s")


def without_article(target: str) -> str:
    return re.sub(r"^(?:the|a|an|my|our|your) ", "", target)


def is_phrase(phrase: str) -> bool:
    """Whether the words are enough of a phrase to be explicit."""
    letters = sum(map(is_cjk, phrase))
    return letters >= _CJK_PHRASE if letters else len(content_words(phrase)) >= _PAIR


def inflects(form: str, term: Term) -> bool:
    """Whether two forms differ by a common ending: stems alone join "universe", "university"."""
    if not term.stems:
        return True
    same = 0
    for left, right in zip(form, term.word, strict=False):
        if left != right:
            break
        same += 1
    return form[same:] in _ENDINGS and term.word[same:] in _ENDINGS


def closest(places: Sequence[tuple[int, int]], wanted: int) -> tuple[int, int] | None:
    """The shortest stretch in which every word stands at least once."""
    last: dict[int, int] = {}
    best: tuple[int, int] | None = None
    for at, number in places:
        last[number] = at
        if len(last) == wanted:
            start = min(last.values())
            if best is None or at - start < best[1] - best[0]:
                best = (start, at)
    return best


def swapped(places: Sequence[tuple[int, int]], span: tuple[int, int], wanted: int) -> bool:
    """Whether the first and the last word of the query stand there the other way round."""
    inside = [number for at, number in places if span[0] <= at <= span[1]]
    return inside[0] == wanted - 1 and inside[-1] == 0


def first_is_last(places: Sequence[tuple[int, int]], span: tuple[int, int]) -> bool:
    """Whether what the query begins with stands there at the end alone."""
    inside = [number for at, number in places if span[0] <= at <= span[1]]
    return inside[-1] == 0 and inside.index(0) == len(inside) - 1


def in_order(places: Sequence[tuple[int, int]], span: tuple[int, int]) -> bool:
    """Whether the words stand there in the order of the query."""
    first: dict[int, None] = {}
    for at, number in places:
        if span[0] <= at <= span[1]:
            first.setdefault(number)
    return list(first) == sorted(first)


def crosses_clauses(text: str, span: tuple[int, int]) -> bool:
    """Whether the words stand in different clauses: then each may be said of something else."""
    return _CLAUSES_PART.search(text, *span) is not None


def said_at(text: str, span: tuple[int, int]) -> str:
    """What bears on the words at this place: the sentence so far, and the clause to its end."""
    start = max((hit.end() for hit in _SENTENCE_END.finditer(text, 0, span[0])), default=0)
    end = _SENTENCE_END.search(text, span[1]) or None
    end = _CLAUSE_END.search(text, span[1], end.start() if end else len(text)) or end
    return text[start : end.start() if end else len(text)]
