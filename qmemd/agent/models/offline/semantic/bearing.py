"""Whether the words of a query that a memory does not hold speak for it, or against it.

"The nightly job that generates reports" is near to a memory of the nightly job that generates
invoices, and does not mean it. What tells is the query without the word: if the word is another way
of saying what the memory says, the query is less near without it; if it says something else, the
query is as near or nearer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from qmemd.agent.models.offline.semantic.embedder import Embedder

LEAST_BEARING = 0.03
"""By how much the cosine has to fall without the word."""
_EXCLUSIVE_TEXT = """
monday tuesday wednesday thursday friday saturday sunday weekday weekend
mondays tuesdays wednesdays thursdays fridays saturdays sundays
january february march april may june july august september october november december
spring summer autumn winter
light dark bright black white red green blue yellow orange purple pink brown grey gray
morning noon afternoon evening night midnight
first second third last next previous one two three four five six seven eight nine ten
small large short long big little few many old new fast slow high low left right
daily weekly monthly yearly quarterly annual hourly nightly
development staging production test testing
memory disk cpu network storage
linux macos windows android ios
"""
_EXCLUSIVE = frozenset(_EXCLUSIVE_TEXT.split())
"""Words of which a thing is one and not another, however alike they are in meaning."""


def speak_for(query: str, missing: Sequence[str], text: str, embedder: Embedder) -> bool:
    """Whether each of the missing words is another way of saying what the text says.

    Args:
        query: folded.
        missing: words of the query that the text does not hold, folded.
        text: of the memory.
        embedder: tells what is near.
    """
    if any(_decides(word) for word in missing):
        return False
    without = [_less(query, word) for word in missing]
    memory, whole, *less = embedder.points([text, query, *without])
    near = float(memory @ whole)
    return all(near - float(memory @ point) >= LEAST_BEARING for point in less)


def _decides(word: str) -> bool:
    """Whether a word has to stand in what is meant."""
    return any(letter.isdigit() for letter in word) or word in _EXCLUSIVE


def _less(query: str, word: str) -> str:
    return " ".join(re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", " ", query).split())
