"""The last events of a feed, for readers who come back."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from qmemd.events import Event

RING_SIZE = 8_000
"""Events kept."""
RING_BYTES = 8 * 2**20
"""Bytes of envelopes kept; whichever bound comes first."""


@dataclass(frozen=True, slots=True)
class Gap:
    """The cursor of a reader does not fit: something was missed, or may have been."""

    reason: str
    """``epoch_reset`` or ``ring_evicted``."""
    earliest: int
    """The oldest id that can still be had; the next one, when there is none."""
    detail: str | None = None


@dataclass(frozen=True, slots=True)
class Kept:
    """An event, and the sender under which it was fanned out."""

    event: Event
    sender: str


class ReplayRing:
    """Numbers events from 1 on and keeps the last ones. For one thread."""

    def __init__(self, epoch: str, *, size: int = RING_SIZE, max_bytes: int = RING_BYTES) -> None:
        self.epoch = epoch
        self.next_id = 1
        self._size = size
        self._max_bytes = max_bytes
        self._bytes = 0
        self._kept: deque[Kept] = deque()

    def append(self, event: Event, sender: str) -> None:
        """Keeps an event, which was made with ``next_id``."""
        self.next_id += 1
        self._kept.append(Kept(event, sender))
        self._bytes += len(event.body)
        while len(self._kept) > self._size or self._bytes > self._max_bytes:
            self._bytes -= len(self._kept.popleft().event.body)

    def since(self, cursor: int, epoch: str | None) -> tuple[Gap | None, tuple[Kept, ...]]:
        """What is newer than ``cursor``, and whether something is missing before it.

        A cursor of another epoch, or from the future, says nothing: then everything is replayed.
        """
        earliest = self._earliest
        if epoch is not None and epoch != self.epoch:
            return Gap("epoch_reset", earliest, "epoch_mismatch"), tuple(self._kept)
        if cursor >= self.next_id:
            return Gap("epoch_reset", earliest), tuple(self._kept)
        gap = Gap("ring_evicted", earliest) if cursor + 1 < earliest else None
        newer = self.next_id - 1 - max(cursor, earliest - 1)
        return gap, tuple(self._kept)[len(self._kept) - newer :]

    @property
    def _earliest(self) -> int:
        return self.next_id - len(self._kept)
