"""What in a fact tells its type: the kinds of its words, and a few shapes of the sentence.

Cues carry no weight of their own; ``weights`` says what each of them speaks for.
"""

from __future__ import annotations

from qmemd.agent.models.offline.cues.sentence import sentence_cues
from qmemd.agent.models.offline.cues.unspaced import unspaced_cues
from qmemd.agent.models.offline.cues.words import words_of

__all__ = ["cues_of"]

ANY = "(any)"


def cues_of(fact: str) -> set[str]:
    """Names of all cues in the fact: ``kind``, ``^kind`` for its first word, ``*shape``."""
    words = words_of(fact)
    kinds = {kind for word in words for kind in word.kinds}
    first = {f"^{kind}" for word in words[:1] for kind in word.kinds}
    return {ANY} | kinds | first | sentence_cues(words, kinds) | unspaced_cues(fact)
