"""From the bytes of a request to one JSON object."""

from __future__ import annotations

import json
from typing import Any, NoReturn

import falcon
from falcon.util.mediatypes import parse_header

from qmemd.errors import RequestError

MAX_BODY_BYTES = 10 * 1024 * 1024
MAX_DEPTH = 64
MAX_VALUES = 10_000
"""Values in one body, by its commas and brackets. Parsing many small ones stops all threads."""
MAX_CONTENT_TYPE = 256
"""Characters. Taking a longer one apart can take a minute."""

_ROUND = bytes.maketrans(b"{}", b"[]")
_NOT_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))


def read_object(req: falcon.Request) -> dict[str, Any]:
    """The body, which must be there.

    Raises:
        RequestError: ``unsupported_media_type``, ``body_too_large`` or ``invalid_json``.
    """
    if not _is_json(req.content_type or ""):
        raise RequestError("unsupported_media_type")
    return parse_object(_read(req))


def read_optional_object(req: falcon.Request) -> dict[str, Any]:
    """The body, or an empty object when there is none.

    Raises:
        RequestError: as for ``read_object``.
    """
    if req.content_type and not _is_json(req.content_type):
        raise RequestError("unsupported_media_type")
    body = _read(req)
    if not body:
        return {}
    if not req.content_type:
        raise RequestError("unsupported_media_type")
    return parse_object(body)


def parse_object(body: bytes) -> dict[str, Any]:
    """Strict JSON: UTF-8, no NaN, an object at the top, within ``MAX_DEPTH`` and ``MAX_VALUES``.

    Raises:
        RequestError: ``invalid_json``.
    """
    try:
        if _too_much(body):  # before the parser, which recurses and holds the interpreter lock
            raise RequestError("invalid_json")
        value = _DECODER.decode(body.decode())
    except ValueError:
        raise RequestError("invalid_json") from None
    if not isinstance(value, dict):
        raise RequestError("invalid_json")
    return value


def _is_json(content_type: str) -> bool:
    if len(content_type) > MAX_CONTENT_TYPE:
        return False
    media_type, parameters = parse_header(content_type)
    charset = parameters.get("charset", "utf-8")
    return media_type.lower() == "application/json" and charset.lower() == "utf-8"


def _read(req: falcon.Request) -> bytes:
    # A chunked body has no length of its own; then the server must mark where it ends.
    terminated = req.env.get("wsgi.input_terminated")
    stream = req.stream if terminated else req.bounded_stream
    body: bytes = stream.read(MAX_BODY_BYTES + 1)
    if len(body) > MAX_BODY_BYTES:
        raise RequestError("body_too_large")
    return body


def _too_much(body: bytes) -> bool:
    """Whether the body nests too deep or holds too many values. Cheap whatever the bytes are."""
    if _openings(body) <= MAX_DEPTH and _openings(body) + body.count(b",") <= MAX_VALUES:
        return False
    # Escaped quotes end no string, and an escaped backslash escapes none. Outside of strings
    # there are no backslashes: there the parser stops, so what follows need not be right.
    unescaped = body.replace(b"\\\\", b"").replace(b'\\"', b"")
    if unescaped.count(b'"') > 4 * (MAX_VALUES + 1):  # a key and a text around each comma
        return True
    bare = b"".join(unescaped.split(b'"')[::2])
    return _openings(bare) + bare.count(b",") > MAX_VALUES or _too_deep(bare)


def _openings(body: bytes) -> int:
    return body.count(b"[") + body.count(b"{")


def _too_deep(bare: bytes) -> bool:
    """Whether brackets nest deeper than allowed, or do not close.

    Each round removes the innermost pairs, so what is left after MAX_DEPTH rounds is deeper.
    """
    brackets = bare.translate(_ROUND, _NOT_BRACKETS)
    for _ in range(MAX_DEPTH):
        brackets = brackets.replace(b"[]", b"")
        if not brackets:
            return False
    return bool(brackets)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)
