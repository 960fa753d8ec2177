"""``MEMORY.md``: rebuilt from the documents, without destroying what somebody wrote into it.

Other programs may write it at any moment. So it is replaced as a document is: moved aside, compared
with what was read, and put back when it differs; then everything starts again.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from qmemd.errors import MemoryFilesError
from qmemd.kinds import Scope, Topic
from qmemd.memory import files
from qmemd.memory.changes import FileChange, KeptText
from qmemd.memory.documents import MAX_DOCUMENT_BYTES, decode, render
from qmemd.memory.index import is_generated, render_index
from qmemd.memory.memorypath import MemoryPath
from qmemd.memory.moving import create_durably, exists_at, set_aside_at
from qmemd.memory.names import free_name
from qmemd.memory.paths import INDEX_NAME, Root
from qmemd.memory.replacement import ChangedMeanwhileError, Replacement, aside_name, new_name
from qmemd.memory.scan import Scan, Scanner

KEPT_STEM = "kept-from-index"
KEPT_NAME = "Kept from MEMORY.md"
KEPT_DESCRIPTION = "Text that stood in MEMORY.md, which is generated"
MAX_ATTEMPTS = 8
"""How often a rebuild starts again because another program wrote the index meanwhile."""

_TAG = "index"
_SET_ASIDE = f"{INDEX_NAME}.unreadable"


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """What a rebuild did."""

    scan: Scan
    """What the index lists."""
    written: bool
    """False: it was right already, or there is no root."""


def rebuild_index(
    scanner: Scanner, root: Root, step: Callable[[str], None] = lambda _name: None
) -> Rebuilt:
    """Brings the index of a root up to date. The caller holds the root's lock.

    Text in it that is not generated becomes a document first; an index that is no text is set
    aside as ``MEMORY.md.unreadable``; a link is replaced and its target left alone. A root that
    does not exist is not made. ``step`` is told what is about to happen to the index.

    Raises:
        MemoryFilesError: ``memory_index_failed``: a directory could not be read, ``MEMORY.md`` is
            a directory or a device, or another program does not stop writing it; what it holds
            stays. ``memory_path_refused``: the root lies behind a link.
        OSError: the system refuses; the old index stays.
    """
    index = _Index(root, lambda name: step(f"index: {name}"))
    for _ in range(MAX_ATTEMPTS):
        scan = scanner.scan(root)
        if not scan.complete:
            raise _failed("a directory of the memory cannot be read")
        try:
            written = index.follow(scan)
        except _NoRootError:
            written = False
        if written is not None:
            return Rebuilt(scan, written or index.wrote)
    raise _failed("another program is writing it")


class _NoRootError(Exception):
    pass


class _Index:
    """The index of one root during a rebuild."""

    def __init__(self, root: Root, step: Callable[[str], None]) -> None:
        self._root = root
        self._step = step
        self._kept: set[str] = set()
        self._kept_late = False
        self.wrote = False

    def follow(self, scan: Scan) -> bool | None:
        """Makes the index that of a scan: whether it was written; None to scan again."""
        if self._reclaim():
            return None
        self._step("read")
        try:
            present = self._present()
            text = _hand_written(present or b"")
        except MemoryFilesError as error:
            if error.code != "memory_document_unreadable":
                raise
            self._set_aside(INDEX_NAME)
            return None
        if text and self._keep(text, scan):
            return None
        wanted = render_index(scan.documents)
        if present == wanted:
            return False
        return True if self._replace(present, wanted) else None

    def _reclaim(self) -> bool:
        """Undoes the step of a run that died; whether there was one."""
        aside = aside_name(_TAG)
        try:
            with files.open_directory(self._root.path) as directory:
                files.unlink_at(directory, new_name(_TAG))
                if not exists_at(directory, aside):
                    return False
        except FileNotFoundError as error:
            raise _NoRootError from error
        self._replacement(None, None).reclaim()
        # There still when it is a directory, or too large to be kept as a text.
        self._set_aside(aside)
        return True

    def _present(self) -> bytes | None:
        """What the index holds; None when there is none. A link in its place is removed."""
        with files.open_directory(self._root.path) as directory:
            try:
                mode = os.stat(INDEX_NAME, dir_fd=directory, follow_symlinks=False).st_mode
                if stat.S_ISREG(mode):
                    return files.read_at(directory, INDEX_NAME, limit=MAX_DOCUMENT_BYTES)
                if not stat.S_ISLNK(mode):
                    raise _failed("MEMORY.md is not a regular file; move it away")
                aside = aside_name(_TAG)
                os.rename(INDEX_NAME, aside, src_dir_fd=directory, dst_dir_fd=directory)
                mode = os.stat(aside, dir_fd=directory, follow_symlinks=False).st_mode
                if stat.S_ISLNK(mode):
                    files.unlink_at(directory, aside)
            except FileNotFoundError:
                return None
        # Else it was replaced just then, and goes back.
        self._reclaim()
        return None

    def _set_aside(self, name: str) -> None:
        with (
            contextlib.suppress(FileNotFoundError),
            files.open_directory(self._root.path) as directory,
        ):
            set_aside_at(directory, name, _SET_ASIDE)

    def _replace(self, present: bytes | None, wanted: bytes) -> bool:
        """Whether the index is the wanted one now and nothing was written into the old one."""
        self._kept_late = False
        replacement = self._replacement(present, wanted)
        try:
            replacement.forward()
            self.wrote = True
            files.fsync_dir(self._root.path)
            replacement.tidy()
        except ChangedMeanwhileError:
            replacement.reclaim()
            return False
        except (OSError, MemoryFilesError):
            with contextlib.suppress(OSError, MemoryFilesError):
                replacement.reclaim()
            raise
        return not self._kept_late

    def _replacement(self, before: bytes | None, after: bytes | None) -> Replacement:
        change = FileChange(MemoryPath(self._root.scope, INDEX_NAME), before, after)
        return Replacement(self._root.path, change, _TAG, keep=self._keep_foreign, step=self._step)

    def _keep_foreign(self, kept: KeptText) -> None:
        """What an editor wrote into the index while it lay aside."""
        self._kept_late = True
        try:
            text = _hand_written(kept.content)
        except MemoryFilesError:
            _create(self._root.path, lambda taken: _free(_SET_ASIDE, taken), kept.content)
        else:
            if text:
                self._keep(text)

    def _keep(self, text: str, scan: Scan | None = None) -> bool:
        """Makes a document of a text, unless there is one that says it; whether it did."""
        if text in self._kept or (
            scan and any(found.document.body == text for found in scan.documents)
        ):
            return False
        self._step("keep text")
        document = _as_document(self._root.scope, text)
        _create(self._root.path, lambda taken: free_name(KEPT_STEM, taken), document)
        self._kept.add(text)
        return True


def _hand_written(present: bytes) -> str:
    """The lines that no program generated.

    Raises:
        MemoryFilesError: ``memory_document_unreadable``: they cannot be a document.
    """
    lines = decode(present).removeprefix("\ufeff").split("\n")
    if all(map(is_generated, lines)):
        return ""
    kept = "\n".join(line for line in lines if not line.strip() or not is_generated(line))
    kept = kept.strip("\r\n")
    _as_document(Scope.USER, kept)
    return kept


def _as_document(scope: Scope, text: str) -> bytes:
    topic = Topic.USER if scope is Scope.USER else Topic.PROJECT
    return render(KEPT_NAME, KEPT_DESCRIPTION, topic, text)


def _create(directory: Path, name: Callable[[set[str]], str], data: bytes) -> None:
    for attempt in range(MAX_ATTEMPTS):
        try:
            create_durably(directory / name(_names(directory)), data)
        except FileExistsError:
            if attempt == MAX_ATTEMPTS - 1:
                raise
        else:
            return


def _free(wanted: str, taken: set[str]) -> str:
    free, number = wanted, 2
    while free.casefold() in taken:
        free = f"{wanted}-{number}"
        number += 1
    return free


def _names(directory: Path) -> set[str]:
    return {name.casefold() for name in os.listdir(directory)}  # noqa: PTH208 - names are wanted


def _failed(reason: str) -> MemoryFilesError:
    return MemoryFilesError("memory_index_failed", f"The index was not rebuilt: {reason}.")
