"""``MEMORY.md``: rebuilt from the documents, without destroying what somebody wrote into it."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from qmemd.errors import MemoryFilesError
from qmemd.kinds import Scope, Topic
from qmemd.memory.documents import MAX_DOCUMENT_BYTES, decode, render
from qmemd.memory.files import atomic_write, fsync_dir, open_directory, read_at
from qmemd.memory.index import is_generated, render_index
from qmemd.memory.names import free_name
from qmemd.memory.paths import INDEX_NAME, Root
from qmemd.memory.scan import Scan, Scanner

KEPT_STEM = "kept-from-index"
KEPT_NAME = "Kept from MEMORY.md"
KEPT_DESCRIPTION = "Text that stood in MEMORY.md, which is generated"
_SET_ASIDE = f"{INDEX_NAME}.unreadable"


def rebuild_index(scan: Scan) -> bool:
    """Brings the index of a scanned root up to date. The caller holds the root's lock.

    Text in it that is not generated becomes a document first; an index that is no text is set
    aside as ``MEMORY.md.unreadable``; a link is replaced and its target left alone. A root that
    does not exist is not made.

    Returns:
        Whether the file was written.

    Raises:
        MemoryFilesError: ``memory_index_failed``: a directory could not be read, or ``MEMORY.md``
            is a directory or a device; the old index stays. ``memory_path_refused``: the root
            lies behind a link.
        OSError: the system refuses; the old index stays.
    """
    if not scan.complete:
        raise _failed("a directory of the memory cannot be read")
    root = scan.root
    documents = scan.documents
    try:
        present = _present(root)
        kept = _hand_written(present or b"")
    except FileNotFoundError:
        return False
    except MemoryFilesError as error:
        if error.code != "memory_document_unreadable":
            raise
        _set_aside(root)
        present, kept = None, ""
    if kept and all(found.document.body != kept for found in documents):
        _keep(root, kept)
        documents = Scanner().scan(root).documents
    wanted = render_index(documents)
    if present == wanted:
        return False
    atomic_write(root.index_path, wanted)
    return True


def _present(root: Root) -> bytes | None:
    """What the index holds; None when there is none, or a link in its place.

    Raises:
        FileNotFoundError: there is no root.
        MemoryFilesError: it is neither a file nor a link, or it is too large to be a document.
    """
    with open_directory(root.path) as directory:
        try:
            status = os.stat(INDEX_NAME, dir_fd=directory, follow_symlinks=False)
        except FileNotFoundError:
            return None
        if stat.S_ISLNK(status.st_mode):
            return None
        if not stat.S_ISREG(status.st_mode):
            raise _failed("MEMORY.md is not a regular file; move it away")
        return read_at(directory, INDEX_NAME, limit=MAX_DOCUMENT_BYTES)


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


def _keep(root: Root, text: str) -> None:
    name = free_name(KEPT_STEM, _names(root.path))
    atomic_write(root.path / name, _as_document(root.scope, text))


def _set_aside(root: Root) -> None:
    taken = _names(root.path)
    name, number = _SET_ASIDE, 2
    while name.casefold() in taken:
        name = f"{_SET_ASIDE}-{number}"
        number += 1
    with open_directory(root.path) as directory:
        os.rename(INDEX_NAME, name, src_dir_fd=directory, dst_dir_fd=directory)
    fsync_dir(root.path)


def _names(directory: Path) -> set[str]:
    return {name.casefold() for name in os.listdir(directory)}  # noqa: PTH208 - names are wanted


def _failed(reason: str) -> MemoryFilesError:
    return MemoryFilesError("memory_index_failed", f"The index was not rebuilt: {reason}.")
