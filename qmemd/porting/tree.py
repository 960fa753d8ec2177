"""Walking a directory of another tool's memories. No link in it is followed, nothing is run."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path

from qmemd.errors import MemoryFilesError
from qmemd.kinds import Scope, Topic
from qmemd.memory.documents import MAX_DOCUMENT_BYTES, parse
from qmemd.memory.files import open_directory, open_regular_at, read_whole
from qmemd.memory.paths import INDEX_NAME, OWN_PREFIX
from qmemd.porting.facts import decoded, facts_of_bullets
from qmemd.porting.records import Read, ReadDocument, ReadFact, SourceRefusedError, Unreadable

MAX_FILES = 10_000
"""Names that one directory tree may have."""
MAX_TREE_DEPTH = 32
"""Directories below each other."""
CONTEXT_FILES = ("agents.md", "claude.md", "claude.local.md", "gemini.md", "qwen.md")
"""Files of many facts, in lower case."""
SUFFIXES = (".md", ".markdown", ".mdc")
"""Endings of markdown files, in lower case."""
_OF_THE_USER = (Topic.USER, Topic.FEEDBACK)
_LINK = re.compile(r"(?:^|: )\[[^\n]*\]\([^\n]*\)")


def read_tree(directory: Path, scope: Scope | None) -> Iterator[Read]:
    """The documents and facts below a directory, in the order of their paths.

    ``scope`` is where documents go; by what they say of their type when it is None.
    """
    real = Path(os.path.realpath(directory))
    left = MAX_FILES
    for prefix, name, reason in _names(real, "", MAX_TREE_DEPTH):
        left -= 1
        if left < 0:
            yield Unreadable(prefix + name, f"more than {MAX_FILES} files; the rest is not read")
            return
        if reason:
            yield Unreadable(prefix + name, reason)
        elif name.casefold() in CONTEXT_FILES:
            yield from _bullets_in(real, prefix + name)
        elif name.casefold() == INDEX_NAME.casefold():
            yield from (one for one in _bullets_in(real, prefix + name) if not _is_link(one))
        else:
            yield read_document(real, prefix + name, scope)


def read_document(root: Path, relative: str, scope: Scope | None) -> Read:
    """One markdown file as a document of the same place."""
    try:
        content, modified = _content(root / relative)
        document = parse(content)
    except (OSError, MemoryFilesError) as error:
        return Unreadable(relative, _reason(error))
    where = scope or (Scope.USER if document.topic in _OF_THE_USER else Scope.PROJECT)
    stem = relative[: relative.rindex(".")]
    return ReadDocument(where, f"{stem}.md", content, modified)


def _bullets_in(root: Path, relative: str) -> Iterator[Read]:
    try:
        text = decoded(_content(root / relative)[0])
    except (OSError, MemoryFilesError, SourceRefusedError) as error:
        yield Unreadable(relative, _reason(error))
        return
    for read in facts_of_bullets(text):
        if isinstance(read, ReadFact):
            yield ReadFact(read.text, f"{relative} {read.where}")
        elif isinstance(read, Unreadable):
            yield Unreadable(f"{relative} {read.where}", read.reason)


def _is_link(read: Read) -> bool:
    """Whether a bullet of an index only names a document, which is read as such."""
    return isinstance(read, ReadFact) and bool(_LINK.search(read.text.partition("\n")[0]))


def _content(path: Path) -> tuple[bytes, int]:
    with open_directory(path.parent) as directory, open_regular_at(directory, path.name) as file:
        modified = os.fstat(file).st_mtime_ns
        data = read_whole(file, limit=MAX_DOCUMENT_BYTES + 1)
    if len(data) > MAX_DOCUMENT_BYTES:
        raise MemoryFilesError(
            "memory_document_unreadable", f"It is larger than {MAX_DOCUMENT_BYTES} bytes."
        )
    return data, modified


def _names(directory: Path, prefix: str, depth: int) -> Iterator[tuple[str, str, str | None]]:
    """Prefix and name of each file that may be a memory, and what speaks against it."""
    try:
        with open_directory(directory) as descriptor, os.scandir(descriptor) as found:
            items = sorted((one.name, one.stat(follow_symlinks=False).st_mode) for one in found)
    except (OSError, MemoryFilesError) as error:
        yield prefix, "", _reason(error)
        return
    for name, mode in items:
        markdown = name.casefold().endswith(SUFFIXES)
        if name.startswith(".") and (stat.S_ISDIR(mode) or name.startswith(OWN_PREFIX)):
            continue  # a repository's own, a tool's settings
        if stat.S_ISDIR(mode) and depth == 0:
            yield prefix, name, "directories are nested too deep"
        elif stat.S_ISDIR(mode):
            yield from _names(directory / name, f"{prefix}{name}/", depth - 1)
        elif markdown and stat.S_ISLNK(mode):
            yield prefix, name, "it is a link"
        elif markdown and not stat.S_ISREG(mode):
            yield prefix, name, "it is not a regular file"
        elif markdown:
            yield prefix, name, None


def _reason(error: Exception) -> str:
    if isinstance(error, MemoryFilesError):
        return error.message
    return getattr(error, "strerror", None) or str(error)
