"""Events as a client gets them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_LARGEST_ID = 2**53 - 1


@dataclass(frozen=True, slots=True)
class Event:
    """One envelope of a stream."""

    type: str
    data: Any
    """Mostly an object; what it holds depends on the type."""
    event_id: int | None
    """Grows by one per stream; None for what concerns this reader alone."""
    originator_client_id: str | None
    server_timestamp: int | None
    """Milliseconds since the epoch."""
    envelope: Mapping[str, Any]
    """As it came."""


def event_of(data: str) -> Event | None:
    """The event of a stream's data; None for what is no envelope, as other clients do."""
    try:
        wire = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return event_of_envelope(wire)


def event_of_envelope(wire: Any) -> Event | None:
    """The event of an envelope; None for what is none."""
    if not isinstance(wire, dict) or not isinstance(wire.get("type"), str):
        return None
    if type(wire.get("v")) is bool or wire.get("v") != 1:  # to Python, true is 1
        return None
    event_id = wire.get("id")
    if event_id is not None and not _is_id(event_id):
        return None
    meta = wire.get("_meta")
    stamp = meta.get("serverTimestamp") if isinstance(meta, dict) else None
    originator = wire.get("originatorClientId")
    return Event(
        type=wire["type"],
        data=wire.get("data"),
        event_id=event_id,
        originator_client_id=originator if isinstance(originator, str) else None,
        server_timestamp=stamp if type(stamp) is int else None,
        envelope=wire,
    )


def _is_id(value: Any) -> bool:
    return type(value) is int and 1 <= value <= _LARGEST_ID
