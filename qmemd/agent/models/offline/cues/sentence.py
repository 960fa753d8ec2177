"""Cues that several words make together."""

from __future__ import annotations

from collections.abc import Sequence

from qmemd.agent.models.offline.cues.shapes import ADDRESSES
from qmemd.agent.models.offline.cues.words import Word

_PLACES = ADDRESSES | {"tool", "resource", "quoted"}
_PERSONS = frozenset({"i", "my", "me", "user", "he", "we", "you", "agent"})
_SELF = frozenset({"i", "me", "my", "user"})
_ABOUT_PEOPLE = frozenset({"gear", "skill", "life", "job", "lang", "prefer", "often", "people"})
_AUXILIARIES = frozenset({"is", "was", "has", "will", "can"})
_VERBS = _AUXILIARIES | {"must", "does", "did", "doing", "been", "located"}
_VERBS |= {"order", "tell", "want", "prefer", "changed"}
_ORDERS = frozenset({"order", "tell", "dont"})
_EVENTS = frozenset({"date", "due", "changed", "trouble"})
_LABEL_WITHIN = 7
_LABELLED_WITHIN = 8
"""Words of a label, and words after it, at most: "runbook for etcd: <address>"."""


def sentence_cues(words: Sequence[Word], kinds: set[str]) -> set[str]:
    """The shapes that the words form; ``kinds`` are all of theirs."""
    start = set(words[0].kinds) if words else set()
    holds = {
        "*address": kinds & ADDRESSES,
        "*in a place": _in_a_place(words),
        "*ask somebody": _ask_somebody(words),
        "*no verb": not kinds & _VERBS,
        "*no person": not kinds & _PERSONS,
        "*order": start & (_ORDERS | {"always", "please", "no"}),
        "*order in a later part": any(
            word.opens and (_ORDERS | {"see"}) & set(word.kinds) for word in words[1:]
        ),
        "*i and you": kinds & {"i", "me", "my"} and "you" in kinds,
        "*about a person": kinds & {"i", "my", "user", "he"}
        and kinds & _ABOUT_PEOPLE
        and "you" not in kinds,
        "*event": kinds & _EVENTS,
        "*system is": "system" in kinds and kinds & _AUXILIARIES and not kinds & (_SELF | {"you"}),
    }
    return {cue for cue, held in holds.items() if held} | _label(words)


def _near(words: Sequence[Word], at: int, reach: int) -> set[str]:
    """Kinds of the words that follow."""
    return {kind for word in words[at + 1 : at + 1 + reach] for kind in word.kinds}


def _in_a_place(words: Sequence[Word]) -> bool:
    """A small word, and a place soon after it: "in the wiki", "to #help"."""
    return any(
        {"in", "to"} & set(word.kinds) and _near(words, at, 3) & _PLACES
        for at, word in enumerate(words)
    )


def _ask_somebody(words: Sequence[Word]) -> bool:
    """A name soon after a word for asking: "ask Priya", "questions go to Dr. Sato"."""
    return any(
        "ask" in word.kinds
        and any(
            "name" in other.kinds or (other.capital and not other.opens and "i" not in other.kinds)
            for other in words[at + 1 : at + 6]
        )
        for at, word in enumerate(words)
    )


def _label(words: Sequence[Word]) -> set[str]:
    """A colon or an arrow after a few words: "runbook: <address>", "bugs -> board"."""
    for at, word in enumerate(words[:_LABEL_WITHIN]):
        if word.stop == ":" or "arrow" in word.kinds:
            rest = words[at + 1 :]
            short = len(rest) <= _LABELLED_WITHIN
            places = _PLACES | {"name"}
            found = short and any(places & set(other.kinds) for other in rest)
            return {"*label", "*label of a place"} if found else {"*label"}
    return set()
