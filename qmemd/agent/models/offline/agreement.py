"""Whether an entry that holds the words of a query also means what the query means."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from qmemd.agent.models.offline.folded import SEPARATOR, Folded
from qmemd.agent.models.offline.matching import (
    closest,
    crosses_clauses,
    first_is_last,
    in_order,
    inflects,
    said_at,
    swapped,
)
from qmemd.agent.models.offline.query import ForgetQuery
from qmemd.agent.models.offline.relations import led_elsewhere
from qmemd.kinds import Topic
from qmemd.search.word_lists import NEGATION, STOP_WORDS
from qmemd.search.words import Term, Terms, tokens

_PAIR = 2
_WINDOW = 90
"""Characters for each word within which the words of a query must stand together."""
_NUMBER_NEAR = re.compile(r"[\w'-]*\W{1,3}(?:(?:is|to|number|no)\W+)?v?(\d[\w.-]*\w|\d)")
_NEGATED_BEFORE = re.compile(rf"(?:{NEGATION.pattern})(?:\W+(?:ever|to|be))?\W*$")
"""Ends right where the words begin: "never deploy" is not "deploy"."""
_DOES = re.compile(r"(?:us(?:e|es|ing)|prefers?|likes?|wants?|needs?)\b")
"""A query that begins so says what is done, though without saying who does it."""
_ASKS_OF = re.compile(r"(?:where|when|why|how)\b")
_SAYS = re.compile(r"\w (?:the|a|an|his|her|its|their) ")
"""Likely to stand in a sentence, and not in a row of key words."""
_REORDERS = re.compile(r"\b(?:of|in|on|for|with|at|about|against)\b")
_SUBORDINATE = re.compile(r"\b(?:since|because|while|whereas|although|though|unless|if|when|as)\b")
_JOINS = re.compile(r",\s|\s(?:and|und|et|y|&)\s")
_ABOUT_USER = (Topic.USER, Topic.FEEDBACK)


class Agreement:
    """Judges entries against one query."""

    def __init__(self, asked: ForgetQuery, terms: Terms) -> None:
        self._asked = asked
        self._terms = terms

    def agrees(self, one: Folded, span: tuple[int, int]) -> bool:
        """Whether the entry says, at this place, nothing that contradicts the query."""
        asked = self._asked
        if not all(literal in one.text for literal in asked.literals):
            return False
        if asked.of_user and asked.statement and one.entry.topic not in _ABOUT_USER:
            return False
        if not asked.negated and NEGATION.search(one.text, *span):
            return False
        if not asked.negated and _NEGATED_BEFORE.search(one.text[max(0, span[0] - 40) : span[0]]):
            return False
        return self._says_the_same(said_at(one.text, span))

    def _says_the_same(self, said: str) -> bool:
        """Whether what is said is denied where the query denies it, and only there."""
        asked = self._asked
        if asked.negated:
            return len(NEGATION.findall(said)) == len(NEGATION.findall(asked.rest))
        if asked.statement or _DOES.match(asked.target):
            return not NEGATION.search(said)
        return True

    def is_meant(self, one: Folded, terms: Sequence[Term]) -> bool:
        """Whether nothing speaks against an entry that holds all the words."""
        if len(terms) == 1:
            found = self._terms.find(terms[0], one.text)
            alike = any(inflects(form, terms[0]) for _, form in found)
            return alike and any(self.agrees(one, (at, at)) for at, _ in found)
        places = sorted(
            (at, number)
            for number, term in enumerate(terms)
            for at, _ in self._terms.find(term, one.text)
        )
        span = self._span(one, places, len(terms))
        if span is None or span[1] - span[0] > _WINDOW * len(terms):
            return False
        if self._turns_round(one, places, span, len(terms)):
            return False
        return self.agrees(one, span) and not self._names_other_number(one)

    def _turns_round(
        self, one: Folded, places: Sequence[tuple[int, int]], span: tuple[int, int], wanted: int
    ) -> bool:
        """Whether the words stand there with other parts to play than in the query."""
        asked = self._asked
        if asked.names_a_thing:
            # "Where contracts with carriers are", "carrier contracts are": order says little.
            exact = wanted > _PAIR or (asked.statement and not _ASKS_OF.match(asked.target))
            turned = exact and swapped(places, span, wanted)
        elif asked.statement:
            turned = not in_order(places, span)
        else:
            strict = _SAYS.search(asked.target) and not _REORDERS.search(asked.target)
            turned = wanted > _PAIR and (
                not in_order(places, span) if strict else first_is_last(places, span)
            )
        if turned:
            return True
        says = asked.statement and not asked.names_a_thing
        if says and _SUBORDINATE.search(one.text, *span):
            return True
        if crosses_clauses(one.text, span) and not (
            _JOINS.search(asked.target) and in_order(places, span)
        ):
            return True
        return led_elsewhere(self._asked.target, said_at(one.text, span), self._terms)

    @staticmethod
    def _span(
        one: Folded, places: Sequence[tuple[int, int]], wanted: int
    ) -> tuple[int, int] | None:
        """Where the words stand together: best in the name or in the text, else over both."""
        found = []
        start = 0
        for part in one.text.split(SEPARATOR):
            end = start + len(part)
            inside = [place for place in places if start <= place[0] < end]
            if span := closest(inside, wanted):
                found.append(span)
            start = end + len(SEPARATOR)
        if found:
            return min(found, key=lambda span: span[1] - span[0])
        return closest(places, wanted)

    def _names_other_number(self, one: Folded) -> bool:
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
            if near and number.lstrip("#").removeprefix("v") not in near:
                return True
        return False
