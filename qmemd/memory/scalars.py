"""One value of front matter: read from what people wrote, written for every parser.

A plain scalar is never parsed as YAML, because ``Use when X: y`` or ``[WIP] plan`` are what people
write and no valid YAML; only quoted and block values are.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

_MAX_YAML = 1 << 16
"""Characters of one value that are worth a YAML parser's time; longer ones count as raw text."""
_BLOCK_HEADER = re.compile(r"[|>][0-9+-]{0,2}[ \t]*(?:#.*)?")
_SINGLE_QUOTED = re.compile(r"'((?:[^']|'')*)'")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_ESCAPED = re.compile(r"[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_UNSAFE_PLAIN = re.compile(
    r"\A[\s\d\-?:,\[\]{}#&*!|>'\"%@`+.~=<]|[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]"
    r"|:(?: |\Z)| #| \Z"
    r"|\A(?:y|n|yes|no|on|off|true|false|null)\Z",
    re.IGNORECASE,
)


def read_scalar(value: str, following: Sequence[str]) -> str | None:
    """The text of a value; None when it is empty.

    Args:
        value: What stands behind the colon, stripped.
        following: The indented and blank lines below the key.
    """
    if value[:1] in ("'", '"') or _BLOCK_HEADER.fullmatch(value):
        parsed = _quoted(value) if not any(following) else None
        if parsed is None:
            parsed = _by_yaml(value, following)
        if parsed is not None:
            # An escape can name half a surrogate pair, which nothing could write again.
            return (
                parsed.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
                if _SURROGATE.search(parsed)
                else parsed
            )
    return " ".join(filter(None, (value, *(line.strip() for line in following)))) or None


def _quoted(value: str) -> str | None:
    """A quoted scalar on one line, if it is a simple one: YAML and JSON agree on those."""
    single = _SINGLE_QUOTED.fullmatch(value)
    if single:
        return single[1].replace("''", "'")
    try:
        parsed = json.loads(value)
    except ValueError:
        return None
    return parsed if isinstance(parsed, str) else None


def _by_yaml(value: str, following: Sequence[str]) -> str | None:
    source = "value: " + "\n".join((value, *following)) + "\n"
    if len(source) > _MAX_YAML:
        return None
    import yaml  # noqa: PLC0415 - 30 ms that most documents do not need

    try:
        # The base loader makes text of every scalar, and nothing here can hold an alias' target.
        loaded = yaml.load(source, Loader=yaml.BaseLoader)  # noqa: S506
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError):
        return None
    parsed = loaded.get("value") if isinstance(loaded, dict) else None
    if not isinstance(parsed, str):
        return None
    return parsed.rstrip("\n") if value[0] in "|>" else parsed


def write_scalar(text: str) -> str:
    """The text as a YAML scalar on one line that every parser takes for a string."""
    if text and not _UNSAFE_PLAIN.search(text):
        return text
    quoted = json.dumps(text, ensure_ascii=False)
    return _ESCAPED.sub(lambda hit: f"\\u{ord(hit[0]):04x}", quoted)
