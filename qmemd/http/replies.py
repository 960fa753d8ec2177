"""How every body leaves: never sniffed, never cached, mostly JSON; errors with their code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import falcon

from qmemd.errors import ERRORS, ErrorEntry
from qmemd.tasks import to_json

Headers = tuple[tuple[str, str], ...]


def headers_of(media_type: str) -> Headers:
    """What every body of ours is sent with."""
    return (
        ("Content-Type", media_type),
        ("X-Content-Type-Options", "nosniff"),
        ("Cache-Control", "no-store"),
    )


_JSON_HEADERS = headers_of("application/json")
_UNKNOWN_CODE = ErrorEntry(500, "")


@dataclass(frozen=True, slots=True)
class Reply:
    """A whole answer, whichever layer sends it."""

    status: int
    body: bytes
    headers: Headers = _JSON_HEADERS

    def send(self, resp: falcon.Response) -> None:
        resp.status = self.status
        resp.data = self.body
        resp.set_headers(self.headers)


def json_reply(status: int, value: Any) -> Reply:
    return Reply(status, to_json(value))


def error_reply(
    code: str,
    message: str | None = None,
    *,
    extra: Mapping[str, Any] | None = None,
    headers: Headers = (),
) -> Reply:
    """``{"error", "code", ...extra}`` with the table's status.

    Args:
        code: a row of the table; one without a status there is answered as a 500.
        message: replaces the table's sentence.
        extra: documented further keys of the body.
        headers: what this one answer needs beyond those of its code.
    """
    entry = ERRORS.get(code, _UNKNOWN_CODE)
    status = entry.status or 500
    if status == 401:  # noqa: PLR2004 - HTTP's own number
        headers = (*headers, ("WWW-Authenticate", "Bearer"))
    if entry.retry_after is not None:
        headers = (*headers, ("Retry-After", str(entry.retry_after)))
    body = {"error": message or entry.sentence or code, "code": code, **(extra or {})}
    return Reply(status, to_json(body), _JSON_HEADERS + headers)
