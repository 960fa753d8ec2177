"""Picks the memories that a forget query names: only when sure, else it names the nearest."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace

from qmemd.agent.models.base import Choice
from qmemd.agent.models.offline.agreement import Agreement
from qmemd.agent.models.offline.folded import (
    Folded,
    all_equal,
    fold_entries,
    ids_of,
    is_called,
    is_mixed,
)
from qmemd.agent.models.offline.matching import is_phrase, without_article
from qmemd.agent.models.offline.query import MAX_COMMAND, ForgetQuery, read_query
from qmemd.agent.models.offline.ranking import rank
from qmemd.agent.models.offline.semantic.asking import only_asks
from qmemd.agent.models.offline.semantic.bearing import speak_for
from qmemd.agent.models.offline.semantic.embedder import Embedder, EmbeddingError
from qmemd.agent.models.offline.semantic.nearest import nearest
from qmemd.agent.models.offline.semantic.slots import takes_the_place
from qmemd.agent.models.offline.verdicts import (
    KEEPS,
    MAX_BROAD,
    MAX_BY_PHRASE,
    UNCLEAR,
    all_or_none,
    among_others,
    chosen,
    unsure,
)
from qmemd.memory.entries import Entry
from qmemd.memory.equality import equality_key
from qmemd.search.word_lists import LIGHT_UNLESS_TO, ONLY_LIGHT_BEFORE_OF
from qmemd.search.words import Term, Terms, content_words, fold, phrase_pattern

__all__ = ["MAX_BROAD", "MAX_BY_PHRASE", "choose_by_phrase", "choose_entries"]

_PAIR = 2
_HOW = re.compile(r"^how (?:long|often|many|much|far)\b")
_NOUN = re.compile(r"(?:the|my|our|your|his|her|their|a|an)\b")
_MEMORY_OF_A_MACHINE = re.compile(
    r"\b(?!(?:the|my|our|your|this|that|any|a|in|from|of|qmemd)\b)\w+ memory "
    r"(?!about|of|that|which)\w"
)
_SIMILAR_BY_ONE_WORD = 0.65
"""Cosine from which one telling word is enough."""
MOST_MISSING = 3
"""Words of a query that a memory may say in other words."""
MAX_SHARING = 200
"""Entries that share a word with the query and are looked at for their meaning."""
MAX_COMPARED = 1_000
"""In a larger memory meanings are not compared: a rival might be overlooked, or take too long."""
_MAX_WORDS = 64
"""A query of more words is a text; as such it is looked for, but not word by word."""


def choose_entries(
    query: str,
    entries: Sequence[Entry],
    embedder: Callable[[], Embedder | None] = lambda: None,
    check: Callable[[], None] = lambda: None,
) -> Choice:
    """The entries that the query names beyond doubt; else none, and the nearest by name.

    Args:
        query: as it was typed.
        entries: of which it may name some.
        embedder: asked for only when words alone do not decide; it may give none.
        check: called now and then while meanings are compared; what it raises ends the search.
    """
    asked = read_query(query)
    search = _Search(asked, entries)
    named = search.by_name()
    if named is not None or asked.keeps:
        return named or KEEPS
    found = search.by_phrase() or search.by_words()
    if not found.ids and search.may_be_paraphrased() and search.sharing():
        means = embedder()
        if means is not None and not means.broken:
            with suppress(EmbeddingError):
                found = search.by_meaning(means, check) or found
    return search.sure(found)


def choose_by_phrase(query: str, entries: Sequence[Entry]) -> Choice:
    """Only entries that hold the query word for word, at most five; else none."""
    search = _Search(replace(read_query(query), broad=False), entries)
    found = search.by_name() or search.by_phrase()
    if found is not None:
        found = search.sure(found)
    if found is None:
        return Choice((), "Nothing that is remembered holds these words.")
    if len(found.ids) > MAX_BY_PHRASE:
        return Choice((), f"{len(found.ids)} memories hold these words; nothing was removed.")
    return found


class _Search:
    def __init__(self, asked: ForgetQuery, entries: Sequence[Entry]) -> None:
        self._asked = asked
        self._pool = fold_entries(entries)
        self._terms = Terms()
        self._agreement = Agreement(asked, self._terms)
        self._content = content_words(_HOW.sub("", asked.target))
        if self._content and _MEMORY_OF_A_MACHINE.search(asked.target):
            self._content.append("memory")

    def by_name(self) -> Choice | None:
        """Entries whose whole text or name is the query, with or without its command."""
        for text in dict.fromkeys((self._asked.whole, self._asked.target.strip("\"'`"))):
            if not content_words(text):
                continue
            key = equality_key(text)
            found = [one for one in self._pool if is_called(one, text, key)]
            if found and (len(found) <= MAX_BY_PHRASE or all_equal(found)):
                return chosen(found[:MAX_BROAD], "It is named in full.")
        return None

    def sure(self, choice: Choice) -> Choice:
        """The choice less documents of several things, of which the query names only some."""
        mixed = [
            one
            for one in self._pool
            if one.entry.entry_id in choice.ids
            and is_mixed(one.entry)
            and not self._is_headline(one.entry)
        ]
        if not mixed:
            return choice
        rest = tuple(id_ for id_ in choice.ids if id_ not in ids_of(mixed))
        hint = among_others(mixed)
        return Choice(rest, f"{choice.reason} {hint}" if rest else hint, ids_of(mixed))

    def _is_headline(self, entry: Entry) -> bool:
        told = fold(entry.text)
        heads = (fold(text.rstrip("…")) for text in (entry.name, entry.description))
        head = " ".join(text for text in heads if text not in told)  # else it is only how it begins
        return all(
            self._terms.find(self._terms.of(word), head) for word in self._content[:_MAX_WORDS]
        )

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
                and any(
                    self._agreement.agrees(one, hit.span()) for hit in pattern.finditer(one.text)
                )
            ]
            if found:
                reason = f"The words “{phrase}” stand in it."
                return all_or_none(found, reason, broad=self._asked.broad)
        return None

    def by_words(self) -> Choice:
        """The one entry that holds all words of the query close together."""
        if not self._content:
            return UNCLEAR
        terms = self._all_terms()
        needed = [term for term in terms if not term.light]
        ranked = self._rank(terms)
        vague = all(term.generic for term in needed) or (
            len(needed) == 1 and not _is_telling(needed[0], self._asked)
        )
        long = len(self._content) > _MAX_WORDS
        covering = [] if vague or long else [one for one in ranked if self._covers(one, needed)]
        firm = [term for term in needed if not term.generic]
        if not covering and not long and _PAIR <= len(firm) < len(needed):
            needed = firm
            covering = [one for one in ranked if self._covers(one, needed)]
        if not covering:
            return unsure(ranked)
        if self._asked.broad:
            return all_or_none(covering, "It is about that.", broad=True)
        meant = (self._agreement.is_meant(one, needed) for one in covering)
        if not all_equal(covering) or not all(meant):
            return unsure(ranked)
        return chosen(covering[:MAX_BROAD], "No other memory holds all these words.")

    def may_be_paraphrased(self) -> bool:
        """Whether the query is about one thing that it describes in words of its own.

        One that says something may say the opposite of what is near to it.
        """
        asked = self._asked
        if not self._content or len(self._content) > _MAX_WORDS or asked.broad or asked.quoted:
            return False
        if len(self._pool) > MAX_COMPARED:
            return False
        return asked.names_a_thing or (not asked.statement and bool(_NOUN.match(asked.target)))

    def by_meaning(self, embedder: Embedder, check: Callable[[], None]) -> Choice | None:
        """The entry that is clearly nearest, if all words of the query speak for it.

        It holds them, or says the same in other words. Only entries that share a telling word with
        the query can be that; the others are compared last, since they may be rivals.
        """
        target = self._asked.target
        sharing = self.sharing()[:MAX_SHARING]
        found = nearest(target, [one.entry.text for one in sharing], embedder, check)
        if found is None or not found.clear:
            return None
        one = sharing[found.number]
        if not self._is_described(one, found.similarity, embedder):
            return None
        texts = [each.entry.text for each in self._pool]
        among_all = nearest(target, texts, embedder, check)
        if among_all is None or not among_all.clear or texts[among_all.number] != one.entry.text:
            return None
        alike = [each for each in self._pool if each.entry.text == one.entry.text]
        return chosen(alike[:MAX_BROAD], "It is the only one that is about that.")

    def _is_described(self, one: Folded, similarity: float, embedder: Embedder) -> bool:
        """Whether each telling word of the query stands in the entry or is a way of saying it."""
        told = self._telling()
        held = [term for term in told if self._terms.find(term, one.text)]
        missing = [
            term.word
            for term in told
            if term not in held and not only_asks(term.word, self._asked.target)
        ]
        if not held or len(missing) > MOST_MISSING:
            return False
        if len(told) < _PAIR and similarity < _SIMILAR_BY_ONE_WORD:
            return False
        if not self._covers(one, held) or not self._agreement.is_meant(one, held):
            return False
        if takes_the_place(self._asked.target, missing, fold(one.entry.text), self._terms):
            return False
        return not missing or speak_for(self._asked.target, missing, one.entry.text, embedder)

    def _telling(self) -> list[Term]:
        return [term for term in self._all_terms() if not (term.light or term.generic)]

    def sharing(self) -> list[Folded]:
        """The entries that hold a telling word of the query, best first."""
        return self._rank(self._telling())

    def _by_quotes(self) -> Choice:
        quoted = self._asked.quoted
        if not any(map(content_words, quoted)):
            return Choice((), "What is quoted names no memory; nothing was removed.")
        patterns = [phrase_pattern(text) for text in quoted]
        others = [self._terms.of(word) for word in content_words(self._asked.rest)]
        found = [
            one
            for one in self._pool
            if all(
                any(self._agreement.agrees(one, hit.span()) for hit in pattern.finditer(one.text))
                for pattern in patterns
            )
            and all(term.light or self._terms.find(term, one.text) for term in others)
        ]
        if not found:
            return unsure(self._rank(self._all_terms()))
        return all_or_none(found, "It holds what is quoted.", broad=self._asked.broad)

    def _all_terms(self) -> list[Term]:
        return [self._term(word) for word in self._content[:_MAX_WORDS]]

    def _term(self, word: str) -> Term:
        term = self._terms.of(word)
        # "The type of keyboard" is the keyboard; "type coverage" is another thing than coverage.
        counts = (word in ONLY_LIGHT_BEFORE_OF and f"{word} of " not in self._asked.target) or (
            word in LIGHT_UNLESS_TO and f"{word} to " in self._asked.target
        )
        return replace(term, light=False) if counts else term

    def _rank(self, terms: Sequence[Term]) -> list[Folded]:
        return rank(self._pool, terms, self._terms)

    def _covers(self, one: Folded, terms: Sequence[Term]) -> bool:
        return all(literal in one.text for literal in self._asked.literals) and all(
            self._terms.find(term, one.text) for term in terms
        )


def _is_telling(term: Term, asked: ForgetQuery) -> bool:
    """Whether one word alone can name a memory."""
    return term.has_digit or len(term.word) >= _PAIR or asked.broad
