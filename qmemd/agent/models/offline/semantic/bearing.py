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

LEAST_BEARING = 0.05
"""By how much the cosine has to fall without the word; of words put in at random 1 in 250 comes to
0.03 where the memory is near, but words of a kind with those of the memory come nearer."""
_EXCLUSIVE_TEXT = """
monday tuesday wednesday thursday friday saturday sunday weekday weekend
mondays tuesdays wednesdays thursdays fridays saturdays sundays
january february march april may june july august september october november december
spring summer autumn winter
light dark bright black white red green blue yellow orange purple pink brown grey gray
morning noon afternoon evening night midnight
first second third last next previous one two three four five six seven eight nine ten
eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty
fifty sixty seventy eighty ninety hundred thousand million half double single both
small large short long big little few many old new fast slow high low left right
daily weekly monthly yearly quarterly annual hourly nightly
development staging production test testing
memory disk cpu network storage
linux macos windows android ios
american british english german french spanish portuguese italian dutch polish swedish norwegian
danish finnish russian chinese japanese korean turkish greek european asian african
begin begins end ends start starts stop stops finish finishes open opens close closes opened closed
enable enables enabled disable disables disabled allow allows allowed forbid forbids forbidden
increase increases decrease decreases add adds added minimum maximum min max above below
oldest newest latest earliest public private internal external frontend backend client server
inbound outbound incoming outgoing upload uploads download downloads read write reads writes
expert beginner junior senior optional required sync async manual automatic
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
