"""The data files beside this one, as records."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from qmemd.kinds import Scope, Topic

_HERE = Path(__file__).parent
HELD = {
    "near": ("facts.tsv", "queries_near.tsv"),
    "fresh": ("facts.tsv", "queries_fresh.tsv"),
    "rivals": ("facts_neighbours.tsv", "queries_rivals.tsv"),
    "tuning": ("facts_neighbours.tsv", "queries_neighbours.tsv"),
    "report": ("facts_neighbours.tsv", "queries_neighbours.tsv"),
}
"""Facts and queries of more samples for forget; a query may say to which half it belongs."""


@dataclass(frozen=True, slots=True)
class Fact:
    key: str
    topic: Topic
    scope: Scope
    text: str


@dataclass(frozen=True, slots=True)
class Query:
    kind: str
    """``plain`` (words of the fact), ``paraphrase``, ``none`` or ``opposite`` (none)."""
    key: str | None
    """Of the one fact that is meant."""
    text: str


@dataclass(frozen=True, slots=True)
class Pair:
    kind: str
    """``equal``, ``reworded``, or ``near`` (not the same)."""
    topic: Topic
    first: str
    second: str

    @property
    def same(self) -> bool:
        return self.kind != "near"


def facts(name: str = "facts.tsv") -> list[Fact]:
    return [Fact(key, Topic(topic), Scope(scope), text) for key, topic, scope, text in _rows(name)]


def queries() -> list[Query]:
    return [
        Query(kind, None if key == "-" else key, text) for kind, key, text in _rows("queries.tsv")
    ]


def held(name: str) -> tuple[list[Fact], list[Query]]:
    """The facts, and the queries over them, of one of HELD."""
    about, asked = HELD[name]
    rows = [(row[-4:-3], *row[-3:]) for row in _rows(asked)]
    return facts(about), [
        Query(kind, None if key == "-" else key, text)
        for half, kind, key, text in rows
        if half in ([], [name])
    ]


def duplicates() -> list[Pair]:
    return [
        Pair(kind, Topic(topic), _text(first), _text(second))
        for kind, topic, first, second in _rows("duplicates.tsv")
    ]


def near() -> list[Pair]:
    return [
        Pair("near", Topic(topic), _text(first), _text(second))
        for topic, first, second in _rows("near.tsv")
    ]


def _rows(name: str) -> list[list[str]]:
    lines = (_HERE / name).read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


def _text(cell: str) -> str:
    return cell.replace("\\n", "\n")
