"""An event stream that comes back by itself."""

from __future__ import annotations

import http.client
import socket
import ssl
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from types import TracebackType
from typing import Self

from qmemd.client.connection import Connection, wake
from qmemd.client.errors import (
    ClientClosedError,
    ClientError,
    DaemonUnreachableError,
    StreamFailedError,
    UnexpectedAnswerError,
    retry_after,
)
from qmemd.client.events import Event, event_of, event_of_envelope
from qmemd.client.sse import EventParser
from qmemd.client.transport import Transport, read_answer, untrusted

SILENCE = 45.0
"""Seconds without a byte after which a stream is taken for dead; heartbeats come every 15."""
FIRST_PAUSE = 0.1
"""Seconds before coming back; doubled while nobody is there, and never less than was asked for."""
LONGEST_PAUSE = 30.0
LONGEST_ASKED = 300.0
"""Seconds that are waited at most when the daemon asks for more than that."""
_CHUNK = 65_536
_ENDS = frozenset({"session_closed", "session_died"})
_TRY_AGAIN = (429, 500, 502, 503, 504)
_LOST = (OSError, http.client.HTTPException, DaemonUnreachableError)


class EventStream:
    """An iterator of events; a context manager that ends it.

    It connects when its block is entered, else at the first ``next``; what happens before that is
    not seen. When the connection ends, it comes back with the last id that it saw, and the daemon
    replays what was missed; if that cannot be done, an event of the type
    ``state_resync_required`` says so. One thread iterates; ``close`` may be called from any.
    """

    def __init__(
        self,
        transport: Transport,
        path: str,
        *,
        last_event_id: int | None = None,
        epoch: str | None = None,
        silence: float = SILENCE,
        first_pause: float = FIRST_PAUSE,
    ) -> None:
        self._transport = transport
        self._path = path
        self._cursor = last_event_id
        self._epoch = epoch
        self._silence = silence
        self._first_pause = first_pause
        self._pause = first_pause
        self._asked = 0.0
        """Seconds that a refusal asked to wait."""
        self._rest_first = False
        """Whether to wait before connecting: it failed when the block was entered."""
        self._parser = EventParser()
        self._waiting: deque[Event] = deque()
        self._lock = threading.Lock()
        self._iterating = threading.Lock()
        self._closed = threading.Event()
        self._over = False
        self._connected_before = False
        self._connection: Connection | None = None
        self._socket: socket.socket | None = None
        self._response: http.client.HTTPResponse | None = None

    @property
    def last_event_id(self) -> int | None:
        """Where to go on in a later stream; None before the first event."""
        return self._cursor

    @property
    def epoch(self) -> str | None:
        """Of the ids; None before the first connection."""
        return self._epoch

    def __iter__(self) -> Iterator[Event]:
        return self

    def __next__(self) -> Event:
        """The next event, however long that takes.

        Raises:
            StopIteration: the stream was closed, or its session has ended.
            RequestRefusedError: the daemon does not give this stream.
            UnexpectedAnswerError: what answers is not a daemon.
            StreamFailedError: an event is too large.
        """
        try:
            with self._transport.lifetime.watched(self._wake):
                return self._next()
        except ClientClosedError:
            self.close()
            raise StopIteration from None

    def _next(self) -> Event:
        with self._iterating:
            while self._closed.is_set() or not self._waiting:
                if self._closed.is_set() or self._over:
                    self._hang_up()
                    raise StopIteration
                self._read()
            event = self._waiting.popleft()
            if event.event_id is not None:
                self._cursor = event.event_id
            elif _is_reset(event) and self._cursor is not None:
                self._cursor = 0
            if event.type in _ENDS:
                self._over = True
            return event

    def close(self) -> None:
        """Ends the iteration, also one that waits just now. Idempotent, from any thread.

        Events that had come and were not taken yet are not given any more.
        """
        self._wake()
        if self._iterating.acquire(blocking=False):  # else the one who iterates hangs up
            try:
                self._hang_up()
            finally:
                self._iterating.release()

    def _wake(self) -> None:
        with self._lock:
            self._closed.set()
            if self._socket is not None:
                with suppress(OSError):
                    wake(self._socket)

    def __enter__(self) -> Self:
        """Connects, so that nothing that happens in the block is missed.

        When nobody answers, ``next`` tries again.

        Raises:
            RequestRefusedError: the daemon does not give this stream.
            UnexpectedAnswerError: what answers is not a daemon.
            ClientClosedError: the client was closed.
        """
        with self._transport.lifetime.watched(self._wake), self._iterating:
            if self._response is None and not self._closed.is_set():
                try:
                    self._connect()
                except _LOST:
                    self._hang_up()
                    self._rest_first = True
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        self.close()
        with self._iterating:
            self._hang_up()

    def _read(self) -> None:
        if self._rest_first:
            self._rest_first = False
            self._come_back_later()
            return
        try:
            response = self._response or self._connect()
            chunk = response.read1(_CHUNK)
            if not chunk:
                raise ConnectionError("the stream has ended")
        except _LOST:
            self._come_back_later()
            return
        self._pause = self._first_pause
        try:
            messages = self._parser.feed(chunk)
        except StreamFailedError:
            self._hang_up()
            raise
        for message in messages:
            event = event_of(message.data)
            if event is not None:
                self._waiting.append(event)

    def _connect(self) -> http.client.HTTPResponse:
        patience = min(self._silence, self._transport.timeout)
        connection = self._transport.connection(
            self._transport.until(self._transport.clock() + patience), self._take_socket
        )
        self._connection = connection
        try:
            connection.connect()
        except ssl.SSLCertVerificationError as error:
            self._hang_up()
            raise untrusted(self._transport.base_url, error) from error
        more = {"Accept": "text/event-stream"}
        if self._cursor is not None:
            more["Last-Event-ID"] = str(self._cursor)
            if self._epoch is not None:
                more["X-Qwen-Event-Epoch"] = self._epoch
        connection.request(
            "GET", self._transport.target(self._path), headers=self._transport.headers(more)
        )
        response = connection.getresponse()
        try:
            self._check(response)
        except ClientError:
            response.close()
            self._hang_up()
            raise
        silence = self._silence
        connection.left = lambda: silence
        retry, self._parser = self._parser.retry, EventParser()
        self._parser.retry = retry
        if self._connected_before and self._cursor is None:
            self._waiting.append(_missed())
        self._connected_before = True
        epoch = response.headers.get("X-Qwen-Event-Epoch", self._epoch)
        if self._cursor is not None and self._epoch not in (None, epoch):
            self._cursor = 0  # an id of another epoch must not be taken for one of this
        self._epoch = epoch
        self._response = response
        return response

    def _take_socket(self, opened: socket.socket) -> None:
        with self._lock:
            self._socket = opened
            if self._closed.is_set():
                raise ConnectionError("the stream was closed")

    def _check(self, response: http.client.HTTPResponse) -> None:
        if response.status == 200:  # noqa: PLR2004 — HTTP's own
            if response.headers.get_content_type() == "text/event-stream":
                return
            raise UnexpectedAnswerError("the answer is no event stream", "unexpected_answer", 200)
        asked = response.headers["Retry-After"]
        if response.status in _TRY_AGAIN:  # whoever says so: it may be a proxy
            self._asked = retry_after(asked)
            raise DaemonUnreachableError(f"HTTP status {response.status}", "daemon_unreachable")
        read_answer(response.status, asked, response.read(_CHUNK))
        raise UnexpectedAnswerError(
            f"HTTP status {response.status}", "unexpected_answer", response.status
        )

    def _come_back_later(self) -> None:
        self._hang_up()
        asked = max(self._asked, (self._parser.retry or 0) / 1000)
        self._asked = 0.0
        self._closed.wait(max(self._pause, min(asked, LONGEST_ASKED)))
        self._pause = min(2 * self._pause, LONGEST_PAUSE)

    def _hang_up(self) -> None:
        with self._lock:
            connection, self._connection = self._connection, None
            response, self._response = self._response, None
            self._socket = None
            if response is not None:
                response.close()
            if connection is not None:
                connection.close()


def _is_reset(event: Event) -> bool:
    """Whether the ids begin anew after it."""
    reset = event.type == "state_resync_required" and isinstance(event.data, dict)
    return reset and event.data.get("reason") == "epoch_reset"


def _missed() -> Event:
    """For who comes back without an id: nobody can say what was missed."""
    data = {"reason": "no_cursor", "lastDeliveredId": 0, "earliestAvailableId": 1}
    made = event_of_envelope({"v": 1, "type": "state_resync_required", "data": data})
    assert made is not None  # noqa: S101 — it was just made
    return made
