"""Which words say nothing, little, or the same as another one."""

from __future__ import annotations

import re

_STOP_WORDS_TEXT = """
a about above after again all also am an and any anything are as at be because been before being
but by can could did do does doing for from had has have having he her here hers him his how i
if in into is it its itself just let me mine more most my myself of off on once only or
other our ours out over own same she so some such than that the their theirs them then there
these they this those through to too under until up us very was we were what when where which
while who whom why will with would you your yours everything every each anymore something said
told know says say mentioned called named regarding concerning related user users project memory
memories entry entries fact facts note notes thing things please forget remove delete erase
remember remembered saved stored information info stuff agent assistant must should shall may
might not no never don't doesn't didn't isn't aren't wasn't weren't won't can't cannot shouldn't
others still somebody someone anybody else
der die das den dem des ein eine einen und oder ist sind dass wir ich mein meine über alles le
la les un une des et ou est sont que qui nous je mon ma mes sur du el los las una y es son que
nosotros yo mi mis sobre del en de
"""
STOP_WORDS = frozenset(_STOP_WORDS_TEXT.split())
"""Words that never say alone which memory is meant."""

_LIGHT_WORDS_TEXT = """
prefer preference preferences prefers like likes use uses using used want wants need needs
always setting settings rule rules convention conventions detail details current currently now
new old usually choice way time day kind type
"""
LIGHT_WORDS = frozenset(_LIGHT_WORDS_TEXT.split())
"""Words of a query that may be missing in the memory that it means."""

ONLY_LIGHT_BEFORE_OF = frozenset({"type", "kind", "time", "day"})
"""Light in "the type of keyboard" alone."""

LIGHT_UNLESS_TO = frozenset({"new"})
"""Light, but not in "new to Rust"."""

_GENERIC_WORDS_TEXT = """
ban city code country editor experience favorite favourite habit job language limit many maximum
minimum much name number opinion person place program reason size taste team tool town
"""
GENERIC_WORDS = frozenset(_GENERIC_WORDS_TEXT.split())
"""Words that say what kind of thing a memory holds: it need not hold the word itself. They may be
missing only beside other words that are there."""

NEGATION = re.compile(
    r"\b(?:not|no|never|none|ban|banned|forbidden|prohibited|without|cannot|\w+n't|dont|doesnt|avoid|stop|neither|nor|"
    r"instead of|rather than|in place of|"
    r"nicht|kein\w*|nie|niemals|ohne|pas|jamais|sans|nunca|sin)\b|不|没|別|别|勿|ない|ません"
)

ALIASES = (
    ("db", "database"),
    ("repo", "repository"),
    ("config", "configuration"),
    ("docs", "documentation"),
    ("prod", "production"),
    ("env", "environment"),
    ("auth", "authentication"),
    ("k8s", "kubernetes"),
    ("js", "javascript"),
    ("ts", "typescript"),
    ("postgres", "postgresql"),
    ("colour", "color"),
    ("tz", "timezone"),
    ("vacation", "holiday"),
    ("laptop", "notebook"),
    ("brief", "short"),
    ("reply", "answer"),
    ("replies", "answers"),
    ("chart", "diagram"),
    ("ci", "continuous integration"),
    ("pr", "pull request"),
    ("prs", "pull requests"),
    ("ui", "user interface"),
)
"""Each group is one word to a query."""
