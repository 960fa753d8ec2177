"""Tells the type of a fact, and where it belongs, by rules of words and sentence shape."""

from __future__ import annotations

import re
from functools import cache

from qmemd.agent.models.offline.cues import CUES
from qmemd.agent.models.offline.cues.vocabulary import NOUN_VERBS, VERBS
from qmemd.kinds import Scope, Topic

_LOOKED_AT = 800
"""Characters of a fact that decide; what follows is detail."""

_TIES = (Topic.FEEDBACK, Topic.REFERENCE, Topic.USER, Topic.PROJECT)
"""Of two types with the same weight, the earlier one: project speaks up for nearly everything."""
_ORDER_WEIGHT = 6.5
_ASK_WEIGHT = 6.5
_PROJECT_CAP = 7.5
"""Long texts are full of words for the project, whatever they are about."""

_LEAD_IN = (
    r"^(?:[\s\-*>#\"'`]|please\b|hey\b|ok(?:ay)?\b|so\b|also\b|fyi\b|(?:can|could) you\b|"
    r"(?:remember|note|save|keep in mind|memori[sz]e|store|be aware|don't forget)"
    r"(?: this| in memory| to memory)?(?: that\b|:)|(?:note|fact|reminder|memory|tip|todo)\s*:|"
    r"[,:])+"
)
_ORDER = rf"(?:(?:please|just|only|also|then|instead|generally|kindly) )*(?:{VERBS})\b(?!')"
_COMPOUND = (
    r"(?:build|release|design|test|log) (?:numbers?|notes?|docs?|files?|results?|accounts?|dates?|"
    r"data|levels?|branch(?:es)?|times?|history|calendar|artefacts?|artifacts?)\b"
)
_NOUN_FOLLOWS = (
    r"(?:[\w'-]+ ){0,4}(?:is|are|was|were|has|have|had|can|must|should|lives?|takes?|will|"
    r"runs?|needs?|fails?|expires?|happens?|uses?|go(?:es)?|come|belongs?|requires?|contains?)\b"
)
_CONDITION = (
    r"(?:when|whenever|if|before|after|unless|for|in|on|during|while|instead of|rather than|with|"
    r"without|once|until|at|by|where)\b[^,.;:]{2,90}?"
)
_FORBID = r"(?:please )?(?:always|never|do not|don't|avoid|no |stop)"

_EVERYONE = (
    r"\b(?:this|our|the|my) (?:\w+ )?(?:project|repo|repository|codebase|code base|workspace|"
    r"monorepo|team|org|organi[sz]ation|company)\b|"
    r"\b(?:everyone|everybody|all (?:contributors|developers|engineers|devs|team members|of us)|"
    r"contributors|the whole team|reviewers|nobody|no one)\b|"
    r"\b(?:team|project|repo)(?:'s)?(?:-wide)? "
    r"(?:rule|convention|policy|standard|agreement|guideline)s?\b|"
    r"\bproject-wide\b|"
    r"^(?:every|each|all|any) new \w+|"
    r"\bour (?:convention|polic|rule|house|standard|guideline|commit|code|style|branch)|"
    r"\bwe (?:all|always|never|agreed|must|should|require|don't|do not|expect)\b|"
    r"\bin diesem (?:projekt|repo)|\balle im (?:team|projekt)|\bdans ce (?:projet|dépôt)|"
    r"toute l'équipe|\ben este (?:proyecto|repo)|todo el equipo|"
    r"本项目|这个项目|该项目|团队|所有人|大家|"
    r"このプロジェクト|本プロジェクト|チーム|全員|このリポジトリ"
)
_OWN = (
    r"\b(?:my|mine)\b(?! (?:team|company|employer|project|squad|org))|\b(?:user's) |"
    r"\bpersonal\b|\bi (?:keep|store|maintain|track|write|have|use|put)\b|"
    r"\b(?:meine?[nrs]?|mon|ma|mes|mi|mis)\b|"
    r"我的|个人|私の|自分の|個人"
)


_ASK_SOMEBODY = re.compile(
    r"\b(?:[Aa]sk|[Tt]alk to|[Cc]ontact|[Pp]ing|[Ss]peak (?:to|with)|[Rr]each out to|[Mm]essage|"
    r"[Ee]scalate to|[Ee]?-?[Mm]ail) (?:the )?(?:[A-Z@]\w+|\w+ team\b)"
)
"""A person's name is known by its capital, so this looks at the text as it was typed."""


def classify(fact: str) -> tuple[Topic, Scope]:
    """The type that the words speak for most, and the root that such a fact goes to."""
    text = _folded(fact)
    totals = dict.fromkeys(_TIES, 0.0)
    for topic, weight, pattern in _compiled():
        if pattern.search(text):
            totals[topic] += weight
    if _ASK_SOMEBODY.search(fact, 0, _LOOKED_AT):
        totals[Topic.REFERENCE] += _ASK_WEIGHT
    elif _is_order(text):
        totals[Topic.FEEDBACK] += _ORDER_WEIGHT
    totals[Topic.PROJECT] = min(totals[Topic.PROJECT], _PROJECT_CAP)
    topic = max(totals, key=lambda candidate: totals[candidate])
    return topic, default_scope(topic, fact)


def default_scope(topic: Topic, fact: str) -> Scope:
    """Where a fact of this type goes when nobody says where."""
    text = _folded(fact)
    if topic is Topic.FEEDBACK:
        return Scope.PROJECT if re.search(_EVERYONE, text) else Scope.USER
    if topic is Topic.REFERENCE:
        return Scope.USER if re.search(_OWN, text) else Scope.PROJECT
    return Scope.USER if topic is Topic.USER else Scope.PROJECT


def _is_order(text: str) -> bool:
    """Whether the text opens as an order, maybe after a condition ("when X, do Y")."""
    if re.match(rf"{_CONDITION}[,:] (?:{_ORDER}|{_FORBID})|{_CONDITION} {_FORBID}", text):
        return True
    if re.match(_COMPOUND, text):
        return False
    order = re.match(_ORDER, text)
    if order is None or not re.search(rf"(?:{NOUN_VERBS})$", order[0]):
        return order is not None
    return not re.match(_NOUN_FOLLOWS, text[order.end() :].lstrip())


def _folded(fact: str) -> str:
    text = " ".join(fact[:_LOOKED_AT].lower().replace("\u2019", "'").split())
    return re.sub(_LEAD_IN, "", text)


@cache
def _compiled() -> tuple[tuple[Topic, float, re.Pattern[str]], ...]:
    """Compiled on first use: a child that only forgets never pays for it."""
    return tuple((topic, cue.weight, re.compile(cue.pattern)) for topic, cue in CUES)
