"""A feed: one numbered sequence of events, its ring and its readers."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any

from blinker import ANY, Namespace

from qmemd.actors.reader import FeedReader
from qmemd.actors.ring import Gap, ReplayRing
from qmemd.events import MEMORY_CHANGED, SESSION_CLOSED, TASK_UPDATED, Event, Happening, envelope

log = logging.getLogger(__name__)

ANONYMOUS = "\0anonymous"
"""The sender of what nobody with a client id caused; no well-formed id holds a NUL."""
TYPES = (MEMORY_CHANGED, TASK_UPDATED, SESSION_CLOSED)


class Feed:
    """For one thread, the event bus's; its readers are safe to use from any.

    Each type of event is a blinker signal of this feed's own, and the sender is the client that
    caused it. A reader that listens to one client is connected with that sender, so it costs the
    events of all others nothing. Receivers are called one by one under a guard, since a raise
    would end a blinker ``send``.
    """

    def __init__(
        self,
        epoch: str,
        clock: Callable[[], int],
        on_readers: Callable[[int], object] = lambda _: None,
    ) -> None:
        """Makes an empty feed.

        Args:
            epoch: names it.
            clock: milliseconds since the epoch of the world's clocks.
            on_readers: called with the number of readers when it changed.
        """
        self._clock = clock
        self._on_readers = on_readers
        self._ring = ReplayRing(epoch)
        signals = Namespace()
        self._signals = {name: signals.signal(name) for name in TYPES}
        self._readers: dict[str, tuple[FeedReader, Callable[..., None]]] = {}

    @property
    def epoch(self) -> str:
        """Names this feed; ids of another one mean nothing."""
        return self._ring.epoch

    @property
    def readers(self) -> int:
        """How many read now."""
        return len(self._readers)

    def publish(self, happening: Happening, *, last: bool = False) -> None:
        """Hands it to every reader that wants it; never waits, never raises."""
        sender = happening.originator or ANONYMOUS
        event = envelope(
            happening.type,
            happening.to_wire(),
            timestamp=self._clock(),
            event_id=self._ring.next_id,
            originator=happening.originator,
            last=last,
        )
        self._ring.append(event, sender)
        for receive in list(self._signals[happening.type].receivers_for(sender)):
            try:
                receive(sender, event=event)
            except Exception:
                log.exception("a reader of %s failed", happening.type)

    def subscribe(
        self,
        stream_id: str,
        *,
        senders: Mapping[str, str],
        cursor: int | None,
        epoch: str | None,
        opening: tuple[Event, ...],
        max_queued: int,
        on_close: Callable[[], object],
    ) -> FeedReader:
        """Begins to read.

        Args:
            stream_id: names the reader.
            senders: by type of event, the one sender that it listens to; else all of them.
            cursor: the last id that it knows; what is newer is replayed. None: no replay.
            epoch: of the feed that the cursor is from; None: not known.
            opening: what it gets before the replay.
            max_queued: events that may wait for it.
            on_close: called when it leaves by itself.
        """
        replayed = () if cursor is None else self._replay(cursor, epoch, senders)
        reader = FeedReader(
            stream_id=stream_id,
            epoch=self.epoch,
            first=(*opening, *replayed),
            max_queued=max_queued,
            clock=self._clock,
            on_close=on_close,
        )

        def receive(_sender: object, event: Event) -> None:
            if not reader.offer(event):
                self.remove(stream_id)

        self._readers[stream_id] = (reader, receive)
        for name, signal in self._signals.items():
            signal.connect(receive, sender=senders.get(name, ANY), weak=False)
        self._on_readers(self.readers)
        return reader

    def remove(self, stream_id: str) -> bool:
        """A reader is gone. False for an unknown one."""
        reader, receive = self._readers.pop(stream_id, (None, None))
        if reader is None or receive is None:
            return False
        for signal in self._signals.values():
            signal.disconnect(receive)
            # Else each client that ever listened would leave an empty set behind.
            signal._cleanup_bookkeeping()  # noqa: SLF001 — blinker has no public way
        self._on_readers(self.readers)
        return True

    def end(self) -> None:
        """Ends every reading, after what is in line."""
        for stream_id, (reader, _) in tuple(self._readers.items()):
            self.remove(stream_id)
            reader.end()

    def _replay(
        self, cursor: int, epoch: str | None, senders: Mapping[str, str]
    ) -> tuple[Event, ...]:
        gap, kept = self._ring.since(cursor, epoch)
        events = tuple(k.event for k in kept if senders.get(k.event.type, k.sender) == k.sender)
        summary: dict[str, Any] = {"replayedCount": len(events)}
        if events:
            last = {"lastReplayedEventId": events[-1].event_id, "lastEventId": events[-1].event_id}
            summary |= last
        complete = envelope("replay_complete", summary, timestamp=self._clock())
        return (*self._missing(gap, cursor), *events, complete)

    def _missing(self, gap: Gap | None, cursor: int) -> tuple[Event, ...]:
        if gap is None:
            return ()
        data: dict[str, Any] = {
            "reason": gap.reason,
            "lastDeliveredId": cursor,
            "earliestAvailableId": gap.earliest,
        }
        if gap.detail is not None:
            data["detail"] = gap.detail
        return (envelope("state_resync_required", data, timestamp=self._clock()),)
