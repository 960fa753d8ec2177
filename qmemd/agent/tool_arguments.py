"""What a model gave as arguments: checked here, since it may be whatever it made up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from qmemd.agent.scope import ToolRefusedError

Arguments = Mapping[str, Any]


def text_of(arguments: Arguments, key: str) -> str:
    """A string argument.

    Raises:
        ToolRefusedError: it is missing or no string.
    """
    value = arguments.get(key)
    if not isinstance(value, str):
        raise ToolRefusedError(f"`{key}` must be a string.")
    return value


def bytes_of(arguments: Arguments, key: str) -> bytes:
    """A string argument as it would be stored.

    Raises:
        ToolRefusedError: it is missing, no string, or has no form in UTF-8.
    """
    try:
        return text_of(arguments, key).encode()
    except UnicodeEncodeError:
        raise ToolRefusedError(f"Refused: `{key}` is not valid Unicode.") from None


def offset_of(arguments: Arguments, key: str) -> int:
    """A position, 0 when it is missing.

    Raises:
        ToolRefusedError: it is not a whole number from 0 on.
    """
    value = arguments.get(key)
    if value is None:
        return 0
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ToolRefusedError(f"`{key}` must be a number of bytes from 0 on.")
    return value
