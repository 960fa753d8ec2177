"""What the event bus takes: what happened, and who wants to read of it."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import dataclass

from qmemd.events import FileChanged, MemoryChanged, TaskUpdated
from qmemd.streams import Reader, StreamWish


@dataclass(frozen=True, slots=True)
class Publish:
    """Fan an event out to everybody who wants it."""

    event: MemoryChanged | FileChanged | TaskUpdated


@dataclass(frozen=True, slots=True)
class OpenFeed:
    """A session was made: it gets a feed of its own."""

    session_id: str


@dataclass(frozen=True, slots=True)
class CloseFeed:
    """A session ended: its streams are told, and end."""

    session_id: str
    reason: str
    closed_by: str | None


@dataclass(frozen=True, slots=True)
class Subscribe:
    """Somebody wants to read."""

    wish: StreamWish
    reply: Future[Reader]
    """The reader's end, or a RequestError: ``session_not_found``, ``subscriber_limit_exceeded``."""


@dataclass(frozen=True, slots=True)
class Unsubscribe:
    """A reader left. Unknown ones are ignored."""

    stream_id: str
