"""Tells the type of a fact, and where it belongs: a sum of weights over the cues in its text."""

from __future__ import annotations

from functools import cache

from qmemd.agent.models.offline.cues import cues_of
from qmemd.agent.models.offline.cues.weights import WEIGHTS
from qmemd.kinds import Scope, Topic

OUTCOMES = (
    (Topic.USER, Scope.USER),
    (Topic.FEEDBACK, Scope.USER),
    (Topic.FEEDBACK, Scope.PROJECT),
    (Topic.PROJECT, Scope.PROJECT),
    (Topic.REFERENCE, Scope.USER),
    (Topic.REFERENCE, Scope.PROJECT),
)
"""The columns of the table of weights."""


def classify(fact: str) -> tuple[Topic, Scope]:
    """The type and root that the cues of the fact speak for most."""
    weights = _weights()
    rows = [weights[cue] for cue in cues_of(fact) if cue in weights]
    totals = [sum(column) for column in zip(*rows, strict=True)]
    return OUTCOMES[totals.index(max(totals))]


@cache
def _weights() -> dict[str, tuple[int, ...]]:
    """Read on first use: a child that only forgets never pays for it."""
    rows = (line.split("|") for line in WEIGHTS.strip().splitlines())
    return {cue.strip(): tuple(map(int, row.split())) for cue, row in rows}
