"""What words such as "to" and "by" lead to: "reports to Bob" is not "reports to Alice"."""

from __future__ import annotations

from collections.abc import Iterator

from qmemd.search.word_lists import STOP_WORDS
from qmemd.search.words import Terms, tokens

_LEADING = frozenset(
    [
        "above",
        "after",
        "because",
        "before",
        "behind",
        "below",
        "by",
        "from",
        "into",
        "over",
        "since",
        "than",
        "to",
        "under",
        "until",
    ]
)
_PAIRS = (
    ("above", "below"),
    ("after", "before"),
    ("from", "to"),
    ("over", "under"),
    ("since", "until"),
)
_OPPOSITE = dict(_PAIRS) | {right: left for left, right in _PAIRS}


def led_elsewhere(query: str, text: str, terms: Terms) -> bool:
    """Whether a word of the query that leads to something leads to something else in the text.

    Only where the text holds both, or the opposite: to say it in another way is no contradiction.

    Args:
        query: folded.
        text: a folded sentence of a memory.
        terms: tell which words are the same.
    """
    told = list(_led(text))
    for leading, wanted in _led(query):
        term = terms.of(wanted)
        if not terms.find(term, text):
            continue
        there = [word for other, word in told if other == leading]
        if any(terms.find(term, word) for word in there):
            continue
        opposite = _OPPOSITE.get(leading)
        if there or any(other == opposite and terms.find(term, word) for other, word in told):
            return True
    return False


def _led(text: str) -> Iterator[tuple[str, str]]:
    """Each leading word, and the first word behind it that says something."""
    words = tokens(text)
    for at, word in enumerate(words):
        if word in _LEADING:
            led = next((each for each in words[at + 1 :] if each not in STOP_WORDS), None)
            if led is not None:
                yield word, led
