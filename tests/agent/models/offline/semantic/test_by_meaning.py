"""The choice by meaning, with an embedder that knows a few words."""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence

import pytest

from qmemd.agent.models.offline import forgetting
from qmemd.agent.models.offline.forgetting import choose_entries
from qmemd.agent.models.offline.semantic.embedder import Embedder
from qmemd.kinds import Scope, Topic
from qmemd.memory.entries import Entry

SENSES = {"erased": "wiped", "wiped": "wiped", "streets": "addresses"}
NOTHING = {"the", "when", "are", "is", "get", "at", "after"}


class Bag:
    """Words as a point; ``@`` is the cosine between two."""

    def __init__(self, text: str) -> None:
        words = (word.strip(".,").lower() for word in text.split())
        self.words = {SENSES.get(word, word) for word in words} - NOTHING

    def __matmul__(self, other: Bag) -> float:
        size = math.sqrt(len(self.words) * len(other.words))
        return len(self.words & other.words) / size if size else 0.0


def bags(texts: Sequence[str]) -> list[Bag]:
    return [Bag(text) for text in texts]


def entries(*texts: str) -> list[Entry]:
    return [
        Entry(Scope.PROJECT, f"m{n}.md", None, text, Topic.PROJECT, f"m{n}", text)
        for n, text in enumerate(texts)
    ]


MEMORY = entries("Addresses are wiped.", "Lunch is at noon.", "Logs are kept.")
QUERY = "when addresses get erased"


def test_another_way_of_saying_it_is_found_with_the_embedder_alone() -> None:
    assert choose_entries(QUERY, MEMORY).ids == ()
    assert choose_entries(QUERY, MEMORY, lambda: Embedder(bags)).ids == ("project:m0.md",)
    assert choose_entries("when names get erased", MEMORY, lambda: Embedder(bags)).ids == ()


def test_a_rival_that_shares_no_word_keeps_both() -> None:
    rivals = entries("Addresses are wiped.", "Lunch is at noon.", "Streets are wiped daily.")
    assert choose_entries(QUERY, rivals, lambda: Embedder(bags)).ids == ()


@pytest.mark.parametrize(
    "query",
    [
        "addresses are wiped",  # decided by its words
        "everything about addresses erased",
        "addresses are never erased",
        "when phone calls happen",  # shares no word with a memory
        '"addresses erased"',
    ],
)
def test_the_embedder_is_asked_only_when_it_can_help(query: str) -> None:
    def unasked() -> Embedder:
        raise AssertionError

    choose_entries(query, MEMORY, unasked)


def test_a_large_memory_is_not_compared() -> None:
    many = entries("Addresses are wiped.", *(f"Thing {n}" for n in range(forgetting.MAX_COMPARED)))
    assert choose_entries(QUERY, many, lambda: Embedder(bags)).ids == ()


def test_one_that_breaks_is_told_of_once_and_forgetting_goes_on(
    caplog: pytest.LogCaptureFixture,
) -> None:
    tries = []

    def breaks(texts: Sequence[str]) -> list[Bag]:
        tries.append(texts)
        raise RuntimeError("addresses")

    broken = Embedder(breaks)
    with caplog.at_level(logging.INFO):
        for _ in range(3):
            assert "Nearest" in choose_entries(QUERY, MEMORY, lambda: broken).reason
    assert choose_entries("addresses are wiped", MEMORY, lambda: broken).ids
    assert len(tries) == 1
    assert [record.getMessage() for record in caplog.records] == [
        "the extra `semantic` does not work (RuntimeError)"
    ]
    assert caplog.records[0].exc_info is None


def test_it_can_be_interrupted_between_batches() -> None:
    class StopError(Exception):
        pass

    def check() -> None:
        raise StopError

    with pytest.raises(StopError):
        choose_entries(QUERY, MEMORY, lambda: Embedder(bags), check)
