"""Server-sent events: how a reader's events become the body of an answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

from qmemd.events import Event
from qmemd.streams import Reader

OPENING = b"retry: 3000\n\n"
"""Sent at once, so that the client has its headers; milliseconds until it should come back."""
HEARTBEAT = b": heartbeat\n\n"
HEARTBEAT_INTERVAL = 15.0
"""Seconds."""
_ASKING_INTERVAL = 1.0
"""Seconds between two looks whether the client is still there, where it has to be asked."""


def frame(event: Event) -> bytes:
    """One event. Its body is a single line, so it needs one ``data`` field."""
    head = f"event: {event.type}\ndata: ".encode()
    if event.event_id is not None:
        head = f"id: {event.event_id}\n".encode() + head
    return head + event.body + b"\n\n"


class EventStream:
    """An iterable body: a frame at a time, until the reader's events end.

    ``close`` has to be called, by the server, also when nothing was taken.
    """

    def __init__(
        self,
        reader: Reader,
        *,
        held: ExitStack,
        has_left: Callable[[], bool] | None = None,
        heartbeat: float = HEARTBEAT_INTERVAL,
    ) -> None:
        """Takes the reader over.

        Args:
            reader: where the events come from.
            held: what is given back at the end.
            has_left: asked every second, if the server cannot tell when the client left.
            heartbeat: seconds of silence after which a comment is sent.
        """
        self._reader = reader
        self._held = held
        self._has_left = has_left
        self._heartbeat = heartbeat

    def __iter__(self) -> Iterator[bytes]:
        yield OPENING
        patience = self._heartbeat
        step = self._heartbeat if self._has_left is None else _ASKING_INTERVAL
        silent = 0.0
        while True:
            event = self._reader.take(min(step, patience - silent))
            if event is not None:
                silent = 0.0
                yield frame(event)
                continue
            if self._reader.ended or (self._has_left is not None and self._has_left()):
                return
            silent += min(step, patience - silent)
            if silent >= patience:
                silent = 0.0
                yield HEARTBEAT

    def close(self) -> None:
        """Ends the reading and frees its thread. Idempotent."""
        self._reader.close()
        self._held.close()
