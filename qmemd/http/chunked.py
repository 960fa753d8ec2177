"""The chunked transfer coding, read in time and space that follow from what was sent."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from waitress.rfc7230 import CHUNK_EXT_RE
from waitress.utilities import BadRequest

MAX_CONTROL_LINE = 1024
"""Bytes of a chunk's size with its extensions."""
MAX_TRAILERS = 16 * 1024
"""Bytes of all trailers together. They have to be fields; what they say is not looked at."""

_CONTROL_LINE = re.compile(rb"([0-9A-Fa-f]{1,16})(;[^\r\n]*)?\r\n")
_TRAILER = re.compile(rb"[!#-'*+.^-z|~0-9A-Z-]+:[\t\x20-\x7e\x80-\xff]*\r\n")
_END_OF_LINE = b"\r\n"


class ChunkedBody:
    """Takes bytes as they come and keeps the body; in the shape of Waitress's own receivers."""

    def __init__(self, buffer: Any) -> None:
        self.completed = False
        self.error: BadRequest | None = None
        self._buffer = buffer
        self._line = b""
        self._left = 0
        self._trailers = 0
        self._step: Callable[[bytes, int], int] = self._read_size
        self._pieces: list[bytes] = []

    def received(self, data: bytes) -> int:
        """How many of these bytes belong to the body; ``error`` or ``completed`` may be set."""
        at = 0
        while at < len(data) and not self.completed and not self.error:
            at = self._step(data, at)
        if self._pieces:
            self._buffer.append(b"".join(self._pieces))
            self._pieces.clear()
        return at

    def __len__(self) -> int:
        length: int = self._buffer.__len__()
        return length

    def getfile(self) -> Any:
        return self._buffer.getfile()

    def getbuf(self) -> Any:
        return self._buffer

    def _read_size(self, data: bytes, at: int) -> int:
        line, at = self._read_line(data, at, MAX_CONTROL_LINE)
        if line:
            size = _CONTROL_LINE.fullmatch(line)
            if not size or not CHUNK_EXT_RE.match(size[2] or b""):
                self._fail("a chunk's size or extension is not valid")
            else:
                self._left = int(size[1], 16)
                self._step = self._read_data if self._left else self._read_trailer
        return at

    def _read_data(self, data: bytes, at: int) -> int:
        piece = data[at : at + self._left]
        self._pieces.append(piece)
        self._left -= len(piece)
        if not self._left:
            self._step = self._read_end
        return at + len(piece)

    def _read_end(self, data: bytes, at: int) -> int:
        wanted = _END_OF_LINE.removeprefix(self._line)
        found = data[at : at + len(wanted)]
        self._line += found
        if not _END_OF_LINE.startswith(self._line):
            self._fail("a chunk does not end where it said")
        elif found == wanted:
            self._line = b""
            self._step = self._read_size
        return at + len(found)

    def _read_trailer(self, data: bytes, at: int) -> int:
        line, at = self._read_line(data, at, MAX_TRAILERS - self._trailers)
        self._trailers += len(line)
        if line == _END_OF_LINE:
            self.completed = True
        elif line and not _TRAILER.fullmatch(line):
            # A reader that ends lines at a lone CR may find the end of the body in here.
            self._fail("a trailer is not valid")
        return at

    def _read_line(self, data: bytes, at: int, limit: int) -> tuple[bytes, int]:
        """A whole line, or nothing so far; and where to read on."""
        end = data.find(b"\n", at, at + limit + 1) + 1
        upto = end or min(at + limit + 1, len(data))
        line = self._line + data[at:upto]
        if len(line) > limit:
            self._fail("a line of the chunked coding is too long")
        elif end and not line.endswith(_END_OF_LINE):
            self._fail("a line of the chunked coding ends in a bare LF")
        elif end:
            self._line = b""
            return line, upto
        self._line = line
        return b"", upto

    def _fail(self, reason: str) -> None:
        self.error = BadRequest(reason)
