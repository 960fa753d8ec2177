"""Words that belong to how something is asked for, and say nothing about the thing itself."""

from __future__ import annotations

import re

_LIGHT_VERBS_TEXT = """
get gets got go goes come comes came happen happens find finds see sees look looks take takes
keep keeps put puts happened being given called works
"""
_LIGHT_VERBS = frozenset(_LIGHT_VERBS_TEXT.split())
_PLACING_TEXT = """
found located kept stored recorded filed documented described listed collected saved reported
looked seen placed put published gathered held hosted lives live lie lies
"""
_PLACING = frozenset(_PLACING_TEXT.split())
"""Of a place it does not matter by which of these words one asks for it."""
_ASKS_FOR_A_PLACE = re.compile(r"(?:the (?:place|location|address|link|folder)\b.*\b)?where\b")
_SORT_OF_MEMORY = re.compile(
    r"(?:the|my|our|your) (?P<sort>policy|requirement|request|wish|ban|habit|demand|advice|"
    r"agreement|instruction|order|remark|complaint|arrangement|reason|decision) "
    r"(?:about|to|for|that|of|against|on|not|why|with)\b"
)
_SOMEONE = re.compile(r"\bone (?:can|could|may|might|should|must|has|would)\b")


def only_asks(word: str, query: str) -> bool:
    """Whether a word of a folded query need not be said by what it asks for."""
    if word in _LIGHT_VERBS:
        return True
    if word == "one" and _SOMEONE.search(query):
        return True
    sort = _SORT_OF_MEMORY.match(query)
    if sort and sort["sort"] == word:
        return True
    return word in _PLACING and bool(_ASKS_FOR_A_PLACE.match(query))
