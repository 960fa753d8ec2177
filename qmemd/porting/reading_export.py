"""Reading an export: a damaged line is told, and costs no other one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from qmemd.porting.bounded_lines import lines_of
from qmemd.porting.export_format import read_header, read_line
from qmemd.porting.records import Read, ReadDocument, Source, SourceRefusedError, Unreadable

MAX_DAMAGED = 1_000
"""Lines that are none of an export, before the rest of it is not looked at."""


def read_export(file: BinaryIO) -> Source:
    """The documents of an export, each read when it is asked for.

    Raises:
        SourceRefusedError: it is none, or of a version that is not known.
    """
    lines = lines_of(file)
    count = read_header(next(lines, b""))
    return Source("export", _documents(lines), count)


def _documents(lines: Iterator[bytes]) -> Iterator[Read]:
    good = damaged = 0
    seen: set[tuple[str, str]] = set()
    number = 1
    try:
        for number, line in enumerate(lines, 2):
            if not line.strip():
                continue
            try:
                read = read_line(line)
            except ValueError as error:
                yield Unreadable(f"line {number}", str(error))
                damaged += 1
                if damaged == MAX_DAMAGED:
                    raise SourceRefusedError("too many lines are damaged") from None
                continue
            if isinstance(read, ReadDocument):
                good += 1
                place = (read.scope, read.relative)
                if place in seen:
                    yield Unreadable(f"line {number}", "it names a document a second time")
                    continue
                seen.add(place)
                yield read
                continue
            if read > good:
                yield Unreadable(f"line {number}", f"{read - good} documents are missing before it")
            if any(line.strip() for line in lines):
                yield Unreadable(f"line {number + 1}", "what follows the last line is not read")
            return
    except SourceRefusedError as error:
        yield Unreadable(f"line {number + 1}", f"{error}; what follows is not read")
        return
    yield Unreadable(f"line {number + 1}", "the last line is missing: the export was cut off")
