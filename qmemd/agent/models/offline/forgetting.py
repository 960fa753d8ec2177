"""Picks the memories that a forget query names: only when sure, else it names the nearest."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from qmemd.agent.models.base import Choice
from qmemd.agent.models.offline import bm25
from qmemd.agent.models.offline.matching import (
    closest,
    content_words,
    inflects,
    is_phrase,
    sentences_at,
    swapped,
    without_article,
)
from qmemd.agent.models.offline.query import MAX_COMMAND, ForgetQuery, read_query
from qmemd.agent.models.offline.words import (
    NEGATION,
    STOP_WORDS,
    Term,
    Terms,
    fold,
    phrase_pattern,
    tokens,
)
from qmemd.kinds import Topic
from qmemd.memory.entries import Entry
from qmemd.memory.equality import equality_key

MAX_BY_PHRASE = 5
"""So many go for a phrase that they share; more only when all are asked for."""
MAX_BROAD = 50
_NAMED = 5
_WINDOW = 90
"""Characters for each word within which the words of a query must stand together."""
_PAIR = 2
_LABEL = 60
_MAX_WORDS = 64
"""A query of more words is a text; as such it is looked for, but not word by word."""
_NUMBER_NEAR = re.compile(r"[\w'-]*\W{1,3}(?:(?:is|to|number|no)\W+)?v?(\d[\w.-]*\w|\d)")


@dataclass(frozen=True, slots=True)
class _Folded:
    """An entry with its text ready for matching."""

    entry: Entry
    text: str


def choose_entries(query: str, entries: Sequence[Entry]) -> Choice:
    """The entries that the query names beyond doubt; else none, and the nearest by name."""
    asked = read_query(query)
    pool = [_Folded(entry, _text_of(entry)) for entry in entries]
    chooser = _Chooser(asked, pool)
    exact = chooser.exact()
    if exact:
        return _chosen(exact, "It is named in full.")
    by_phrase = chooser.by_phrase()
    if by_phrase:
        return by_phrase
    if not chooser.content:
        return Choice((), "The query does not say which memory is meant; nothing was removed.")
    return chooser.by_words()


class _Chooser:
    def __init__(self, asked: ForgetQuery, pool: list[_Folded]) -> None:
        self._asked = asked
        self._pool = pool
        self._terms = Terms()
        self.content = content_words(asked.target)

    def exact(self) -> list[_Folded]:
        """Entries whose whole text or name is the query, with or without its command."""
        for text in dict.fromkeys((self._asked.whole, self._asked.target.strip("\"'`"))):
            if not content_words(text):
                continue
            key = equality_key(text)
            found = [one for one in self._pool if _is_called(one, text, key)]
            if found and (len(found) <= MAX_BY_PHRASE or _all_equal(found)):
                return found[:MAX_BROAD]
        return []

    def by_phrase(self) -> Choice | None:
        """Entries in which the words stand together, as quoted or as typed."""
        if self._asked.quoted:
            return self._by_quotes()
        for phrase in dict.fromkeys((self._asked.whole, without_article(self._asked.target))):
            if len(phrase) > MAX_COMMAND or not is_phrase(phrase):
                continue
            pattern = phrase_pattern(phrase)
            hint = max(phrase.split(), key=len).rstrip(".,;:!?")
            found = [
                one
                for one in self._pool
                if hint in one.text
                and any(self._agrees(one, hit.span()) for hit in pattern.finditer(one.text))
            ]
            if found:
                return self._all_or_none(found, f"The words “{phrase}” stand in it.")
        return None

    def _by_quotes(self) -> Choice:
        quoted = [text for text in self._asked.quoted if content_words(text)]
        if not quoted:
            return Choice((), "What is quoted names no memory; nothing was removed.")
        patterns = [phrase_pattern(text) for text in quoted]
        others = [self._terms.of(word) for word in content_words(self._asked.rest)]
        found = [
            one
            for one in self._pool
            if all(pattern.search(one.text) for pattern in patterns)
            and all(term.light or self._terms.find(term, one.text) for term in others)
        ]
        if not found:
            return self._unsure(self._rank(self._all_terms()))
        return self._all_or_none(found, "It holds what is quoted.")

    def by_words(self) -> Choice:
        """The one entry that holds all words of the query close together."""
        terms = self._all_terms()
        needed = [term for term in terms if not term.light]
        ranked = self._rank(terms)
        if not needed or (len(needed) == 1 and not _is_telling(needed[0], self._asked)):
            return self._unsure(ranked)
        if len(self.content) > _MAX_WORDS:
            return self._unsure(ranked)
        covering = [one for one in ranked if self._covers(one, needed)]
        if not covering:
            return self._unsure(ranked)
        if self._asked.broad:
            return self._all_or_none(covering, "It is about that.")
        if not _all_equal(covering) or not all(self._is_meant(one, needed) for one in covering):
            return self._unsure(ranked)
        return _chosen(covering[:MAX_BROAD], "No other memory holds all these words.")

    def _all_terms(self) -> list[Term]:
        return [self._terms.of(word) for word in self.content[:_MAX_WORDS]]

    def _rank(self, terms: Sequence[Term]) -> list[_Folded]:
        """Entries with at least one of the words, best first."""
        counts: list[dict[str, int]] = []
        for one in self._pool:
            places = {term.word: len(self._terms.find(term, one.text)) for term in terms}
            counts.append({word: number for word, number in places.items() if number})
        scores = bm25.scores(counts, [len(one.text) for one in self._pool])
        best = sorted((at for at, score in enumerate(scores) if score), key=lambda at: -scores[at])
        return [self._pool[at] for at in best]

    def _covers(self, one: _Folded, terms: Sequence[Term]) -> bool:
        return all(literal in one.text for literal in self._asked.literals) and all(
            self._terms.find(term, one.text) for term in terms
        )

    def _is_meant(self, one: _Folded, terms: Sequence[Term]) -> bool:
        """Whether nothing speaks against an entry that holds all the words."""
        if len(terms) == 1:
            found = self._terms.find(terms[0], one.text)
            alike = any(inflects(form, terms[0]) for _, form in found)
            return alike and any(self._agrees(one, (at, at)) for at, _ in found)
        places = sorted(
            (at, number)
            for number, term in enumerate(terms)
            for at, _ in self._terms.find(term, one.text)
        )
        span = closest(places, len(terms))
        if span is None or span[1] - span[0] > _WINDOW * len(terms):
            return False
        if self._asked.statement and swapped(places, span, len(terms)):
            return False
        return self._agrees(one, span) and not self._names_other_number(one)

    def _agrees(self, one: _Folded, span: tuple[int, int]) -> bool:
        """Whether the entry says, at this place, nothing that contradicts the query."""
        asked = self._asked
        if not all(literal in one.text for literal in asked.literals):
            return False
        if asked.of_user and asked.statement and one.entry.topic not in _ABOUT_USER:
            return False
        if not asked.statement and not asked.negated:
            return True
        return asked.negated == bool(NEGATION.search(sentences_at(one.text, span)))

    def _names_other_number(self, one: _Folded) -> bool:
        """Whether the word before a number of the query has another number in the entry."""
        words = tokens(self._asked.target)
        for before, number in pairwise(words):
            if not number[-1:].isdigit() or before in STOP_WORDS:
                continue
            near = [
                hit[1]
                for at, _ in self._terms.find(self._terms.of(before), one.text)
                if (hit := _NUMBER_NEAR.match(one.text, at))
            ]
            if near and number.removeprefix("v") not in near:
                return True
        return False

    def _all_or_none(self, found: list[_Folded], reason: str) -> Choice:
        limit = MAX_BROAD if self._asked.broad or _all_equal(found) else MAX_BY_PHRASE
        if len(found) <= limit:
            return _chosen(found, reason)
        hint = (
            f"That is more than {MAX_BROAD} at once; say it more narrowly."
            if self._asked.broad
            else "Say it more narrowly, or ask for everything about it."
        )
        return Choice(
            (),
            f"{len(found)} memories match, among them {_names(found)}; nothing was removed. {hint}",
            _ids(found[:_NAMED]),
        )

    def _unsure(self, ranked: list[_Folded]) -> Choice:
        if not ranked:
            return Choice((), "Nothing that is remembered matches; nothing was removed.")
        return Choice(
            (),
            f"No memory matches beyond doubt; nothing was removed. Nearest: {_names(ranked)}. "
            "Give the full name, or words that stand together in it.",
            _ids(ranked[:_NAMED]),
        )


_ABOUT_USER = (Topic.USER, Topic.FEEDBACK)


def _text_of(entry: Entry) -> str:
    """What is searched. A name that several entries of a list share tells none of them apart."""
    if entry.number is not None:
        return fold(entry.text)
    text = fold(entry.text)
    description = fold(entry.description.rstrip("…"))
    # Most descriptions are how the text begins; twice would bring far words close together.
    told = text if description in text else f"{description} ; {text}"
    return f"{fold(entry.name)} ; {told}"


def _is_called(one: _Folded, text: str, key: str) -> bool:
    entry = one.entry
    if text in (entry.entry_id.lower(), entry.path.lower()):
        return True
    if entry.number is None and fold(entry.name).strip(" .,;:!?") == text:
        return True
    return abs(len(entry.text) - len(text)) < len(text) + 9 and equality_key(entry.text) == key


def _is_telling(term: Term, asked: ForgetQuery) -> bool:
    """Whether one word alone can name a memory."""
    return term.has_digit or len(term.word) >= _PAIR or asked.broad


def _all_equal(found: Iterable[_Folded]) -> bool:
    return len({equality_key(one.entry.text) for one in found}) == 1


def _chosen(found: Sequence[_Folded], reason: str) -> Choice:
    return Choice(_ids(found), reason)


def _ids(found: Sequence[_Folded]) -> tuple[str, ...]:
    return tuple(one.entry.entry_id for one in found)


def _names(found: Sequence[_Folded]) -> str:
    return ", ".join(f"“{_label(one.entry)}”" for one in found[:_NAMED])


def _label(entry: Entry) -> str:
    label = " ".join((entry.name if entry.number is None else entry.description).split())
    return label if len(label) <= _LABEL else label[: _LABEL - 1].rstrip() + "…"
