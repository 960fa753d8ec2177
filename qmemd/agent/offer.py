"""Which entries a model may choose from: all of a small memory, the nearest of a large one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from qmemd.agent.models.offline.folded import Folded, fold_entries
from qmemd.agent.models.offline.query import read_query
from qmemd.agent.models.offline.ranking import rank
from qmemd.kinds import Scope
from qmemd.memory.entries import Entry
from qmemd.search.words import Terms, content_words, phrase_pattern

MAX_ENTRIES = 200
MAX_CHARACTERS = 60_000
"""Of ids, names, descriptions and texts together."""
MAX_TEXT = 4_000
"""Characters of one entry that are shown."""
_FRAME = 40
"""Characters that go with each entry."""
_MAX_WORDS = 64
_SEATED = 4
"""Each scope has at least one seat in so many, if it has entries for them."""


def make_offer(
    query: str,
    entries: Sequence[Entry],
    *,
    max_entries: int = MAX_ENTRIES,
    max_characters: int = MAX_CHARACTERS,
) -> list[Entry]:
    """The entries as a model may see them, long texts cut; best first when not all have room.

    First come those that hold the words of the query as they stand, then the others that hold
    some of them, best first, then the rest in the order given.
    """
    shown = [cut(entry) for entry in entries]
    if len(shown) <= max_entries and sum(map(_size, shown)) <= max_characters:
        return shown
    ranked = _ranked(query, shown)
    kept = _seat(ranked, max_entries, max_characters)
    return [entry for at, entry in enumerate(ranked) if at in kept]


def _seat(ranked: Sequence[Entry], max_entries: int, max_characters: int) -> set[int]:
    """Places of those that fit: the best of each scope first, so that none goes without."""
    first: list[int] = []
    for scope in Scope:
        mine = (at for at, entry in enumerate(ranked) if entry.scope is scope)
        first += _fitting(ranked, mine, max_entries // _SEATED, max_characters // _SEATED)
    left = max_characters - sum(_size(ranked[at]) for at in first)
    rest = (at for at in range(len(ranked)) if at not in set(first))
    return {*first, *_fitting(ranked, rest, max_entries - len(first), left)}


def _fitting(
    ranked: Sequence[Entry], places: Iterable[int], entries: int, characters: int
) -> list[int]:
    found: list[int] = []
    for at in places:
        if len(found) >= entries:
            break
        if _size(ranked[at]) <= characters:
            characters -= _size(ranked[at])
            found.append(at)
    return found


def _ranked(query: str, entries: Sequence[Entry]) -> list[Entry]:
    asked = read_query(query)
    pool = fold_entries(entries)
    terms = Terms()
    words = content_words(asked.target) or content_words(asked.whole)
    scored = rank(pool, [terms.of(word) for word in words[:_MAX_WORDS]], terms)
    phrases = [text for text in (asked.whole, asked.target, *asked.quoted) if text]
    literal = _holding(phrases, pool)
    order = {id(one): one for one in (*literal, *scored, *pool)}
    return [one.entry for one in order.values()]


def _holding(phrases: Sequence[str], pool: Sequence[Folded]) -> list[Folded]:
    patterns = [phrase_pattern(phrase) for phrase in phrases]
    return [one for one in pool if any(pattern.search(one.text) for pattern in patterns)]


def cut(entry: Entry) -> Entry:
    """The entry with no more of its text than is shown."""
    if len(entry.text) <= MAX_TEXT:
        return entry
    return replace(entry, text=f"{entry.text[:MAX_TEXT]}…")


def _size(entry: Entry) -> int:
    texts = (entry.entry_id, entry.name, entry.description, entry.text)
    return _FRAME + sum(map(len, texts))
