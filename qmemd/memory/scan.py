"""Finding the documents below a root, without reading again what has not changed."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from qmemd.memory.found import FoundDocument, Parsed, Stamp, read_found, stamp_of
from qmemd.memory.paths import INDEX_NAME, OWN_PREFIX, Root

__all__ = ["FoundDocument", "Scan", "Scanner"]

MAX_DEPTH = 100
"""Directories below each other; each holds a file descriptor while it is read."""

_MAX_ROOTS = 4
_SETTLED_NS = 100_000_000
"""A file this fresh may change again without a new time stamp, so it is read again."""
_DIRECTORY_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_DIRECTORY | os.O_CLOEXEC


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


class Scanner:
    """Scans roots and keeps what it parsed, up to a bound. Threads may share it."""

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

    def scan(self, root: Root) -> Scan:
        """Reads the tree. Bad files are reported and skipped; nothing outside is followed."""
        with self._lock:
            walk = _Walk(root, self._parsed.pop(root.path, {}), self._clock_ns)
            walk.run()
            self._keep(root, walk.parsed)
        walk.documents.sort(key=lambda found: (-found.mtime_ns, found.path))
        return Scan(root, tuple(walk.documents), tuple(sorted(walk.problems)), walk.complete)

    def _keep(self, root: Root, parsed: dict[str, tuple[Stamp, Parsed]]) -> None:
        kept: dict[str, tuple[Stamp, Parsed]] = {}
        size = 0
        for path, item in parsed.items():
            size += item[0][1]
            if len(kept) == self._max_documents or size > self._max_bytes:
                break
            kept[path] = item
        self._parsed[root.path] = kept
        while len(self._parsed) > _MAX_ROOTS:
            del self._parsed[next(iter(self._parsed))]


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
        self.problems: list[str] = []
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
        if name.startswith(OWN_PREFIX):
            return
        if item.is_symlink():
            # What it leads to inside the root is found under its own path.
            if not _leads_inside(self._root.path, path):
                self._problem(path, "the link does not lead to a place in the memory root")
        elif item.is_dir(follow_symlinks=False):
            self._directory(name, directory, f"{path}/", depth + 1)
        elif name.endswith(".md") and name != INDEX_NAME:
            self._file(name, directory, path)

    def _file(self, name: str, directory: int, path: str) -> None:
        try:
            status = os.stat(name, dir_fd=directory, follow_symlinks=False)
            known = self._known.get(path)
            if known and known[0] == stamp_of(status):
                found = known[1]
            else:
                status, found = read_found(self._root, path, directory, name)
        except FileNotFoundError:
            return
        except OSError as error:
            self._problem(path, f"the file cannot be read ({error.strerror})")
            return
        if self._clock_ns() - max(status.st_mtime_ns, status.st_ctime_ns) > _SETTLED_NS:
            self.parsed[path] = (stamp_of(status), found)
        if isinstance(found, str):
            self._problem(path, found)
        else:
            self.documents.append(found)

    def _problem(self, path: str, reason: str) -> None:
        shown = path.encode("utf-8", "backslashreplace").decode()
        shown = "".join(char if char.isprintable() else "?" for char in shown)
        self.problems.append(f"{shown or '.'}: {reason}")

    def _incomplete(self, prefix: str, reason: str) -> None:
        self.complete = False
        self._problem(prefix, reason)


def _leads_inside(root: Path, path: str) -> bool:
    target = os.path.realpath(root / path)
    return f"{target}/".startswith(f"{root}/") and os.path.lexists(target)
