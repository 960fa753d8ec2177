"""When two texts say the same: the one rule for duplicates.

Deliberately narrow. A score of likeness cannot tell "port 8080" from "port 8081".
"""

from __future__ import annotations

import re

# Only before a blank or at the end: "C#" is not "C", and "1.5" is not "15".
_PUNCTUATION = re.compile(r"[.,;:!?]+(?=\s|\Z)")


def equality_key(text: str) -> str:
    """Two texts are equal if and only if their keys are.

    Case, runs of blanks, and ``. , ; : ! ?`` before a blank or at the end do not count. A text
    that consists of nothing else is equal to itself only.
    """
    # Not casefold: it makes one word of the German "Maße" and "Masse".
    key = " ".join(_PUNCTUATION.sub("", text.lower()).split())
    # No other key starts with a blank.
    return key or f" {text}"
