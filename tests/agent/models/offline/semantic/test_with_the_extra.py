"""What the extra finds on queries that nothing was tuned on, and what it leaves alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from qmemd.agent.models.offline.forgetting import choose_entries
from qmemd.agent.models.offline.semantic.embedder import Embedder, shared_embedder
from qmemd.kinds import Scope, Topic
from qmemd.memory.entries import Entry
from tests.evaluation import samples

EVALUATION = Path(samples.__file__).parent
HELD = Path(__file__).parents[1] / "facts_held.tsv"

pytestmark = pytest.mark.slow


def rows(path: Path) -> list[list[str]]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


def entry(number: int, topic: str, scope: str, text: str) -> Entry:
    name = f"m{number}"
    return Entry(Scope(scope), f"{name}.md", None, text, Topic(topic), name, text)


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    found = shared_embedder()
    if found is None:
        pytest.skip("the extra `semantic` is not installed")
    return found


def test_more_is_found_than_by_words_and_nothing_that_was_not_meant(embedder: Embedder) -> None:
    entries = [entry(number, *row) for number, row in enumerate(rows(HELD))]
    texts = {one.entry_id: one.text for one in entries}
    right = {"words": 0, "meaning": 0}
    for kind, part, query in rows(EVALUATION / "queries_held.tsv"):
        for how, means in (("words", None), ("meaning", embedder)):
            ids = choose_entries(query, entries, lambda given=means: given).ids  # type: ignore[misc]
            assert all(kind == "paraphrase" and part in texts[id_] for id_ in ids), query
            right[how] += bool(ids)
    assert right["words"] >= 5
    assert right["meaning"] >= right["words"] + 2


@pytest.mark.parametrize("extra", [True, False])
def test_what_only_comes_near_stays(embedder: Embedder, extra: bool) -> None:
    entries = [
        entry(number, fact.topic, fact.scope, fact.text)
        for number, fact in enumerate(samples.facts())
    ]
    for _, _, query in rows(EVALUATION / "queries_near.tsv"):
        assert choose_entries(query, entries, lambda: embedder if extra else None).ids == (), query
