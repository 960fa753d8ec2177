"""Which entries a forget takes out: a model names them, code decides which of them count."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from qmemd.agent.blots import Blots
from qmemd.agent.models.base import Choice, Model
from qmemd.agent.run import Run
from qmemd.errors import TaskFailedError
from qmemd.memory.entries import Entry
from qmemd.memory.equality import equality_key

_log = logging.getLogger(__name__)

MAX_REMOVED = 5
"""Different texts that one forget may take out."""
MAX_REMOVED_OF_ALL = 50
"""Entries that one forget may take out, when it asks for all of a named thing, or of one text."""
_MAX_NAME_WORDS = 8
_MAX_NAME = 60
"""Characters by which a thing is named; what is longer names none."""


@dataclass(frozen=True, slots=True)
class Selection:
    """What goes, and what there is to say about it."""

    entries: tuple[Entry, ...]
    reason: str
    """One sentence; tells why when there are no entries."""
    note: str = ""
    """A sentence that belongs to the summary in either case."""


def select(
    query: str, candidates: Sequence[Entry], model: Model, run: Run, blots: Blots
) -> Selection:
    """The entries that the model picks for the query, within bounds.

    A model that fails is not asked again: then only entries that hold the query word for word go.

    Raises:
        TaskFailedError: the run has to stop.
    """
    offered = _offered(query, candidates, model, blots)
    run.check()
    note = ""
    try:
        choice = model.choose(blots.text(query), list(offered.values()), run)
    except TaskFailedError as error:
        run.check()
        if error.code in ("task_cancelled", f"{run.kind.value}_timeout"):
            raise
        _log.warning("the model did not choose (%s); phrases alone decide", error.code)
        choice = _by_phrase(query, candidates)
        offered = {entry.entry_id: entry for entry in candidates}
        note = "The model could not be asked, so that only the very words of the query counted."
    run.check()
    picked = _picked(choice, offered, candidates)
    if refusal := _too_many(picked, query):
        _log.warning("a forget picked %d entries; none is removed", len(picked))
        return Selection((), refusal, note)
    return Selection(tuple(picked), choice.reason or "Nothing in the memory matches this.", note)


# What matches words is imported late: only a forget needs it.


def _offered(
    query: str, candidates: Sequence[Entry], model: Model, blots: Blots
) -> dict[str, Entry]:
    """What the model is shown, by the ids of the entries that it stands for."""
    if model.stays_local:
        return {entry.entry_id: entry for entry in candidates}
    from qmemd.agent.offer import cut, make_offer  # noqa: PLC0415

    whole = {entry.entry_id: entry for entry in candidates}
    near = make_offer(query, candidates)
    if not blots.active:
        return {entry.entry_id: entry for entry in near}
    # A secret has to be whole to be known for one.
    return {entry.entry_id: cut(blots.entry(whole[entry.entry_id])) for entry in near}


def _by_phrase(query: str, candidates: Sequence[Entry]) -> Choice:
    from qmemd.agent.models.offline.forgetting import choose_by_phrase  # noqa: PLC0415

    return choose_by_phrase(query, candidates)


def _picked(
    choice: Choice, offered: Mapping[str, Entry], candidates: Iterable[Entry]
) -> list[Entry]:
    """The entries behind the ids, each once; ids that were never offered are dropped."""
    allowed = {shown.entry_id: entry_id for entry_id, shown in offered.items()}
    whole = {entry.entry_id: entry for entry in candidates if entry.entry_id in offered}
    # A model's ids are whatever it made up.
    ids = list(dict.fromkeys(each for each in choice.ids if isinstance(each, str)))
    picked = [whole[allowed[each]] for each in ids if each in allowed]
    if dropped := len(choice.ids) - len(picked):
        _log.warning("dropped %d ids of entries that were not offered, or repeated", dropped)
    return picked


def _too_many(picked: Sequence[Entry], query: str) -> str | None:
    """Why so many must not go, if so. To take the first few of them would be to guess."""
    texts = {equality_key(entry.text) for entry in picked}
    if len(picked) > MAX_REMOVED_OF_ALL:
        most = MAX_REMOVED_OF_ALL
    elif len(texts) > MAX_REMOVED and not _asks_for_all(query):
        most = MAX_REMOVED
    else:
        return None
    return (
        f"{len(picked)} memories were picked, which is more than the {most} that may go at once; "
        "nothing was removed. Say it more narrowly"
        + (", or ask for everything about one thing." if most == MAX_REMOVED else ".")
    )


def _asks_for_all(query: str) -> bool:
    from qmemd.agent.models.offline.query import read_query  # noqa: PLC0415
    from qmemd.search.words import content_words  # noqa: PLC0415

    asked = read_query(query)
    short = len(asked.target.split()) <= _MAX_NAME_WORDS and len(asked.target) <= _MAX_NAME
    return asked.broad and short and bool(content_words(asked.target))
