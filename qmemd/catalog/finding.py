"""Entries by how well they fit some words, as people type them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from qmemd.catalog.records import CatalogEntry
from qmemd.search.bm25 import scores
from qmemd.search.words import Term, Terms, content_words, fold, tokens

MAX_WORDS = 32
"""Different words of a search that are looked for."""


def best(entries: Sequence[CatalogEntry], typed: str) -> list[CatalogEntry]:
    """Those that hold at least one of the words, the best first.

    The last word may be the beginning of one, since it may be typed just now. What has no words
    at all is looked for as it stands.
    """
    folded = fold(typed)
    words = (content_words(folded) or tokens(folded))[-MAX_WORDS:]
    if not words:
        return [one for one in entries if folded in one.text]
    finder = Terms()  # of this search alone, since it keeps every stem that it makes
    terms = [finder.of(word) for word in words]
    begun = re.compile(rf"(?<!\w){re.escape(words[-1])}")
    counts = [_counts(one.text, terms, finder, begun) for one in entries]
    weights = scores(counts, [len(one.text) for one in entries])
    order = sorted((at for at, weight in enumerate(weights) if weight), key=lambda at: -weights[at])
    return [entries[at] for at in order]


def _counts(
    text: str, terms: Sequence[Term], finder: Terms, begun: re.Pattern[str]
) -> dict[str, int]:
    counts = {term.word: len(finder.find(term, text)) for term in terms}
    last = terms[-1].word
    counts[last] = counts[last] or len(begun.findall(text))
    return {word: count for word, count in counts.items() if count}
