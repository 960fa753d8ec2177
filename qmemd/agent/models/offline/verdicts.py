"""What the search for a forget query comes to: all that was found, or nothing and the nearest."""

from __future__ import annotations

from collections.abc import Sequence

from qmemd.agent.models.base import Choice
from qmemd.agent.models.offline.folded import Folded, all_equal, ids_of, names_of

MAX_BY_PHRASE = 5
"""So many go for a phrase that they share; more only when all are asked for."""
MAX_BROAD = 50
_NAMED = 5

KEEPS = Choice(
    (), "The query says what to keep, or asks something; nothing was removed. Say what to forget."
)
UNCLEAR = Choice((), "The query does not say which memory is meant; nothing was removed.")


def chosen(found: Sequence[Folded], reason: str) -> Choice:
    return Choice(ids_of(found), reason)


def all_or_none(found: Sequence[Folded], reason: str, *, broad: bool) -> Choice:
    """All of them, unless they are more than was asked for."""
    limit = MAX_BROAD if broad or all_equal(found) else MAX_BY_PHRASE
    if len(found) <= limit:
        return chosen(found, reason)
    hint = (
        f"That is more than {MAX_BROAD} at once; say it more narrowly."
        if broad
        else "Say it more narrowly, or ask for everything about it."
    )
    return Choice(
        (),
        f"{len(found)} memories match, among them {names_of(found, _NAMED)}; nothing was removed. "
        f"{hint}",
        ids_of(found[:_NAMED]),
    )


def among_others(mixed: Sequence[Folded]) -> str:
    """Says of documents that they hold what was named among other things."""
    places = ", ".join(one.entry.path for one in mixed[:_NAMED])
    return (
        f"What is named stands among other things in {places}, which stays: edit it, or give its "
        "full name to remove the whole document."
    )


def unsure(ranked: Sequence[Folded]) -> Choice:
    """None of them, best first."""
    if not ranked:
        return Choice((), "Nothing that is remembered matches; nothing was removed.")
    return Choice(
        (),
        "No memory matches beyond doubt; nothing was removed. Nearest: "
        f"{names_of(ranked, _NAMED)}. Give the full name, or words that stand together in it.",
        ids_of(ranked[:_NAMED]),
    )
