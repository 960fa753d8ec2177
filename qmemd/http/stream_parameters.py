"""What the request for an event stream says, beyond its path."""

from __future__ import annotations

import re
from dataclasses import dataclass

import falcon

from qmemd.errors import RequestError
from qmemd.http.client_ids import WELL_FORMED
from qmemd.streams import DEFAULT_QUEUED

MIN_QUEUED = 16
MAX_QUEUED = 2_048

_NUMBER = re.compile(r"[0-9]{1,15}")
_EPOCH = re.compile(r"[A-Za-z0-9_-]{1,64}")


@dataclass(frozen=True, slots=True)
class StreamOptions:
    """How a client wants its stream.

    What has no consequence (why it connects, which stream it had before) is not kept.
    """

    max_queued: int = DEFAULT_QUEUED
    snapshot: bool = False
    last_event_id: int | None = None
    epoch: str | None = None
    client: str | None = None
    """Only changes that this client caused."""


def stream_options(req: falcon.Request) -> StreamOptions:
    """Reads query and headers. A cursor or epoch that makes no sense is as if it were not there.

    Raises:
        RequestError: ``invalid_max_queued``, ``invalid_client_id``.
    """
    cursor = req.env.get("HTTP_LAST_EVENT_ID", "")
    epoch = req.env.get("HTTP_X_QWEN_EVENT_EPOCH", "")
    client = req.get_param("client") or None
    if client is not None and not WELL_FORMED.fullmatch(client):
        raise RequestError("invalid_client_id")
    return StreamOptions(
        max_queued=_max_queued(req.get_param("maxQueued")),
        snapshot=req.get_param("snapshot") in ("1", "true"),
        last_event_id=int(cursor) if _NUMBER.fullmatch(cursor) else None,
        epoch=epoch if _EPOCH.fullmatch(epoch) else None,
        client=client,
    )


def _max_queued(value: str | None) -> int:
    if value is None:
        return DEFAULT_QUEUED
    if not _NUMBER.fullmatch(value):
        raise RequestError("invalid_max_queued", "`maxQueued` must be a decimal integer.")
    if not MIN_QUEUED <= int(value) <= MAX_QUEUED:
        raise RequestError("invalid_max_queued")
    return int(value)
