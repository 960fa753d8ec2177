"""Cues of texts that put no blanks between words."""

from __future__ import annotations

from qmemd.agent.models.offline.cues.lexicon import UNSPACED
from qmemd.agent.models.offline.cues.words import LOOKED_AT


def unspaced_cues(fact: str) -> set[str]:
    """Kinds of the Chinese and Japanese words in the fact."""
    text = fact[:LOOKED_AT].lower()
    if not any("\u3040" <= letter <= "\u9fff" for letter in text):
        return set()
    found = set()
    for kind, words in UNSPACED.items():
        for word in words.split():
            if word in text:
                found.add(kind)
                if text.startswith(word):
                    found.add(f"^{kind}")
    return found
