"""The three pipes of a child, served by one thread that never blocks on any of them.

One loop reads stdout into messages, keeps the end of stderr and writes what waits for stdin. So a
child that floods stderr, reads nothing, or hands its pipes to a process that outlives it can stall
neither the daemon nor this thread.
"""

from __future__ import annotations

import contextlib
import logging
import os
import select
import threading
import time
from collections.abc import Callable
from typing import IO

from qmemd.acp.framing import FrameReader
from qmemd.acp.messages import Message
from qmemd.acp.outgoing import OutgoingQueue, OutgoingQueueFullError
from qmemd.errors import ProtocolError

log = logging.getLogger(__name__)

STDERR_TAIL_BYTES = 8 * 1024
LOST_PIPE_GRACE = 1.0
"""Seconds that a child has to exit after it closed its stdin or stdout."""

_CHUNK = 64 * 1024
_LOST = select.POLLERR | select.POLLHUP | select.POLLNVAL


class PipePump:
    """Moves bytes between the pipes and callbacks until `finish` is called.

    ``on_message`` is called on the pump's thread and must not wait; nor must ``on_log``, which gets
    each piece of stderr as it comes, and an empty one when stderr has ended. ``on_failure`` is
    called once at most, on any thread, with a sentence that says why the channel is of no use any
    more.
    """

    def __init__(
        self,
        stdin: IO[bytes],
        stdout: IO[bytes],
        stderr: IO[bytes],
        *,
        on_message: Callable[[Message], None],
        on_failure: Callable[[str], None],
        on_log: Callable[[bytes], None] = lambda _chunk: None,
    ) -> None:
        self._outgoing = OutgoingQueue(stdin)
        # In this order: what a child logged before an answer is heard before the answer.
        self._incoming = {stderr.fileno(): (stderr, self._take_stderr)}
        self._incoming[stdout.fileno()] = (stdout, self._take_stdout)
        self._on_message = on_message
        self._on_failure = on_failure
        self._on_log = on_log
        self._reader = FrameReader()
        self._tail = bytearray()
        self._lock = threading.Lock()
        """Guards what follows, the waking end included: it must not be written to once closed."""
        self.failure: str | None = None
        """Why the channel failed, if it did."""
        self._stdin_unwanted = False
        self._lost_at: float | None = None
        self._finish_by: float | None = None
        self._wake_reader, self._wake_writer = os.pipe()
        os.set_blocking(self._wake_writer, False)

    @property
    def stderr_tail(self) -> bytes:
        """The end of the child's log text."""
        return bytes(self._tail)

    def send(self, line: bytes) -> bool:
        """Hands a line to the child; never waits. False when it cannot be reached any more."""
        if self.failure is not None or self._stdin_unwanted:
            return False
        try:
            sent = self._outgoing.put(line)
        except OutgoingQueueFullError:
            self._fail("the child does not read its stdin")
            return False
        if self._outgoing.waiting or self._outgoing.lost:
            self._wake()
        return sent

    def close_stdin(self) -> None:
        """Ends the child's input. What is still queued is dropped."""
        self._stdin_unwanted = True
        self._wake()

    def finish(self, grace: float) -> None:
        """The process is gone: reads what it left, for at most ``grace`` seconds, then ends."""
        self._finish_by = time.monotonic() + grace
        self._wake()

    def run(self) -> None:
        """The thread's body."""
        try:
            while not self._done():
                self._turn()
        except Exception:
            log.exception("the pipes of a child could not be served")
            self._fail("its pipes could not be served")
        finally:
            self._close()

    def _done(self) -> bool:
        if self._finish_by is None:
            return False
        return not self._incoming or time.monotonic() >= self._finish_by

    def _turn(self) -> None:
        """Waits for one thing to happen and deals with it."""
        if self._stdin_unwanted or self._outgoing.lost:
            self._outgoing.close()
        self._check_lost_pipe()
        poll = select.poll()
        for descriptor in (self._wake_reader, *self._incoming):
            poll.register(descriptor, select.POLLIN)
        stdin = self._outgoing.pipe
        if stdin is not None:
            # without POLLOUT only the loss of the reading end is reported
            poll.register(stdin, select.POLLOUT if self._outgoing.waiting else 0)
        for descriptor, events in poll.poll(self._patience()):
            if descriptor == self._wake_reader:
                os.read(descriptor, _CHUNK)
            elif descriptor in self._incoming:
                self._read(descriptor)
            elif events & _LOST:
                self._outgoing.lost = True
            else:
                self._outgoing.write()

    def _check_lost_pipe(self) -> None:
        """A child that can hear or say nothing more has a second to exit."""
        lost = self._outgoing.pipe is None or self._stdout_ended()
        if not lost or self._stdin_unwanted or self._finish_by is not None:
            self._lost_at = None
        elif self._lost_at is None:
            self._lost_at = time.monotonic()
        elif time.monotonic() >= self._lost_at + LOST_PIPE_GRACE:
            self._fail("the child closed its stdin or stdout and went on")

    def _patience(self) -> float | None:
        """Milliseconds until something must be looked at even if nothing happens."""
        deadline = self._finish_by
        if deadline is None and self._lost_at is not None and self.failure is None:
            deadline = self._lost_at + LOST_PIPE_GRACE
        return None if deadline is None else max(0.0, deadline - time.monotonic()) * 1000 + 1

    def _stdout_ended(self) -> bool:
        return all(take != self._take_stdout for _, take in self._incoming.values())

    def _read(self, descriptor: int) -> None:
        pipe, take = self._incoming[descriptor]
        chunk = os.read(descriptor, _CHUNK)
        if not chunk:
            del self._incoming[descriptor]
            pipe.close()
        take(chunk)

    def _take_stdout(self, chunk: bytes) -> None:
        if self.failure is not None:
            return
        with contextlib.suppress(ProtocolError):
            for message in self._reader.feed(chunk) if chunk else self._reader.eof():
                self._deliver(message)
        if self._reader.failure:
            self._fail(self._reader.failure.message)

    def _take_stderr(self, chunk: bytes) -> None:
        self._tail += chunk
        del self._tail[:-STDERR_TAIL_BYTES]
        try:
            self._on_log(chunk)
        except Exception:
            log.exception("the log text of a child could not be handled")

    def _deliver(self, message: Message) -> None:
        try:
            self._on_message(message)
        except Exception:
            log.exception("a message of a child could not be handled")

    def _fail(self, reason: str) -> None:
        with self._lock:
            if self.failure is not None:
                return
            self.failure = reason
        self._on_failure(reason)

    def _wake(self) -> None:
        with self._lock:
            if self._wake_writer >= 0:
                with contextlib.suppress(BlockingIOError):
                    os.write(self._wake_writer, b"!")

    def _close(self) -> None:
        self._outgoing.close()
        for pipe, _ in self._incoming.values():
            pipe.close()
        self._incoming.clear()
        with self._lock:
            os.close(self._wake_reader)
            os.close(self._wake_writer)
            self._wake_writer = -1
