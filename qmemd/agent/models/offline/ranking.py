"""Entries by how well they fit the words of a query."""

from __future__ import annotations

from collections.abc import Sequence

from qmemd.agent.models.offline.folded import Folded
from qmemd.search import bm25
from qmemd.search.words import Term, Terms


def rank(pool: Sequence[Folded], terms: Sequence[Term], finder: Terms) -> list[Folded]:
    """Those that hold at least one of the words, best first."""
    counts: list[dict[str, int]] = []
    for one in pool:
        places = {term.word: len(finder.find(term, one.text)) for term in terms}
        counts.append({word: number for word, number in places.items() if number})
    scores = bm25.scores(counts, [len(one.text) for one in pool])
    best = sorted((at for at, score in enumerate(scores) if score), key=lambda at: -scores[at])
    return [pool[at] for at in best]
