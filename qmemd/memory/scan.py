"""Finding the documents below a root, without reading again what has not changed."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from qmemd.memory.document_names import (
    DOCUMENT_SUFFIX,
    is_document_name,
    is_index,
    is_own_name,
    is_utf8,
)
from qmemd.memory.files import TEMP_SUFFIX
from qmemd.memory.found import FoundDocument, Parsed, Stamp, read_found, stamp_of
from qmemd.memory.paths import INDEX_NAME, Root

__all__ = ["FoundDocument", "Scan", "Scanner"]

MAX_DEPTH = 100
"""Directories below each other; each holds a file descriptor while it is read."""

_MAX_ROOTS = 4
_MAX_LOGGED = 20
"""Lines about bad files that one scan writes to the log."""
_SETTLED_NS = 100_000_000
"""A file this fresh may change again without a new time stamp, so it is read again."""
_DIRECTORY_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_DIRECTORY | os.O_CLOEXEC
_logger = logging.getLogger(__name__)

V = TypeVar("V")
Problem = tuple[str, Stamp | None]
"""Relative path and reason, and the state of the file that they are about, if that is known."""


@dataclass(frozen=True, slots=True)
class Scan:
    """What lies below a root."""

    root: Root
    documents: tuple[FoundDocument, ...]
    """Newest first, then by path."""
    problems: tuple[str, ...]
    """What was skipped: relative path and reason, without any remembered text."""
    complete: bool
    """False: a directory could not be read, so documents may be missing here."""
    leftovers: tuple[str, ...] = ()
    """Relative paths of temporary files of ours; whoever holds the root's lock may sweep them."""


class Scanner:
    """Scans roots and keeps what it parsed, up to a bound. Threads may share it.

    Every problem is logged once, and again only when the file has changed.
    """

    def __init__(
        self,
        *,
        max_documents: int = 10_000,
        max_bytes: int = 8 << 20,
        clock_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        """The bounds are per root, and count files as they are on disk."""
        self._max_documents = max_documents
        self._max_bytes = max_bytes
        self._clock_ns = clock_ns
        self._lock = threading.Lock()
        self._parsed: dict[Path, dict[str, tuple[Stamp, Parsed]]] = {}
        self._told: dict[Path, frozenset[Problem]] = {}

    def scan(self, root: Root) -> Scan:
        """Reads the tree. Bad files are reported and skipped; nothing outside is followed."""
        with self._lock:
            walk = _Walk(root, self._parsed.pop(root.path, {}), self._clock_ns)
            walk.run()
            self._keep(root, walk.parsed)
            self._tell(root, walk.problems)
        return Scan(
            root,
            tuple(sorted(walk.documents, key=lambda found: (-found.mtime_ns, found.path))),
            tuple(sorted(problem for problem, _ in walk.problems)),
            walk.complete,
            tuple(sorted(walk.leftovers)),
        )

    def _keep(self, root: Root, parsed: dict[str, tuple[Stamp, Parsed]]) -> None:
        kept: dict[str, tuple[Stamp, Parsed]] = {}
        size = 0
        for path, item in parsed.items():
            size += item[0][1]
            if len(kept) == self._max_documents or size > self._max_bytes:
                break
            kept[path] = item
        self._parsed[root.path] = kept
        _bound(self._parsed)

    def _tell(self, root: Root, problems: list[Problem]) -> None:
        new = sorted(set(problems) - self._told.pop(root.path, frozenset()), key=lambda one: one[0])
        self._told[root.path] = frozenset(problems)
        _bound(self._told)
        for problem, _ in new[:_MAX_LOGGED]:
            _logger.warning("left out of the %s memory: %s", root.scope.value, problem)
        if len(new) > _MAX_LOGGED:
            _logger.warning("and %d more files are left out of it", len(new) - _MAX_LOGGED)


class _Walk:
    """One pass over a root."""

    def __init__(
        self,
        root: Root,
        known: dict[str, tuple[Stamp, Parsed]],
        clock_ns: Callable[[], int],
    ) -> None:
        self._root = root
        self._known = known
        self._clock_ns = clock_ns
        self.parsed: dict[str, tuple[Stamp, Parsed]] = {}
        self.documents: list[FoundDocument] = []
        self.problems: list[Problem] = []
        self.leftovers: list[str] = []
        self.complete = True

    def run(self) -> None:
        path = self._root.path
        if os.path.realpath(path) != os.fspath(path):
            self._incomplete("", "the memory root lies behind a symbolic link")
            return
        self._directory(os.fspath(path), None, "", 0)

    def _directory(self, name: str, parent: int | None, prefix: str, depth: int) -> None:
        if depth > MAX_DEPTH:
            self._incomplete(prefix, "directories are nested too deep")
            return
        try:
            directory = os.open(name, _DIRECTORY_FLAGS, dir_fd=parent)
        except FileNotFoundError:
            return
        except OSError as error:
            self._incomplete(prefix, f"the directory cannot be read ({error.strerror})")
            return
        try:
            with os.scandir(directory) as items:
                for item in items:
                    self._item(item, directory, prefix, depth)
        except OSError as error:
            self._incomplete(prefix, f"the directory cannot be read ({error.strerror})")
        finally:
            os.close(directory)

    def _item(self, item: os.DirEntry[str], directory: int, prefix: str, depth: int) -> None:
        name = item.name
        path = prefix + name
        if is_own_name(name):
            if name.endswith(TEMP_SUFFIX) and not item.is_dir(follow_symlinks=False):
                self.leftovers.append(path)
        elif path == INDEX_NAME:
            # Whatever it is, it is the index builder's.
            return
        elif item.is_symlink():
            # What it leads to inside the root is found under its own path.
            if not _leads_inside(self._root.path, path):
                self._problem(path, "the link does not lead to a place in the memory root")
        elif item.is_dir(follow_symlinks=False):
            self._directory(name, directory, f"{path}/", depth + 1)
        elif is_document_name(path):
            if depth or not is_index(directory, path):
                self._file(name, directory, path)
        elif name.endswith(DOCUMENT_SUFFIX) and not is_utf8(path):
            self._problem(path, "its name is not UTF-8")

    def _file(self, name: str, directory: int, path: str) -> None:
        stamp: Stamp | None = None
        try:
            status = os.stat(name, dir_fd=directory, follow_symlinks=False)
            stamp = stamp_of(status)
            known = self._known.get(path)
            if known and known[0] == stamp:
                found = known[1]
            else:
                status, found = read_found(self._root, path, directory, name)
                stamp = stamp_of(status)
        except FileNotFoundError:
            return
        except OSError as error:
            self._problem(path, f"the file cannot be read ({error.strerror})", stamp)
            return
        if self._clock_ns() - max(status.st_mtime_ns, status.st_ctime_ns) > _SETTLED_NS:
            self.parsed[path] = (stamp, found)
        if isinstance(found, str):
            self._problem(path, found, stamp)
        else:
            self.documents.append(found)

    def _problem(self, path: str, reason: str, stamp: Stamp | None = None) -> None:
        shown = path.encode("utf-8", "backslashreplace").decode()
        shown = "".join(char if char.isprintable() else "?" for char in shown)
        self.problems.append((f"{shown or '.'}: {reason}", stamp))

    def _incomplete(self, prefix: str, reason: str) -> None:
        self.complete = False
        self._problem(prefix, reason)


def _bound(kept: dict[Path, V]) -> None:
    while len(kept) > _MAX_ROOTS:
        del kept[next(iter(kept))]


def _leads_inside(root: Path, path: str) -> bool:
    target = os.path.realpath(root / path)
    return f"{target}/".startswith(f"{root}/") and os.path.lexists(target)
