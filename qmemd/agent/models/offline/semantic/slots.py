"""Words that stand where another word stands in a memory: they name a rival, not the same thing.

"The throughput dashboard" is not the latency dashboard, however near the two are in meaning.
"""

from __future__ import annotations

from collections.abc import Collection

from qmemd.search.word_lists import LIGHT_WORDS, STOP_WORDS
from qmemd.search.words import Terms, tokens

_SIDES = (-1, 1)
_DETERMINERS = frozenset(("the", "a", "an", "any", "all", "each", "every", "our", "my", "new"))


def takes_the_place(query: str, missing: Collection[str], text: str, terms: Terms) -> bool:
    """Whether a missing word stands beside a word where the text has something else beside it.

    Args:
        query: folded.
        missing: words of the query that the text does not hold.
        text: folded.
        terms: tell which words are the same.
    """
    asked, told = _saying(query), _saying(text)
    says = [terms.of(word) for word in asked if word not in missing]
    for at, word in enumerate(asked):
        if word not in missing:
            continue
        for side in _SIDES:
            beside = _at(asked, at + side)
            if beside is None or beside in missing or _is_boundary(beside):
                continue
            term = terms.of(beside)
            for place in (place for place, other in enumerate(told) if terms.find(term, other)):
                rival = _at(told, place - side)
                if rival is None or _is_boundary(rival):
                    continue
                if not any(terms.find(said, rival) for said in says):
                    return True
    return False


def _at(words: list[str], place: int) -> str | None:
    return words[place] if 0 <= place < len(words) else None


def _saying(text: str) -> list[str]:
    return [word for word in tokens(text) if word not in _DETERMINERS]


def _is_boundary(word: str) -> bool:
    return word in STOP_WORDS or word in LIGHT_WORDS
