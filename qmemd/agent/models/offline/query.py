"""What a forget query asks for, once the words of the command are off."""

from __future__ import annotations

import re
from dataclasses import dataclass

from qmemd.search.word_lists import NEGATION
from qmemd.search.words import fold

MAX_COMMAND = 2000
"""Characters."""

_POLITE = (
    r"(?:please|kindly|hey|ok(?:ay)?|now|just|(?:can|could|would|will) you|"
    r"i(?: want|'d like) you to)"
)
_COMMAND = (
    r"(?:forget|remove|delete|erase|drop|discard|clear|purge|wipe|unlearn|get rid of|"
    r"(?:do not|don't|stop|no longer) remember(?:ing)?|vergiss|lösche?|entferne?|oublie[zr]?|"
    r"supprime[zr]?|efface[zr]?|olvida|borra|elimina)(?: bitte| please)?"
)
_KINDS = (
    r"(?:memor(?:y|ies)|entr(?:y|ies)|notes?|facts?|things?|stuff|info(?:rmation)?|records?|"
    r"mentions?|knowledge|reminders?|eintr(?:ag|äge)|erinnerung(?:en)?|notiz(?:en)?|nota|entrada)"
)
_ABOUT = (
    r"(?:about|on|regarding|concerning|related to|to do with|having to do with|mentioning|"
    r"containing|that mentions?|that contains?|which mentions?|around|for|über|zu|sur|sobre|an)"
)
_SAID = (
    r"(?:(?:that |which |what )?(?:i|we|you)(?:'ve| have)? (?:said|told you|know|mentioned|saved|"
    r"stored|remember|remembered|wrote|learned))"
)
_DETERMINER = r"(?:the|my|our|your|any|this|these|those|die|den|das|der|la|le|el)"

_LEAD = re.compile(rf"^(?:{_POLITE}\b[ ,]*)*(?:{_COMMAND}\b[ ,:]*)?")
_KEEP = re.compile(
    rf"^(?:{_POLITE}\b[ ,]*)*(?:do not|don't|never|stop|you must not)(?: ever)? "
    r"(?:forget|remov|delet|eras|drop|discard)\w*\b"
)
_BROAD = re.compile(
    rf"^(?:absolutely )?(?:everything|anything|all|every|whatever|alles|tout|todo)"
    rf"(?: of)?(?: {_DETERMINER})?(?: {_KINDS})?"
    rf"(?: (?:{_SAID}|there is|is|are|has|have|saved|stored))*"
    rf" {_ABOUT}\b ?"
)
_BROAD_KIND = re.compile(rf"^(?:all|every)(?: {_DETERMINER})? (?P<what>.+?) {_KINDS}$")
_FRAME = re.compile(
    rf"^(?:(?:{_DETERMINER} )?(?:{_KINDS} |ones? )+(?:(?:is )?(?:{_SAID} )?{_ABOUT}|that says|"
    rf"which says|saying|called|named|titled|of|where|with)\b ?|"
    rf"(?:what(?:ever)? )?{_SAID}(?: {_ABOUT})? |"
    r"about )"
)
_THAT = re.compile(r"^(?:(?:the )?(?:fact )?that|dass|que)\b ?")
_TAIL = re.compile(
    rf"(?:[ ,]+(?:from (?:your |the |my )?memory|please|any ?more|{_KINDS}|thanks?|thank you))+$"
)
_FOREIGN_LEAD = re.compile(r"^(?:请)?(?:忘记|忘掉|删除|移除|清除)(?P<all>所有)?(?:关于)?")
_FOREIGN_TAIL = re.compile(
    r"(?:的?(?:记忆|内容|信息|条目|事情)|(?:について|のこと|に関する(?:記憶|メモ)|という(?:記憶|メモ))?を?"
    r"(?:忘れて|削除して|消して)(?:ください)?)$"
)
_QUOTED = re.compile(
    r"\"([^\"]+)\"|“([^”]+)”|«([^»]+)»|「([^」]+)」|`([^`]+)`|(?<!\w)'([^']+)'(?!\w)"
)
_EXCEPT = re.compile(
    r"\b(?:all|everything|anything|every|each|whatever|alles|alle|tout|toutes?|tous|todos?|todas?)\b"
    r".*\b(?:but|except|other than|apart from|aside from|besides|excluding|save for|außer|sauf|"
    r"excepto|salvo|menos)\b"
)
_AUXILIARY = (
    r"(?:is|are|was|were|do|does|did|can|could|shall|should|will|would|has|have|had|may|might|must)"
)
# "Where are bugs tracked" asks; "where bugs are tracked" names what is to go.
_QUESTION = re.compile(
    rf"\?\s*$|^{_AUXILIARY}\b|^(?:why|when|where|who|whom|whose|what|how|which)"
    rf"(?: (?:many|much|long|often|far))? {_AUXILIARY}\b"
)
_MONTH = re.compile(r"\b(?:in|on|of|until|till|since|by|from|before|after|early|late|mid) (may)\b")
"""A month that is a common word as well: behind these it counts."""
_REMEMBER = re.compile(rf"^(?:{_POLITE}\b[ ,]*)*remember\b")
_COMMANDED = re.compile(rf"^(?:{_POLITE}\b[ ,]*)*{_COMMAND}\b")
_LITERAL = re.compile(r"[*?\\^$|\[\]{}%~<>=]")
_STATEMENT = re.compile(
    r"^(?:the )?user (?!\w+ing\b)|^(?:i|we|he|she|they|it)\b|^(?:prefers|likes|uses|wants|hates|"
    r"works|has|is|knows|dislikes|needs)\b|\b(?:is|are|was|were|has|have|should|must|can|cannot|"
    r"will|prefers|likes|uses|runs|wants|depends|calls|replaces|does|do|don't|doesn't)\b"
)
_WH = r"(?:where|when|whose?|whom|how|which|why|what)"
_NAMES_A_THING = re.compile(
    rf"(?:(?:on|in|at|by|for|to|from|with|of) )?{_WH}\b|"
    rf"(?:the|my|our) (?:(?!{_AUXILIARY}\b)[^ ]+ )+?(?:{_WH}|that|i|we|you|he|she|they)\b"
)
"""A clause of such a query says more of the thing that it names, and nothing by itself."""
_OVER = re.compile(r"\b(?:no longer|(?:not|\w+n't)\b.*\bany ?more)\b")
_USER_SUBJECT = re.compile(r"^(?:(?:the )?user(?:'s)?|i|my)\b")
_MARKS = " .,;:!?。、，！？"  # noqa: RUF001 - full-width signs are meant


@dataclass(frozen=True, slots=True)
class ForgetQuery:
    """A query, taken apart. All texts are folded."""

    whole: str
    """As it was typed."""
    keeps: bool
    """It says what to keep ("everything but X", "don't forget X"), or asks no removal at all."""
    target: str
    """Without the words of the command."""
    quoted: tuple[str, ...]
    rest: str
    """The target without what is quoted."""
    broad: bool
    """It asks for everything about its target."""
    statement: bool
    """The target says something, so that it matters whether a memory says the opposite."""
    names_a_thing: bool
    """It describes what it means, even when there is a verb in it."""
    negated: bool
    of_user: bool
    """What it says, it says about the user."""
    literals: tuple[str, ...]
    """Parts with signs such as ``*``, and months: they count as they stand."""


def read_query(query: str) -> ForgetQuery:
    """Takes a query apart; never fails, the target may be empty.

    A query of over 2,000 characters is no command: only a memory of just that text is meant.
    """
    whole = fold(query).strip(_MARKS)
    # "Don't forget X" asks for the opposite: then only the very words of a memory name it.
    keeps = len(whole) <= MAX_COMMAND and _asks_no_removal(fold(query), whole)
    target = "" if keeps or len(whole) > MAX_COMMAND else _LEAD.sub("", whole)
    foreign = _FOREIGN_LEAD.match(target)
    broad = bool(foreign and foreign["all"])
    target = _FOREIGN_TAIL.sub("", _FOREIGN_LEAD.sub("", target))
    found = _BROAD.match(target)
    if found:
        broad = True
        target = target[found.end() :]
    elif kind := _BROAD_KIND.match(target):
        broad = True
        target = kind["what"]
    target = _FRAME.sub("", target)
    bare = _THAT.sub("", target)
    statement = bare != target or bool(_STATEMENT.search(bare))
    target = _TAIL.sub("", bare).strip(_MARKS)
    quoted = tuple(
        text
        for match in _QUOTED.finditer(target)
        if (text := next(filter(None, match.groups())).strip(_MARKS))
    )
    rest = _QUOTED.sub(" ", target) if quoted else target
    return ForgetQuery(
        whole=whole,
        keeps=keeps,
        target=target,
        quoted=quoted,
        rest=" ".join(rest.split()),
        broad=broad,
        statement=statement,
        names_a_thing=bool(_NAMES_A_THING.match(target)),
        # "I do not use it any more" speaks of a memory that says that I do.
        negated=bool(NEGATION.search(rest)) and not _OVER.search(whole),
        of_user=bool(_USER_SUBJECT.match(target)),
        literals=tuple(
            chunk for raw in rest.split() if _LITERAL.search(chunk := raw.strip(".,;:!?()\"'`"))
        )
        + tuple(_MONTH.findall(rest)),
    )


def _asks_no_removal(typed: str, whole: str) -> bool:
    if _KEEP.match(whole) or _EXCEPT.search(whole) or _REMEMBER.match(whole):
        return True
    return bool(_QUESTION.search(typed)) and not _COMMANDED.match(whole)
