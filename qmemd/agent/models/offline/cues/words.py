"""A fact as a row of words with their kinds."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from qmemd.agent.models.offline.cues.lexicon import KINDS
from qmemd.agent.models.offline.cues.shapes import ending_of, shape_of

LOOKED_AT = 800
"""Characters of a fact that decide; what follows is detail."""

_QUOTES = "\"'\u201c\u201d\u201e\u00ab\u00bb\u2018`\u300c"
_AROUND = f"{_QUOTES}()[]*.,;:!?\u2026\u300d"
_STOPS = ".,;:!?"
_DASHES = ("-", "\u2013", "\u2014", "|", "->", "\u2192")
_LONGEST = 4
"""Words in the longest phrase of the lexicon."""

_LEAD_IN = (
    r"(?:[\s\-*>#\"'`,:]|(?:please|hey|ok|okay|so|also|fyi|and)\b(?=[ ,:])|(?:can|could) you\b|"
    r"you should know\b|"
    r"(?:please )?(?:remember|note|save|keep in mind|memori[sz]e|store|be aware|don't forget)"
    r"(?: this| in memory| to memory)?(?: that\b|:)|remember\b(?= i)|"
    r"(?:note|fact|reminder|memory|tip|todo)\s*:)+"
)


class Word(NamedTuple):
    """A word, or a phrase that the lexicon knows as one."""

    kinds: tuple[str, ...]
    opens: bool
    """It is the first of the fact, or of a part after a stop."""
    stop: str
    """The punctuation right after it."""
    capital: bool


def words_of(fact: str) -> list[Word]:
    """The words of a fact, without what people say before it ("remember that")."""
    text = " ".join(fact[:LOOKED_AT].replace("\u2019", "'").split())
    lead_in = re.match(_LEAD_IN, text, re.IGNORECASE)
    typed = text[lead_in.end() if lead_in else 0 :].split()
    bare = [word.strip(_AROUND) or word for word in typed]
    folded = [word.lower() for word in bare]
    stops = [word[-1] if word[-1] in _STOPS else "" for word in typed]
    words: list[Word] = []
    opens, at = True, 0
    while at < len(typed):
        opens = opens or typed[at] in _DASHES
        size, kinds = _longest_phrase(folded, stops, at)
        capital = bare[at][0].isupper()
        if not kinds:
            kinds = _kinds_alone(folded[at], is_name=capital and not opens)
            if typed[at][0] in _QUOTES:
                kinds = (*kinds, "quoted")
        last = at + size - 1
        words.append(Word(kinds, opens, stops[last], capital))
        opens = bool(stops[last]) or typed[last][-1] == ")" or typed[last] in _DASHES
        at += size
    return words


def _longest_phrase(folded: list[str], stops: list[str], at: int) -> tuple[int, tuple[str, ...]]:
    for size in range(min(_LONGEST, len(folded) - at), 1, -1):
        if not any(stops[at : at + size - 1]):
            kinds = _lexicon().get("_".join(folded[at : at + size]))
            if kinds:
                return size, kinds
    return 1, ()


def _kinds_alone(word: str, *, is_name: bool) -> tuple[str, ...]:
    lexicon = _lexicon()
    kinds = lexicon.get(word) or lexicon.get(word.removesuffix("'s"))
    if kinds:
        return kinds
    kind = shape_of(word) or ending_of(word, _verbs())
    if kind:
        return (kind,)
    if word.endswith("s") and word[:-1] in lexicon:
        return lexicon[word[:-1]]
    return ("name",) if is_name else ()


@cache
def _lexicon() -> dict[str, tuple[str, ...]]:
    """Made on first use: a child that only forgets never pays for it."""
    lexicon: dict[str, tuple[str, ...]] = {}
    for kind, words in KINDS.items():
        own = dict.fromkeys(words.split(), (kind,))
        lexicon |= own | {word: (*lexicon[word], kind) for word in own.keys() & lexicon.keys()}
    return lexicon


@cache
def _verbs() -> frozenset[str]:
    return frozenset(f"{KINDS['tell']} {KINDS['order']}".split())
