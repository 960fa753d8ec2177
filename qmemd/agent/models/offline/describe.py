"""Gives a fact a name and a one-line description, taken from its own words."""

from __future__ import annotations

import re
import unicodedata

MAX_NAME = 60
MAX_DESCRIPTION = 150
_LOOKED_AT = 2000
_NO_WORDS = "Note"

_LEAD_IN = re.compile(
    r"^(?:(?:please|hey|ok(?:ay)?|also|fyi)\b[\s,:]*|(?:can|could) you\b\s*|"
    r"(?:remember|note|save|keep in mind|memori[sz]e|store)(?: this)?"
    r"(?: (?:in|to) memory)?(?: that\b|\s*:)\s*|(?:note|fact|reminder|memory)\s*:\s*)+",
    re.IGNORECASE,
)
_SUBJECT = re.compile(
    r"^(?:the user|user|i)(?:'m| is| am|'s| has| have| does|'ve)?(?= )\s+(?!to\b)", re.IGNORECASE
)
_MARKUP = re.compile(r"^(?:[#>*+\-\s]|\d+[.)]\s)+")
_SENTENCE_END = re.compile(r"[.!?…;](?=\s|$)|[。！？；]|\s[—–]\s|:(?=\s)")  # noqa: RUF001 - full-width signs end a sentence too
_CLAUSE_END = re.compile(r",(?=\s)|[，、]|\s\(|\s(?=(?:because|so that|since|which|but|unless)\s)")  # noqa: RUF001 - the same
_DANGLING = re.compile(
    r"(?:[\s,;:(\-–—/]+|\s(?:a|an|the|and|or|of|to|in|on|at|by|for|with|from|is|are|was|that|"  # noqa: RUF001 - dashes are meant
    r"because|as|than|into|via|per|not|if|when|its|our|my))+$",
    re.IGNORECASE,
)
_JOINERS = ("\u200d", "\ufe0f", "\ufe0e")
_FEW_LETTERS = 3


def name_of(fact: str) -> str:
    """A short title of 1 to 60 characters in one line, never blank."""
    line = _first_line(fact)
    bare = _LEAD_IN.sub("", line) or line
    short = _SUBJECT.sub("", bare)
    title = _until(short if len(short) >= _FEW_LETTERS else bare, _SENTENCE_END)
    if len(title) > MAX_NAME:
        title = _until(title, _CLAUSE_END)
    title = _cut(title, MAX_NAME)
    title = _DANGLING.sub("", title).rstrip(".,;:!?。，；：") or title  # noqa: RUF001 - the same
    title = title.strip("\"'`*_ ") or title
    return title[:1].upper() + title[1:] if title[:1].upper() != "SS" else title


def description_of(fact: str) -> str:
    """What the fact says, or how it begins, in one line of 1 to 150 characters."""
    whole = _one_line(fact[:_LOOKED_AT])
    whole = _MARKUP.sub("", whole) or whole
    if len(whole) <= MAX_DESCRIPTION:
        return whole or _NO_WORDS
    return _cut(whole, MAX_DESCRIPTION - 1) + "…"


def _first_line(fact: str) -> str:
    """The first line with a letter or digit; marks of lists and headings are left out."""
    lines = [_one_line(line) for line in fact[:_LOOKED_AT].splitlines()]
    spoken = next((line for line in lines if any(map(str.isalnum, line))), None)
    if spoken is None:
        return next((line for line in lines if line), _NO_WORDS)
    return _MARKUP.sub("", spoken) or spoken


def _one_line(text: str) -> str:
    """Without line ends, control and formatting characters; blanks folded."""
    kept = "".join(
        " " if letter.isspace() or unicodedata.category(letter) in ("Cc", "Zl", "Zp") else letter
        for letter in text
        if letter in _JOINERS or unicodedata.category(letter) not in ("Cf", "Cs", "Co", "Cn")
    )
    return " ".join(kept.split())


def _until(text: str, end: re.Pattern[str]) -> str:
    """The part before the first end mark that leaves more than a word or so."""
    for found in end.finditer(text):
        head = text[: found.start()].rstrip()
        if len(head.encode()) > 2 * _FEW_LETTERS:
            return head
    return text


def _cut(text: str, limit: int) -> str:
    """At most ``limit`` characters, between words where there are any, never inside a letter."""
    if len(text) <= limit:
        return text
    end = limit
    while end > 1 and (text[end] in _JOINERS or text[end - 1] in _JOINERS or _combines(text[end])):
        end -= 1
    head = text[:end]
    blank = head.rfind(" ")
    if not text[end].isspace() and blank > limit // 2:
        head = head[:blank]
    return head.rstrip()


def _combines(letter: str) -> bool:
    return unicodedata.combining(letter) != 0 or unicodedata.category(letter) in ("Mn", "Mc", "Me")
