"""One connection: Waitress's, which answers before it hangs up and waits for nobody for good."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from waitress.adjustments import Adjustments
from waitress.buffers import OverflowableBuffer
from waitress.channel import ClientDisconnected, HTTPChannel

from qmemd.http.answering import AppTask, JsonErrorTask
from qmemd.http.parser import RequestParser

LINGER = 2.0
"""Seconds that a refused client gets to read why; closing sooner would reset the connection
under the answer while the client is still sending."""

_LINGER_BYTES = 64 * 1024
_CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"


class Channel(HTTPChannel):  # type: ignore[misc]
    """Requests on it are served one after the other, so it holds at most one thread."""

    task_class = AppTask
    error_task_class = JsonErrorTask
    request: Any
    connected: bool
    current_outbuf_count: int
    last_activity: float
    requests: list[Any]
    total_outbufs_len: int

    def __init__(
        self, server: Any, sock: socket.socket, addr: Any, adj: Adjustments, **options: Any
    ) -> None:
        self.parser_class = partial(RequestParser, intake=server.intake)
        self.lingers = False
        """Set once the client was refused while it may be sending."""
        self._lingers_until: float | None = None
        self._half_closed = False
        self._unsent_since: float | None = None
        self._leaving_lock = threading.Lock()
        self._left = False
        self._on_leave: list[Callable[[], None]] = []
        super().__init__(server, sock, addr, adj, **options)

    @property
    def idle(self) -> bool:
        """Whether nothing is being done or sent for the client."""
        # In this order: a request leaves the list only after its answer is in the buffers.
        return not self.requests and not self.total_outbufs_len

    def overdue(self, now: float) -> bool:
        """Whether to close it: it is silent, or has not read for too long what waits for it.

        Args:
            now: seconds since the epoch, of one call a second or so.
        """
        if self.will_close:
            return True  # there may be no room to write, which is what Waitress waits for
        if self._lingers_until is not None:
            return now > self._lingers_until
        if not self.total_outbufs_len:
            self._unsent_since = None
            silent = now - self.last_activity > self.adj.channel_timeout
            return silent and not self.requests
        if self._unsent_since is None or self._unsent_since < self.last_activity:
            self._unsent_since = now
        patience: float = self.server.reader_patience
        return now - self._unsent_since > patience

    def check_client_disconnected(self) -> bool:
        return self._half_closed or not self.connected

    def readable(self) -> bool:
        if self._lingers_until is not None:
            return True
        if (
            self.will_close
            or self.close_when_flushed
            or self._half_closed
            or self.total_outbufs_len
            or len(self.requests) > self.adj.channel_request_lookahead
        ):
            return False
        last = self.requests[-1:]
        return not last or last[0].error is None

    def writable(self) -> bool:
        return bool(self.total_outbufs_len or self.will_close or self.close_when_flushed)

    def handle_read(self) -> None:
        lingering = self._lingers_until is not None
        try:
            data = self.socket.recv(_LINGER_BYTES if lingering else self.adj.recv_bytes)
        except BlockingIOError:
            return
        except OSError:
            self.handle_close()
            return
        if not data:
            self._end_of_input()
        elif not lingering:
            self.last_activity = time.time()
            self.received(data)

    def handle_write(self) -> None:
        if not (self.lingers and self.close_when_flushed) or self.will_close:
            super().handle_write()
            return
        self._flush_exception(self._flush_some)
        if self.connected and not self.total_outbufs_len:
            self._linger()

    def on_leave(self, act: Callable[[], None]) -> None:
        """Has ``act`` called once the client has left, if that is during the present request.

        It is called on the I/O thread, or here and now if the client has left already; it must
        neither wait nor raise.
        """
        with self._leaving_lock:
            left = self._left
            if not left:
                self._on_leave.append(act)
        if left:
            act()

    def handle_close(self) -> None:
        super().handle_close()
        self._leave()
        with self.requests_lock:
            half, self.request = self.request, None
        if half is not None:
            half.close()

    def service(self) -> None:
        acts: list[Callable[[], None]] = []
        with self._leaving_lock:
            self._on_leave = acts
        super().service()
        with self._leaving_lock:
            acts.clear()  # and no other list: the next request may run already, and have its own
        if self._half_closed and not self.requests:
            self.close_when_flushed = True
            self.server.pull_trigger()

    def cancel(self) -> None:
        for request in self.requests:
            request.close()
        super().cancel()

    def send_continue(self) -> None:
        # The loop sends it: Waitress would do so, and close the connection, from any thread.
        self.request.expect_continue = False
        self.put(_CONTINUE)
        self.sent_continue = True

    def put(self, data: bytes) -> None:
        """Adds bytes to what is sent next, without sending them."""
        with self.outbuf_lock:
            if self.current_outbuf_count >= self.adj.outbuf_high_watermark:
                self.outbufs.append(OverflowableBuffer(self.adj.outbuf_overflow))
                self.current_outbuf_count = 0
            self.outbufs[-1].append(data)
            self.current_outbuf_count += len(data)
            self.total_outbufs_len += len(data)

    def write_soon(self, data: Any) -> int:
        """Hands bytes over to the loop.

        Raises:
            ClientDisconnected: the client is gone, or does not read.
        """
        if (
            self.total_outbufs_len > self.adj.outbuf_high_watermark
            and not self.server.task_dispatcher.on_io_thread
        ):
            self.wait_for_reader(self.adj.outbuf_high_watermark)
        written: int = super().write_soon(data)
        return written

    def _flush_outbufs_below_high_watermark(self) -> None:
        """Waitress waits here, for good, even after a whole answer; see ``write_soon``."""

    def wait_for_reader(self, most: int) -> None:
        """Returns when at most so many bytes are unsent.

        Raises:
            ClientDisconnected: the client does not read.
        """
        deadline = time.monotonic() + self.server.reader_patience
        with self.outbuf_lock:
            while self.connected and self.total_outbufs_len > most:
                left = deadline - time.monotonic()
                if left <= 0:
                    self.will_close = True
                    raise ClientDisconnected
                self.server.pull_trigger()
                self.outbuf_lock.wait(left)

    def _end_of_input(self) -> None:
        """The client sends no more, but may still read what it asked for."""
        with self.requests_lock:
            self._half_closed = True
            answering = bool(self.requests)
        self._leave()
        if answering:
            return  # ``service`` closes it after the last answer
        if self.total_outbufs_len:
            self.close_when_flushed = True
        else:
            self.handle_close()

    def _leave(self) -> None:
        with self._leaving_lock:
            self._left = True
            acts, self._on_leave = self._on_leave, []
        for act in acts:
            act()

    def _linger(self) -> None:
        self.close_when_flushed = False
        self._lingers_until = time.time() + LINGER
        try:
            self.socket.shutdown(socket.SHUT_WR)
        except OSError:
            self.handle_close()
