"""Reading server-sent events from bytes, as the HTML standard defines them.

https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
"""

from __future__ import annotations

from dataclasses import dataclass

from qmemd.client.errors import StreamFailedError

MAX_BUFFERED = 16 * 2**20
"""Bytes of one event that may have come before it ends."""
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Message:
    """One dispatched event."""

    event: str
    """``message`` when the stream does not say."""
    data: str
    last_id: str
    """The id that the stream last gave; empty before the first."""


class EventParser:
    """Takes bytes in any pieces and gives whole events."""

    def __init__(self, max_buffered: int = MAX_BUFFERED) -> None:
        self._max_buffered = max_buffered
        self._line = bytearray()
        self._after_cr = False
        self._first = True
        self._event = ""
        self._data: list[str] = []
        self._size = 0
        self.last_id = ""
        self.retry: int | None = None
        """Milliseconds until one should come back, if the stream said so."""

    def feed(self, chunk: bytes) -> list[Message]:
        """The events that ``chunk`` completes.

        Raises:
            StreamFailedError: one event is over the limit.
        """
        messages: list[Message] = []
        if self._after_cr and chunk[:1] == b"\n":
            chunk = chunk[1:]
            self._after_cr = False
        if chunk:
            self._after_cr = chunk.endswith(b"\r")
        *lines, rest = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        for line in lines:
            self._line += line
            self._check_size()
            message = self._take(bytes(self._line))
            self._line.clear()
            if message is not None:
                messages.append(message)
        self._line += rest
        self._check_size()
        return messages

    def _check_size(self) -> None:
        if len(self._line) + self._size > self._max_buffered:
            raise StreamFailedError(
                f"one event is over {self._max_buffered} bytes", "stream_failed"
            )

    def _take(self, line: bytes) -> Message | None:
        if self._first:
            line = line.removeprefix(_BOM)
            self._first = False
        if not line:
            return self._dispatch()
        name, colon, value = line.partition(b":")
        if name or not colon:  # else a comment
            value = value.removeprefix(b" ")
            if name == b"data":
                self._size += len(value) + 1
            self._field(name, value.decode(errors="replace"))
        return None

    def _field(self, name: bytes, value: str) -> None:
        if name == b"data":
            self._data.append(value)
        elif name == b"event":
            self._event = value
        elif name == b"id":
            if "\0" not in value:
                self.last_id = value
        elif name == b"retry" and value.isascii() and value.isdigit():
            self.retry = int(value.lstrip("0")[:9] or 0)

    def _dispatch(self) -> Message | None:
        event, data = self._event or "message", self._data
        self._event, self._data, self._size = "", [], 0
        return Message(event, "\n".join(data), self.last_id) if data else None
