"""Words that turn a statement around, that say nothing by themselves, and that name months."""

from __future__ import annotations

_DENIALS = """
no not never none nor neither without cannot cant dont doesnt didnt isnt arent wasnt wont
shouldnt mustnt nobody nothing nowhere unless except avoid stop stopped stops
nicht kein keine keinen keiner keinem nie niemals ohne weder
pas jamais sans aucun aucune ni nunca sin jam\u00e1s n\u00e3o sem non mai senza
\u4e0d \u6ca1 \u6c92 \u7121 \u65e0 \u52ff \u5225 \u522b
"""
_EMPTY = """
a an the this that these those it its he she they them their his her we our us you your i me my
is are was were be been being am do does did has have had will would shall should can could may
might must of in on at to for from by with as and or but so if then than also too very just
user users there here about into over under
der die das ein eine einen einem einer und oder ist sind war waren wird werden im am auf
zu f\u00fcr von mit als auch es er sie wir ihr
le la les un une des et ou est sont du de en au aux el los las y o son del al
"""
_MONTHS = """
january jan januar; february feb februar; march mar m\u00e4rz; april apr; may mai; june jun juni;
july jul juli; august aug; september sep sept; october oct oktober; november nov;
december dec dezember
"""

DENIALS = frozenset(_DENIALS.split())
EMPTY = frozenset(_EMPTY.split())
MONTHS = {
    name: number for number, names in enumerate(_MONTHS.split(";"), 1) for name in names.split()
}
"""Name \u2192 number, from 1. "may" is among the empty words too."""
