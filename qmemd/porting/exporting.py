"""Exporting: every document of both roots, as it is at one moment."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import IO

from qmemd.errors import MemoryFilesError
from qmemd.memory.documents import MAX_DOCUMENT_BYTES
from qmemd.memory.files import read_regular
from qmemd.memory.found import FoundDocument
from qmemd.memory.history import History
from qmemd.memory.locked import LOCK_TIMEOUT, LockedMemory
from qmemd.memory.paths import MemoryPaths, Root
from qmemd.memory.scan import Scanner
from qmemd.porting.export_format import document_line, header_line, last_line
from qmemd.porting.records import ReadDocument, Unreadable

Advance = Callable[[int, int], object]
"""Told how many of how many are done."""


@dataclass(frozen=True, slots=True)
class Exported:
    """What an export holds."""

    documents: int
    left_out: tuple[Unreadable, ...]
    """Files of the memory that are no documents, or could not be read."""


def export(
    paths: MemoryPaths,
    out: IO[bytes],
    *,
    clock: Callable[[], datetime],
    advance: Advance = lambda _done, _all: None,
    lock_timeout: float = LOCK_TIMEOUT,
) -> Exported:
    """Writes the export. ``out`` should not block for long: commits wait meanwhile.

    Raises:
        MemoryFilesError: ``memory_locked``, another process holds a lock on.
        OSError: the system refuses.
    """
    roots = [root for root in paths.roots if root.path.is_dir()]
    with _quiet(paths, roots, lock_timeout):
        scans = [Scanner().scan(root) for root in roots]
        found = [(scan.root, one) for scan in scans for one in scan.documents]
        left_out = [
            Unreadable(scan.root.scope.value, problem)
            for scan in scans
            for problem in scan.problems
        ]
        out.write(header_line(clock(), len(found)))
        written = 0
        for done, (root, one) in enumerate(found, 1):
            try:
                line = document_line(_read(root, one))
            except (OSError, MemoryFilesError, UnicodeDecodeError):
                left_out.append(Unreadable(root.scope.value, f"{one.path}: it cannot be read"))
            else:
                out.write(line)
                written += 1
            advance(done, len(found))
        out.write(last_line(written))
    return Exported(written, tuple(left_out))


def _read(root: Root, one: FoundDocument) -> ReadDocument:
    content = read_regular(root.path, one.path, limit=MAX_DOCUMENT_BYTES)
    return ReadDocument(root.scope, one.path, content, one.mtime_ns)


@contextmanager
def _quiet(paths: MemoryPaths, roots: list[Root], lock_timeout: float) -> Iterator[None]:
    """Holds the locks, so that no change set is half there; of no memory none is made."""
    if not roots:
        yield
        return
    memory = LockedMemory(
        paths, History(paths.history), scanner=Scanner(), lock_timeout=lock_timeout
    )
    with memory.locked(project_needed=False):
        yield
