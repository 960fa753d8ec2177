"""Telling text from a note that stands for it, such as "... rest unchanged ...".

Language models write such notes where they were to repeat a text. Stored, the note would replace
what it speaks of. So would the mark that a model is shown in the place of a secret.
"""

from __future__ import annotations

import re

from qmemd.memory.secrets import MARK

_MAX_LINE = 200
"""Characters; a longer line is a text."""
_DECORATION = " \t#/*-+_=~`|>:;,.…"
_BRACKETS = "()[]{}<>"
_ELLIPSIS = re.compile(r"\.{3,}|…")

_WHAT = (
    r"(?:rest|remainder|remaining|existing|previous|prior|original|old|current|other|same|"
    r"everything else|all else|unchanged|above|below)"
)
_THING = (
    r"(?:rest|content|contents|text|texts|file|document|lines?|bullets?|entr(?:y|ies)|items?|"
    r"sections?|parts?|facts?|notes?|bod(?:y|ies)|front ?matter|head(?:er)?|memory|memories|code|"
    r"list)"
)
_STATE = (
    r"(?:(?:is|are|was|were|stays?|remains?|left|kept|being|to be)? ?"
    r"(?:exactly |all )?(?:unchanged|unmodified|untouched|intact|the same|as[ -]is|as before|"
    r"as above|omitted|truncated|unaltered|snipped|elided|here|continues?|stays?|remains?|kept))"
)
_NOTE = re.compile(
    rf"(?:(?:keep|leave|insert|include|with|and|plus|see) )?(?:all )?(?:the |of the )*{_WHAT}"
    rf"(?: (?:of|in|from) (?:the |this |its )?)?(?: ?{_WHAT})?(?: ?{_THING}){{0,3}}"
    rf"(?: (?:of|in|from) (?:the |this )?{_THING})?(?: ?{_STATE})?(?: ?for brevity)?|"
    rf"(?:the |all )?(?:{_THING} )?{_STATE}(?: for brevity)?|"
    r"no (?:other )?changes?(?: here| below| above)?|snip(?:ped)?|(?:etc|and so on)|"
    r"(?:content|text) (?:goes )?here",
)
_SAYS_SO = re.compile(
    r"\b(?:rest|remainder|remaining|existing|previous|prior|original|unchanged|unmodified|"
    r"omitted|truncated|untouched|intact|snip(?:ped)?|brevity)\b"
)
# Not the text of a link.
_INLINE = re.compile(r"[(\[<{]([^()\[\]<>{}]{3,80})[)\]>}](?![(\[])")
_MEANS_THE_TEXT = re.compile(r"\b(?:rest|remainder|remaining|existing|previous|original)\b")


def find_placeholder(after: str, known: str = "") -> str | None:
    """The first line that stands for a text instead of being one; lines of ``known`` are texts."""
    there = {line.strip() for line in known.splitlines()}
    for line in after.splitlines():
        stripped = line.strip()
        if not stripped or stripped in there:
            continue
        if MARK.search(stripped) or (len(stripped) <= _MAX_LINE and _stands(stripped)):
            return stripped
    return None


def _stands(line: str) -> bool:
    if line in ("---", "..."):
        return line == "..."
    core = _core(line)
    if _ELLIPSIS.search(line):
        return not core or _NOTE.fullmatch(core) is not None or _trails_off(line, core)
    if core and _NOTE.fullmatch(core) and _SAYS_SO.search(core):
        return True
    return any(
        _NOTE.fullmatch(_core(hit[1])) and _MEANS_THE_TEXT.search(hit[1].lower())
        for hit in _INLINE.finditer(line)
    )


def _trails_off(line: str, core: str) -> bool:
    """Dots at an end of the line, and few words that speak of the text that is not there."""
    bare = line.strip(" \t#/*-_`|>:" + _BRACKETS + "!")
    at_an_end = bare.startswith(("...", "…")) or bare.endswith(("...", "…"))
    return at_an_end and len(core.split()) <= 8 and _SAYS_SO.search(core) is not None  # noqa: PLR2004 - a note is short


def _core(line: str) -> str:
    words = line.lower().strip(_DECORATION + _BRACKETS + "!")
    return " ".join(_ELLIPSIS.sub(" ", words).split())
