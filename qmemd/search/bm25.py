"""Okapi BM25 over counts that are known already."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

_K1 = 1.2
_B = 0.75


def scores(counts: Sequence[Mapping[str, int]], lengths: Sequence[int]) -> list[float]:
    """How well each text fits a query; 0 for a text without any of its words.

    Args:
        counts: For each text, how often each word of the query stands in it.
        lengths: For each text, its length in any unit.
    """
    total = len(counts)
    mean = sum(lengths) / total if total else 0
    in_texts: dict[str, int] = {}
    for count in counts:
        for word in count:
            in_texts[word] = in_texts.get(word, 0) + 1
    rarity = {
        word: math.log(1 + (total - number + 0.5) / (number + 0.5))
        for word, number in in_texts.items()
    }
    return [
        sum(
            rarity[word] * often * (_K1 + 1) / (often + _K1 * (1 - _B + _B * length / (mean or 1)))
            for word, often in count.items()
        )
        for count, length in zip(counts, lengths, strict=True)
    ]
