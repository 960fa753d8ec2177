"""The rules for what people may hand in as a fact, a query or an idempotency key."""

from __future__ import annotations

import re

from qmemd.errors import RequestError
from qmemd.tasks import MAX_TEXT_BYTES

BLANKS = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
"""What JavaScript's ``trim`` removes (ECMA-262); Python's ``strip`` knows a different set."""

_KEY = re.compile(r"[\x20-\x7e]{1,255}")


def clean_text(value: object, code: str) -> str:
    """The text without surrounding blanks.

    Raises:
        RequestError: with ``code``, unless ``value`` is a string that is not blank, holds no
            lone surrogate and no NUL (it would not be text to other programs), and has at most
            65,536 bytes of UTF-8 after trimming.
    """
    if not isinstance(value, str) or "\0" in value or not is_utf8(value):
        raise RequestError(code)
    text = value.strip(BLANKS)
    if not 0 < len(text.encode()) <= MAX_TEXT_BYTES:
        raise RequestError(code)
    return text


def check_key(key: object) -> None:
    """Raises RequestError ``invalid_idempotency_key`` unless it is 1-255 printable ASCII."""
    if not isinstance(key, str) or not _KEY.fullmatch(key):
        raise RequestError("invalid_idempotency_key")


def is_utf8(text: str) -> bool:
    """False for lone surrogates, which JSON can spell and UTF-8 cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
