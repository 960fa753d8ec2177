"""How refusals look."""

from __future__ import annotations

from collections.abc import Iterable
from http import HTTPStatus
from typing import Any

from qmemd.errors import ERRORS
from qmemd.http.openapi.schema import Schema, count, ref, text
from qmemd.http.rate_tiers import Tier

EVERY_REQUEST = (
    *("bad_request", "unauthorized", "invalid_host", "origin_denied", "method_not_allowed"),
    *("body_too_large", "headers_too_large", "internal_error", "not_implemented"),
)
"""Codes that any request may get, whatever it asks for."""
EVERY_BODY = ("unsupported_media_type", "invalid_json")

_EXTRAS: dict[str, Schema] = {
    "clientId": text("The id that is not known."),
    "sessionId": text("The session that was named."),
    "boundWorkspace": text("The workspace that the daemon serves."),
    "requestedWorkspace": text("The one that was asked for."),
    "limit": count("The bound that was reached."),
    "bytes": count("The size of the file."),
    "scope": text("Of the context file."),
    "mode": text("Of the write."),
    "osCode": text("The system's name of the error, such as `ENOSPC`."),
    "errorKind": text("The code again, where the reference daemon has it."),
    "tier": {"enum": [tier.value for tier in Tier], "description": "Which requests were too many."},
    "retryAfterMs": count("Milliseconds until it may work again."),
    "status": count("The HTTP status again, where the reference daemon has it."),
}


_RATES = {
    "Limit": "Requests of this tier in a window.",
    "Remaining": "Those that are left.",
    "Reset": "When the window ends, in seconds since the epoch.",
}


def error_schemas() -> dict[str, Schema]:
    """The named schemas of refusals."""
    return {
        "Error": {
            "type": "object",
            "description": "Why the request was refused.",
            "required": ["error", "code"],
            "properties": {
                "error": text("A sentence for people."),
                "code": text("Stable; it never changes its meaning."),
                **_EXTRAS,
            },
        }
    }


def shared_answers() -> dict[str, Any]:
    """The answers that are the same for every operation, by their names."""
    return {
        _name(status): _answer(status, codes) for status, codes in _by_status(EVERY_REQUEST).items()
    }


def error_answers(codes: Iterable[str]) -> dict[str, Any]:
    """An answer for each status of these codes."""
    shared = _by_status(EVERY_REQUEST)
    return {
        str(status): {"$ref": f"#/components/responses/{_name(status)}"}
        if shared.get(status) == named
        else _answer(status, named)
        for status, named in _by_status(codes).items()
    }


def _name(status: int) -> str:
    return HTTPStatus(status).name.title().replace("_", "")


def _by_status(codes: Iterable[str]) -> dict[int, list[str]]:
    found: dict[int, set[str]] = {}
    for code in codes:
        found.setdefault(ERRORS[code].status or 0, set()).add(code)
    return {status: sorted(found[status]) for status in sorted(found)}


def _answer(status: int, codes: list[str]) -> dict[str, Any]:
    schema = {**ref("Error"), "properties": {"code": {"enum": codes}}}
    answer: dict[str, Any] = {
        "description": "\n".join(f"`{code}`: {ERRORS[code].sentence}" for code in codes),
        "content": {"application/json": {"schema": schema}},
    }
    headers = _headers(status, codes)
    return answer | ({"headers": headers} if headers else {})


def _headers(status: int, codes: list[str]) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if status == HTTPStatus.UNAUTHORIZED:
        headers["WWW-Authenticate"] = _header("`Bearer`.", required=True)
    if status == HTTPStatus.METHOD_NOT_ALLOWED:
        headers["Allow"] = _header("The methods that the path takes.", required=True)
    if "rate_limit_exceeded" in codes:
        headers |= {f"X-RateLimit-{part}": _header(told) for part, told in _RATES.items()}
    waits = [
        ERRORS[code].retry_after is not None or code == "rate_limit_exceeded" for code in codes
    ]
    if any(waits):
        headers["Retry-After"] = _header("Seconds.", required=all(waits))
    return headers


def _header(description: str, *, required: bool = False) -> dict[str, Any]:
    return {"description": description, "required": required, "schema": {"type": "string"}}
