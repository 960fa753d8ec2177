from __future__ import annotations

import pytest

from qmemd.search.bm25 import scores


def test_rare_words_and_short_texts_weigh_more() -> None:
    counts = [{"port": 1, "metrics": 1}, {"port": 1}, {"port": 1}, {}]
    first, short, long, none = scores(counts, [10, 10, 40, 10])
    assert first > short > long > none
    assert none == 0


def test_a_known_value() -> None:
    # log(1 + (2 - 1 + 0.5) / (1 + 0.5)) with equal lengths and one occurrence
    assert scores([{"a": 1}, {}], [5, 5]) == pytest.approx([0.693147, 0])


def test_no_texts() -> None:
    assert scores([], []) == []
    assert scores([{"a": 1}], [0])[0] > 0
