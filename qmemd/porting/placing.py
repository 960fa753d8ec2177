"""Whether a document may come in, and whether its place is free: nothing that is there goes."""

from __future__ import annotations

from dataclasses import dataclass

from qmemd.errors import MemoryFilesError, TaskFailedError
from qmemd.memory.changes import FileChange
from qmemd.memory.checks import check_restored, without_secrets
from qmemd.memory.documents import MAX_DOCUMENT_BYTES
from qmemd.memory.files import read_regular
from qmemd.memory.memorypath import MemoryPath
from qmemd.memory.paths import MemoryPaths
from qmemd.memory.scan import MAX_DEPTH
from qmemd.memory.secrets import SecretPolicy
from qmemd.porting.records import ReadDocument


class RefusedError(Exception):
    """A document does not come in; the sentence says why."""


class TakenError(Exception):
    """Another document has its place, and stays; the sentence says which one."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A document on its way in."""

    read: ReadDocument
    change: FileChange


class Placing:
    """Judges one document after the other."""

    def __init__(self, paths: MemoryPaths, policy: SecretPolicy) -> None:
        self._paths = paths
        self._policy = policy
        self._taken: set[MemoryPath] = set()

    def place(self, read: ReadDocument) -> Placed | None:
        """The change that brings it in; None when it is there already.

        Raises:
            RefusedError: its path or its content are not to be written.
            TakenError: its place is not free.
        """
        try:
            path = MemoryPath(read.scope, read.relative)
            there = self._content(path)
            if there == read.content:
                return None
            change = self._judged(FileChange(path, None, read.content))
        except TaskFailedError as error:
            raise RefusedError(error.details or error.message) from error
        except MemoryFilesError as error:
            raise RefusedError(error.message) from error
        except OSError as error:
            raise RefusedError(f"{error.strerror}.") from error
        if there == change.after:
            return None
        if there is not None:
            raise TakenError("Another text is there; it was kept.")
        if change.path in self._taken:
            raise TakenError("Another document of this import goes there.")
        self._taken.add(change.path)
        return Placed(read, change)

    def _judged(self, change: FileChange) -> FileChange:
        """With its secrets masked, if that is the policy."""
        if len(change.path.parts) - 1 > MAX_DEPTH:
            raise RefusedError(f"It lies more than {MAX_DEPTH} directories deep.")
        check_restored((change,))
        (change,) = without_secrets((change,), self._policy)
        return change

    def _content(self, path: MemoryPath) -> bytes | None:
        root = self._paths.root(path.scope).path
        try:
            return read_regular(root, path.relative, limit=MAX_DOCUMENT_BYTES)
        except FileNotFoundError:
            return None
