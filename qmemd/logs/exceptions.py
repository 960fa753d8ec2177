"""An exception in the log: where it came from, and of its message what cannot quote anybody.

A `KeyError` names its key and a `ValueError` often the value, which may be what somebody typed or
remembered. Those are told by their type and place alone.
"""

from __future__ import annotations

import sqlite3
import traceback
from itertools import pairwise

from qmemd.errors import QmemdError

MAX_TEXT = 16_384
"""Characters in all; the newest part stays."""
MAX_FRAMES = 40
"""Of each traceback; the innermost stay."""
MAX_CHAIN = 5
"""Exceptions that led to one another."""

_OF_PROGRAMS = (
    *(AssertionError, AttributeError, ImportError, MemoryError, ModuleNotFoundError, NameError),
    *(NotImplementedError, RecursionError, RuntimeError, TypeError),
)
"""Built-in ones whose message speaks of code. Only themselves: what is derived may say more."""


def exception_text(error: BaseException) -> str:
    """As Python writes it, with the causes first, less what a message might quote."""
    chain = _chain(error)
    parts = [_one(chain[0])]
    for earlier, later in pairwise(chain):
        direct = later.__cause__ is earlier
        parts.append("it was the direct cause of:" if direct else "while it was handled:")
        parts.append(_one(later))
    text = "\n\n".join(parts)
    return text if len(text) <= MAX_TEXT else f"…{text[1 - MAX_TEXT :]}"


def _chain(error: BaseException) -> list[BaseException]:
    """The oldest first."""
    chain = [error]
    while len(chain) < MAX_CHAIN:
        last = chain[-1]
        before = last.__cause__ or (None if last.__suppress_context__ else last.__context__)
        if before is None or before in chain:
            break
        chain.append(before)
    return chain[::-1]


def _one(error: BaseException) -> str:
    stack = traceback.StackSummary.extract(
        traceback.walk_tb(error.__traceback__), limit=-MAX_FRAMES
    )
    head = ["Traceback (most recent call last):\n", *stack.format()] if stack else []
    message = _message(error)
    return "".join(head) + type(error).__qualname__ + (f": {message}" if message else "")


def _message(error: BaseException) -> str:
    if isinstance(error, QmemdError):
        return f"{error.code}: {error.message}"
    if isinstance(error, OSError):  # without its file: documents are named after what they say
        return "" if error.errno is None else f"[Errno {error.errno}] {error.strerror}"
    if isinstance(error, sqlite3.Error):
        name: str = getattr(error, "sqlite_errorname", "")
        return name
    return str(error) if type(error) in _OF_PROGRAMS else ""
