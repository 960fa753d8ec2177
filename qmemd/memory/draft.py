"""The draft: what a run would do to the memory, held in memory until it is committed."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from qmemd.errors import MemoryFilesError
from qmemd.kinds import Scope
from qmemd.memory import files
from qmemd.memory.changes import FileChange
from qmemd.memory.documents import MAX_DOCUMENT_BYTES
from qmemd.memory.memorypath import MemoryPath
from qmemd.memory.paths import MemoryPaths

__all__ = ["Draft", "MemoryPath"]


@dataclass(frozen=True, slots=True)
class _Plan:
    after: bytes | None
    merged_into: MemoryPath | None = None


class Draft:
    """An overlay over both memory roots. It reads the disk and never writes it.

    What a path held on disk is remembered at the first look, so that a commit can tell whether
    somebody else changed it since. All methods raise MemoryFilesError for what lies behind a link,
    is not a regular file, or is over the size of a document.
    """

    def __init__(self, paths: MemoryPaths) -> None:
        self._paths = paths
        self._seen: dict[MemoryPath, bytes | None] = {}
        self._plans: dict[MemoryPath, _Plan] = {}

    def read(self, path: MemoryPath) -> bytes | None:
        """The content as the run has left it so far; None when there is none."""
        return self._current(path)

    def exists(self, path: MemoryPath) -> bool:
        """Whether there is a document."""
        return self._current(path) is not None

    def before(self, path: MemoryPath) -> bytes | None:
        """What was on disk when the run first looked."""
        self._current(path)
        return self._seen[path]

    def write(self, path: MemoryPath, content: bytes) -> None:
        """Plans ``content`` for a new or existing document."""
        self._current(path)
        self._plans[path] = _Plan(content)

    def remove(self, path: MemoryPath, *, merged_into: MemoryPath | None = None) -> None:
        """Plans the removal of a document; of none, nothing happens."""
        if self._current(path) is not None:
            self._plans[path] = _Plan(None, merged_into)

    def list_directory(self, scope: Scope, relative: str = "") -> list[str]:
        """Names in a directory, sorted, directories with a trailing ``/``; ``""`` is the root.

        Links and our own temporary files are left out; a directory that does not exist is empty.
        """
        prefix = f"{MemoryPath(scope, relative).relative}/" if relative else ""
        names = _names_on_disk(self._paths.root(scope).path / relative)
        for path, plan in self._plans.items():
            if path.scope is scope and path.relative.startswith(prefix):
                name, slash, _ = path.relative[len(prefix) :].partition("/")
                if plan.after is not None:
                    names.add(name + slash)
                elif not slash:
                    names.discard(name)
        return sorted(names)

    def changes(self) -> tuple[FileChange, ...]:
        """What differs from the disk as it was seen, by path; writes without effect drop out."""
        return tuple(
            FileChange(path, self._seen[path], plan.after, plan.merged_into)
            for path, plan in sorted(self._plans.items(), key=lambda item: item[0])
            if plan.after != self._seen[path]
        )

    def _current(self, path: MemoryPath) -> bytes | None:
        if path not in self._seen:
            self._seen[path] = self._on_disk(path)
        plan = self._plans.get(path)
        return self._seen[path] if plan is None else plan.after

    def _on_disk(self, path: MemoryPath) -> bytes | None:
        root = self._paths.root(path.scope).path
        try:
            return files.read_regular(root, path.relative, limit=MAX_DOCUMENT_BYTES)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise _unreadable(error) from error


def _names_on_disk(directory: Path) -> set[str]:
    names = set()
    try:
        with files.open_directory(directory) as descriptor, os.scandir(descriptor) as found:
            for item in found:
                mode = item.stat(follow_symlinks=False).st_mode
                if stat.S_ISDIR(mode):
                    names.add(f"{item.name}/")
                elif stat.S_ISREG(mode) and not files.is_temporary(item.name):
                    names.add(item.name)
    except FileNotFoundError:
        return set()
    except OSError as error:
        raise _unreadable(error) from error
    return names


def _unreadable(error: OSError) -> MemoryFilesError:
    return MemoryFilesError(
        "memory_document_unreadable", "The memory could not be read.", details=error.strerror
    )
