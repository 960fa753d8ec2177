"""A document as it lies on disk, and reading it from there."""

from __future__ import annotations

import hashlib
import os
import stat
from dataclasses import dataclass
from pathlib import Path

from qmemd.errors import MemoryFilesError
from qmemd.kinds import Scope
from qmemd.memory.document_names import is_pinned
from qmemd.memory.documents import MAX_DOCUMENT_BYTES, Document, parse
from qmemd.memory.entries import Entry, entries_of
from qmemd.memory.paths import Root

_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class FoundDocument:
    """A document as it was on disk when it was read."""

    scope: Scope
    path: str
    """Relative to the root, with ``/``."""
    absolute: Path
    document: Document
    entries: tuple[Entry, ...]
    mtime_ns: int
    size: int
    """Bytes."""
    sha256: str
    """Of the bytes, in hex."""
    pinned: bool
    """In the user's own directory: never to be changed."""


Stamp = tuple[int, int, int, int]
"""What tells that a file has not changed."""
Parsed = FoundDocument | str
"""A document, or why the file is none."""


def read_found(root: Root, path: str, directory: int, name: str) -> tuple[os.stat_result, Parsed]:
    """Reads one file of a root.

    Args:
        root: The root that it lies below.
        path: Where, relative to the root.
        directory: A descriptor of the directory that holds it.
        name: Its name there.

    Returns:
        The status that goes with what was read, and the document or why it is none.

    Raises:
        OSError: the system refuses; among others when the name is a link.
    """
    with os.fdopen(os.open(name, _FLAGS, dir_fd=directory), "rb", buffering=0) as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            return status, "it is not a regular file"
        data = b"" if status.st_size > MAX_DOCUMENT_BYTES else file.read(MAX_DOCUMENT_BYTES + 1)
    if status.st_size > MAX_DOCUMENT_BYTES:
        return status, f"it is larger than {MAX_DOCUMENT_BYTES} bytes"
    try:
        document = parse(data)
    except MemoryFilesError as error:
        return status, error.message
    return status, FoundDocument(
        scope=root.scope,
        path=path,
        absolute=root.path / path,
        document=document,
        entries=entries_of(root.scope, path, document),
        mtime_ns=status.st_mtime_ns,
        size=len(data),
        sha256=hashlib.sha256(data).hexdigest(),
        pinned=is_pinned(path),
    )


def stamp_of(status: os.stat_result) -> Stamp:
    """Changes whenever the file does, but for changes within one tick of the file system."""
    return (status.st_mtime_ns, status.st_size, status.st_ino, status.st_ctime_ns)
