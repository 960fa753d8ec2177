from __future__ import annotations

import math
from collections.abc import Sequence

import pytest

from qmemd.agent.models.offline.semantic.bearing import speak_for
from qmemd.agent.models.offline.semantic.embedder import Embedder
from qmemd.agent.models.offline.semantic.nearest import Nearest, nearest


class Point:
    """An angle on a circle; ``@`` is the cosine between two."""

    def __init__(self, degrees: float) -> None:
        self.degrees = degrees

    def __matmul__(self, other: Point) -> float:
        return math.cos(math.radians(self.degrees - other.degrees))


def embedder(**degrees: float) -> Embedder:
    def encode(texts: Sequence[str]) -> list[Point]:
        return [Point(degrees[text.replace(" ", "_")]) for text in texts]

    return Embedder(encode)


def test_the_nearest_and_how_clearly() -> None:
    found = nearest("q", ["a", "b", "c"], embedder(q=0, a=90, b=10, c=60))
    assert found
    assert found.number == 1
    assert found.similarity == pytest.approx(math.cos(math.radians(10)))
    assert found.margin == pytest.approx(found.similarity - 0.5)
    assert found.clear


def test_equal_texts_are_one_and_one_alone_is_clear() -> None:
    found = nearest("q", ["a", "b", "a"], embedder(q=0, a=10, b=80))
    assert found
    assert found.clear
    assert nearest("q", ["a"], embedder(q=0, a=10)) == Nearest(0, found.similarity, 1.0)
    assert nearest("q", [], embedder(q=0)) is None


def test_what_is_far_or_has_a_rival_is_not_clear() -> None:
    far = nearest("q", ["a", "b"], embedder(q=0, a=70, b=89))
    rival = nearest("q", ["a", "b"], embedder(q=0, a=10, b=15))
    assert far
    assert rival
    assert not far.clear
    assert not rival.clear


def test_a_word_speaks_for_a_text_that_is_further_without_it() -> None:
    means = embedder(text=0, ship_it=20, it=50)
    assert speak_for("ship it", ["ship"], "text", means)
    assert not speak_for("ship it", ["ship"], "text", embedder(text=0, ship_it=20, it=20))
    assert not speak_for("ship it", ["ship"], "text", embedder(text=0, ship_it=50, it=20))


@pytest.mark.parametrize("word", ["8081", "v3", "mondays", "may", "dark", "staging", "disk"])
def test_some_words_have_to_stand_there(word: str) -> None:
    def unasked(_texts: Sequence[str]) -> list[Point]:
        raise AssertionError

    assert not speak_for(f"the {word}", [word], "text", Embedder(unasked))
