"""How well a model does the three jobs, on the samples."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from qmemd.agent.models.base import Model
from qmemd.kinds import Scope, Topic
from qmemd.memory.documents import parse
from qmemd.memory.equality import equality_key
from qmemd.tasks import Dream, Forget, Remember
from tests.evaluation.room import Room
from tests.evaluation.samples import Fact, Pair, Query

PAIRS_A_DREAM = 8

MakeModel = Callable[[], Model]


@dataclass(slots=True)
class Score:
    """Counts of one job."""

    total: int = 0
    counts: dict[str, int] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    """What went wrong, in words."""

    def count(self, name: str, true: bool, what: str | None = None) -> None:
        """Counts when true; else notes ``what``."""
        self.counts[name] = self.counts.get(name, 0) + true
        if not true and what:
            self.wrong.append(f"{name}: {what}")

    def __getitem__(self, name: str) -> int:
        return self.counts.get(name, 0)


def score_remember(make_model: MakeModel, facts: Iterable[Fact]) -> Score:
    """``stored``, ``type`` and ``scope`` as expected, and the ``text`` word for word."""
    score = Score()
    with _room(make_model) as room:
        for fact in facts:
            score.total += 1
            before = room.documents()
            room.run(Remember(fact.text))
            new = [path for path in room.documents() if path not in before]
            score.count("stored", len(new) == 1, fact.text)
            if len(new) != 1:
                continue
            document = parse(new[0].read_bytes())
            score.count("type", document.topic is fact.topic, f"{document.topic}: {fact.text}")
            inside = new[0].is_relative_to(room.paths.root(fact.scope).path)
            score.count("scope", inside, f"not {fact.scope}: {fact.text}")
            score.count("text", equality_key(document.body) == equality_key(fact.text))
    return score


def score_forget(make_model: MakeModel, facts: Sequence[Fact], queries: Iterable[Query]) -> Score:
    """``right``: exactly what was meant; ``wrong removals``; ``right <kind>`` of each kind."""
    score = Score()
    with _room(make_model) as room:
        paths = {fact.key: room.put(fact.scope, fact.key, fact.topic, fact.text) for fact in facts}
        whole = room.documents()
        for query in queries:
            score.total += 1
            room.run(Forget(query.text))
            gone = {key for key, path in paths.items() if not path.exists()}
            meant = {query.key} if query.key else set()
            unmeant = sorted(gone - meant)
            score.count("wrong removals", bool(unmeant))
            if unmeant:
                score.wrong.append(f"removed {', '.join(unmeant)} for: {query.text}")
            right = gone == meant
            score.count("right", right)
            score.count(f"right {query.kind}", right, query.text)
            for path, content in whole.items():
                if not path.exists():
                    path.write_bytes(content)
    return score


def score_dream(make_model: MakeModel, pairs: Sequence[Pair]) -> Score:
    """``merged <kind>`` pairs that say the same; ``false merges`` of pairs that do not."""
    score = Score()
    for batch in _batches(pairs):
        with _room(make_model) as room:
            placed = [(pair, _place(room, number, pair)) for number, pair in enumerate(batch)]
            room.run(Dream())
            for pair, paths in placed:
                score.total += 1
                merged = sum(path.exists() for path in paths) < len(paths)
                if pair.same:
                    score.count(f"merged {pair.kind}", merged)
                    lost = not any(path.exists() for path in paths)
                    score.count("lost both", lost)
                else:
                    score.count("false merges", merged)
                    if merged:
                        score.wrong.append(f"merged “{pair.first}” and “{pair.second}”")
    return score


def _place(room: Room, number: int, pair: Pair) -> tuple[Path, Path]:
    own = pair.topic in (Topic.USER, Topic.FEEDBACK)
    scope = Scope.USER if own else Scope.PROJECT
    first = room.put(scope, f"{number}-a", pair.topic, pair.first)
    return first, room.put(scope, f"{number}-b", pair.topic, pair.second)


def _batches(pairs: Iterable[Pair]) -> list[list[Pair]]:
    """Small memories in which no two pairs share a text."""
    batches: list[list[Pair]] = []
    for pair in pairs:
        keys = {equality_key(pair.first), equality_key(pair.second)}
        for batch in batches:
            taken = {equality_key(text) for one in batch for text in (one.first, one.second)}
            if len(batch) < PAIRS_A_DREAM and not keys & taken:
                batch.append(pair)
                break
        else:
            batches.append([pair])
    return batches


@contextmanager
def _room(make_model: MakeModel) -> Iterator[Room]:
    with tempfile.TemporaryDirectory(prefix="qmemd-evaluation-") as directory:
        yield Room(Path(directory), make_model)
