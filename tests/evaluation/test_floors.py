"""How well the offline model has to do on the samples, at least."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from qmemd.agent.models.offline import OfflineModel
from qmemd.agent.models.offline.semantic.embedder import shared_embedder
from qmemd.memory.equality import equality_key
from tests.evaluation import samples
from tests.evaluation.scores import score_dream, score_forget, score_remember

ROOT = Path(__file__).parents[2]
WORDS_FLOORS = {"fresh": 6, "tuning": 3, "report": 2}
MEANING_FLOORS = {"fresh": 12, "tuning": 14, "report": 9}
"""Paraphrases that have to be right, of 30, 40 and 39."""


def test_the_samples_are_what_they_should_be() -> None:
    facts, queries = samples.facts(), samples.queries()
    assert len({fact.key for fact in facts}) == len(facts) == 60
    assert len(queries) == 60
    assert sum(query.key is None for query in queries) == 20
    assert {query.key for query in queries} - {None} <= {fact.key for fact in facts}
    assert len(samples.duplicates()) == len(samples.near()) == 40
    for pair in samples.duplicates():
        equal = equality_key(pair.first) == equality_key(pair.second)
        assert equal == (pair.kind == "equal"), pair
    for pair in samples.near():
        assert equality_key(pair.first) != equality_key(pair.second), pair


@pytest.mark.slow
def test_every_fact_is_stored_word_for_word() -> None:
    score = score_remember(OfflineModel, samples.facts())
    assert (score["stored"], score["text"]) == (score.total, score.total)
    assert score["type"] >= 0.8 * score.total, score.wrong
    assert score["scope"] >= 0.8 * score.total, score.wrong


@pytest.mark.slow
def test_nothing_is_removed_that_was_not_meant() -> None:
    score = score_forget(OfflineModel, samples.facts(), samples.queries())
    assert score["wrong removals"] == 0, score.wrong
    assert score["right none"] == 20
    assert score["right plain"] >= 18, score.wrong
    assert score["right paraphrase"] >= 10, score.wrong


def test_the_other_samples_are_what_they_should_be() -> None:
    for name in samples.HELD:
        facts, queries = samples.held(name)
        assert len(facts) >= 60
        assert len(queries) >= 30
        assert {query.key for query in queries} - {None} <= {fact.key for fact in facts}
    kinds = [query.kind for half in ("tuning", "report") for query in samples.held(half)[1]]
    assert min(kinds.count(kind) for kind in ("paraphrase", "none", "opposite")) >= 40


@pytest.mark.slow
@pytest.mark.parametrize("extra", [False, True], ids=["words", "meaning"])
@pytest.mark.parametrize("name", samples.HELD)
def test_opposites_and_rivals_stay(name: str, extra: bool) -> None:
    embedder = shared_embedder() if extra else None
    if extra and embedder is None:
        pytest.skip("the extra `semantic` is not installed")
    facts, queries = samples.held(name)
    score = score_forget(lambda: OfflineModel(embedder=lambda: embedder), facts, queries)
    assert score["wrong removals"] == 0, score.wrong
    floor = (MEANING_FLOORS if extra else WORDS_FLOORS).get(name, 0)
    assert score["right paraphrase"] >= floor, score.wrong


@pytest.mark.slow
def test_what_is_equal_is_merged_and_nothing_else() -> None:
    score = score_dream(OfflineModel, [*samples.duplicates(), *samples.near()])
    assert (score["false merges"], score["lost both"]) == (0, 0), score.wrong
    assert score["merged equal"] == 20
    assert score["merged reworded"] == 0


@pytest.mark.slow
def test_the_script_prints_a_table() -> None:
    done = subprocess.run(
        [
            sys.executable,
            ROOT / "scripts/evaluate.py",
            "offline",
            "--jobs",
            "dream",
            "--semantic",
            "off",
        ],
        check=True,
        capture_output=True,
        text=True,
        timeout=50,
    )
    assert done.stdout.startswith("model offline semantic off\n")
    assert "merged equal             20" in done.stdout
    wrong = subprocess.run(
        [sys.executable, ROOT / "scripts/evaluate.py", "offline", "--jobs", "sleep"],
        check=False,
        capture_output=True,
        text=True,
        timeout=50,
    )
    assert wrong.returncode == 2
    assert "no such job: sleep" in wrong.stderr
