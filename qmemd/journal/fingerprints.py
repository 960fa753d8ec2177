"""Telling requests of different fields apart without keeping the fields."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Collection
from typing import Any

from qmemd.kinds import ContextMode, Scope
from qmemd.tasks import Forget, Remember, to_json

_OPTIONS: tuple[dict[str, Any], ...] = ({}, {"preview": True}, {"erase": True})
"""What a forget may say besides; on the wire they come last."""


def fingerprint(fields: dict[str, Any]) -> str:
    """A digest of the validated fields of a request."""
    return hashlib.sha256(to_json(fields)).hexdigest()


def fingerprints_of(texts: Collection[str]) -> set[str]:
    """Of all requests that could have been made with one of the texts.

    With one of them at hand a guess of the text could be confirmed.
    """
    found = set()
    for text, scope in itertools.product(texts, (None, *Scope)):
        found |= {fingerprint(Forget(text, scope).to_wire() | option) for option in _OPTIONS}
        found |= {fingerprint(Remember(text, mode, scope).to_wire()) for mode in ContextMode}
    return found
