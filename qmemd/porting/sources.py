"""What a named file or directory is, and how it is read."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from tempfile import TemporaryFile
from typing import BinaryIO, cast

from qmemd.kinds import Scope
from qmemd.porting.bounded_lines import MAX_INPUT
from qmemd.porting.export_format import FORMAT
from qmemd.porting.facts import decoded, facts_of_bullets, facts_of_lines
from qmemd.porting.reading_export import read_export
from qmemd.porting.records import Read, Source, SourceRefusedError
from qmemd.porting.tree import CONTEXT_FILES, SUFFIXES, read_document, read_tree

MAX_TEXT_FILE = 16 << 20
"""Bytes of a text file of facts."""

_OPEN = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC
"""Not blocking: a pipe must not hold us up before we can see that it is one."""
_PEEK = 512
_CHUNK = 1 << 20
_ARCHIVES = (
    *(b"PK\x03\x04", b"PK\x05\x06", b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd"),
    *(b"7z\xbc\xaf", b"Rar!"),
)
_TAR = slice(257, 262)


@contextmanager
def open_source(path: Path, scope: Scope | None) -> Iterator[Source]:
    """What is at a path, held open while it is read.

    Raises:
        SourceRefusedError: it is nothing that can be imported.
    """
    try:
        descriptor = os.open(path, _OPEN)
    except OSError as error:
        raise SourceRefusedError(error.strerror or "it cannot be opened") from error
    mode = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(mode):
        os.close(descriptor)
        if not stat.S_ISDIR(mode):
            raise SourceRefusedError("it is neither a directory nor a regular file")
        yield Source("documents", read_tree(path, scope))
        return
    with os.fdopen(descriptor, "rb") as file:
        yield _of_file(path, file, scope)


def scope_of(path: Path, workspace: Path) -> Scope | None:
    """Whose a context file is by where it lies: what a project's says is about the project.

    None: it is no context file, or lies elsewhere, such as in a tool's directory of the user.
    """
    real = Path(os.path.realpath(path))
    if path.name.casefold() in CONTEXT_FILES and real.is_relative_to(workspace):
        return Scope.PROJECT
    return None


@contextmanager
def read_stream(stream: BinaryIO) -> Iterator[Source]:
    """What comes in through a pipe, an export or one fact a line, once all of it is there.

    Raises:
        SourceRefusedError: it is neither.
    """
    with TemporaryFile() as kept:
        left = MAX_INPUT + 1
        while left and (read := stream.read(min(left, _CHUNK))):
            left -= kept.write(read)
        kept.seek(0)
        yield _of_file(None, cast("BufferedReader", kept), None)


def _of_file(path: Path | None, file: BufferedReader, scope: Scope | None) -> Source:
    start = file.peek(_PEEK)[:_PEEK]
    if start.startswith(_ARCHIVES) or start[_TAR] == b"ustar":
        raise SourceRefusedError(
            "it is an archive; nothing is unpacked here. Unpack it and name the directory"
        )
    if start.startswith(b"{") and f'"{FORMAT}"'.encode() in start:
        return read_export(file)
    name = path.name.casefold() if path else ""
    if path and name.endswith(SUFFIXES) and name not in CONTEXT_FILES:
        real = Path(os.path.realpath(path))
        one = read_document(real.parent, real.name, scope)
        return Source("documents", iter((one,)), 1)
    data = file.read(MAX_TEXT_FILE + 1)
    if len(data) > MAX_TEXT_FILE:
        raise SourceRefusedError(f"it is larger than {MAX_TEXT_FILE} bytes")
    if name in CONTEXT_FILES:
        return _facts("bullets", facts_of_bullets(decoded(data)))
    return _facts("lines", facts_of_lines(decoded(data)))


def _facts(name: str, found: Iterator[Read]) -> Source:
    facts = list(found)
    return Source(name, iter(facts), len(facts))
