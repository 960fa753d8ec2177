"""Reading what happens: what a reader may wish for, and what it gets in its hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from qmemd.events import Event

DEFAULT_QUEUED = 256
"""Events that may wait for a reader who does not say otherwise."""


class Reader(Protocol):
    """One reader's end of a feed. Its methods may be called from any thread."""

    stream_id: str
    epoch: str
    """Of the feed; ids of another epoch mean nothing."""

    @property
    def ended(self) -> bool:
        """Nothing more will come."""

    def take(self, timeout: float | None = None) -> Event | None:
        """The next event; None after ``timeout`` seconds, or at once when nothing will come."""

    def close(self) -> None:
        """Stops the reading and wakes who waits in ``take``. Idempotent, never waits."""


@dataclass(frozen=True, slots=True)
class StreamWish:
    """Which events somebody wants to read, and from where on."""

    session_id: str | None = None
    """None: the workspace's own feed."""
    client_id: str | None = None
    """Who reads: on the workspace's feed only updates of this client's tasks come; with None,
    of anonymous tasks."""
    originator: str | None = None
    """Only changes that this client asked for; None: all."""
    last_event_id: int | None = None
    """Replay what is newer; None: only what happens from now on."""
    epoch: str | None = None
    """Of the feed that gave ``last_event_id``; None: not known."""
    max_queued: int = DEFAULT_QUEUED
    """Events that may wait for the reader before it is cut off."""
    snapshot: bool = False
    """Begin with the session's state."""
