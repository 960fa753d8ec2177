"""The memory that is nearest to a query in meaning, and how clearly."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from qmemd.agent.models.offline.semantic.embedder import Embedder

LEAST_SIMILARITY = 0.6
"""Cosine of query and memory, under which nothing is near."""
LEAST_MARGIN = 0.2
"""By how much the second has to be further away."""


@dataclass(frozen=True, slots=True)
class Nearest:
    """The best of several texts."""

    number: int
    """Which of them."""
    similarity: float
    margin: float
    """To the second; 1 when there is none."""

    @property
    def clear(self) -> bool:
        """Whether it stands out enough to be acted on."""
        return self.similarity >= LEAST_SIMILARITY and self.margin >= LEAST_MARGIN


def nearest(
    query: str,
    texts: Sequence[str],
    embedder: Embedder,
    check: Callable[[], None] = lambda: None,
) -> Nearest | None:
    """The nearest of the texts; None without any. Equal texts count as one.

    Raises:
        EmbeddingError: see Embedder.points.
    """
    if not texts:
        return None
    asked, *points = embedder.points([query, *texts], check)
    scores = [float(point @ asked) for point in points]
    best = max(range(len(texts)), key=scores.__getitem__)
    others = [score for score, text in zip(scores, texts, strict=True) if text != texts[best]]
    margin = scores[best] - max(others) if others else 1.0
    return Nearest(best, scores[best], margin)
