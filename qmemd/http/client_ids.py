"""The ``X-Qwen-Client-Id`` of a request."""

from __future__ import annotations

import re

import falcon

from qmemd.errors import RequestError
from qmemd.http.ports import Door

WELL_FORMED = re.compile(r"[A-Za-z0-9._:-]{1,128}")


def claimed_client_id(req: falcon.Request) -> str | None:
    """The id as sent, known or not; None for an anonymous request.

    Raises:
        RequestError: ``invalid_client_id``, it is malformed.
    """
    client_id: str = req.env.get("HTTP_X_QWEN_CLIENT_ID", "")
    if not client_id:
        return None
    if not WELL_FORMED.fullmatch(client_id):
        raise RequestError("invalid_client_id")
    return client_id


def known_client_id(req: falcon.Request, door: Door) -> str | None:
    """The id of a live session's client; None for an anonymous request.

    Raises:
        RequestError: ``invalid_client_id``, it is malformed or unknown.
    """
    client_id = claimed_client_id(req)
    if client_id is not None and not door.knows_client(client_id):
        raise RequestError("invalid_client_id", extra={"clientId": client_id})
    return client_id
