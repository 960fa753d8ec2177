"""Lines of a file that anybody may have made: no longer, and no more, than we hold."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from qmemd.porting.records import SourceRefusedError

MAX_LINE = 8 << 20
"""Bytes of a line: a document of 1 MiB in the longest way that JSON can spell it, and its path."""
MAX_INPUT = 1 << 30
"""Bytes of an export that are read."""


def lines_of(file: BinaryIO, *, longest: int = MAX_LINE, most: int = MAX_INPUT) -> Iterator[bytes]:
    """The lines, without their line feeds.

    Raises:
        SourceRefusedError: a line, or all of them together, are too long.
    """
    read = 0
    while line := file.readline(longest + 1):
        read += len(line)
        if len(line) > longest:
            raise SourceRefusedError(f"it holds a line of more than {longest} bytes")
        if read > most:
            raise SourceRefusedError(f"it is longer than {most} bytes")
        yield line.removesuffix(b"\n")
