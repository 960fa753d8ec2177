"""What is to be written to a child's stdin, kept in order and in bounds."""

from __future__ import annotations

import os
import threading
from collections import deque
from typing import IO

MAX_QUEUED_BYTES = 4 * 1024 * 1024
"""What may wait for a child that reads too slowly; one line alone may be longer."""


class OutgoingQueueFullError(Exception):
    """The child has not read for too long."""


class OutgoingQueue:
    """Lines on their way to a pipe. Any thread may put; nothing here ever waits."""

    def __init__(self, pipe: IO[bytes]) -> None:
        self._lock = threading.Lock()
        self._pipe: IO[bytes] | None = pipe
        self._lines: deque[memoryview] = deque()
        self._bytes = 0
        self.lost = False
        """True once the other end does not read any more."""
        os.set_blocking(pipe.fileno(), False)

    @property
    def pipe(self) -> IO[bytes] | None:
        """The writing end; None once it was closed. Only `close` closes it."""
        return self._pipe

    @property
    def waiting(self) -> bool:
        """Whether `write` is to be called when the pipe takes more."""
        return bool(self._lines)

    def put(self, line: bytes) -> bool:
        """Writes the line, or what the pipe takes of it now. False when nobody will read it.

        Raises:
            OutgoingQueueFullError: too much waits already; this line was not taken.
        """
        with self._lock:
            if self._pipe is None or self.lost:
                return False
            if self._lines and self._bytes + len(line) > MAX_QUEUED_BYTES:
                raise OutgoingQueueFullError
            self._lines.append(memoryview(line))
            self._bytes += len(line)
            self._write(self._pipe)
            return True

    def write(self) -> None:
        """Writes what the pipe takes now."""
        with self._lock:
            if self._pipe is not None:
                self._write(self._pipe)

    def close(self) -> None:
        """Closes the pipe; what still waits is dropped. Idempotent."""
        with self._lock:
            if self._pipe is not None:
                self._pipe.close()
            self._pipe = None
            self._lines.clear()
            self._bytes = 0

    def _write(self, pipe: IO[bytes]) -> None:
        while self._lines and not self.lost:
            try:
                written = os.write(pipe.fileno(), self._lines[0])
            except BlockingIOError:
                return
            except OSError:
                self.lost = True
                return
            self._bytes -= written
            rest = self._lines.popleft()[written:]
            if rest:
                self._lines.appendleft(rest)
