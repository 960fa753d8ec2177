"""The draft as the tools of one run see it."""

from __future__ import annotations

from collections.abc import Callable

from qmemd.agent.blots import Blots
from qmemd.agent.scope import ToolRefusedError
from qmemd.errors import MemoryFilesError
from qmemd.kinds import Scope
from qmemd.memory.changes import FileChange
from qmemd.memory.draft import Draft
from qmemd.memory.index import render_index
from qmemd.memory.memorypath import MemoryPath
from qmemd.memory.paths import INDEX_NAME, MemoryPaths
from qmemd.memory.rewrites import Rewrites
from qmemd.memory.scan import Scan, Scanner


class DraftView:
    """Reads and writes documents in the draft, and knows which of them the model has seen."""

    def __init__(
        self,
        paths: MemoryPaths,
        draft: Draft,
        scan: Callable[[Scope], Scan] | None = None,
        *,
        blind: bool = False,
        blots: Blots | None = None,
    ) -> None:
        self._paths = paths
        self._draft = draft
        self._scan = scan or _fresh_scan(paths)
        self.blind = blind
        """Nothing of earlier memory is shown; only what this run wrote exists for its tools."""
        self.blots = blots or Blots()
        """Hides secrets in what the tools show."""
        self._written: set[MemoryPath] = set()
        # A model searches several times in one turn; walking costs more than searching.
        self._walked: dict[tuple[Scope, str], list[MemoryPath]] = {}
        self.seen: set[MemoryPath] = set()
        """What the model read or wrote."""

    def content(self, path: MemoryPath) -> bytes:
        """The document's bytes.

        Raises:
            ToolRefusedError: for this run there is none.
            MemoryFilesError: it cannot be read.
        """
        hidden = self.blind and path not in self._written
        data = None if hidden else self._draft.read(path)
        if data is None:
            raise ToolRefusedError("There is no such file.")
        return data

    def shown(self, path: MemoryPath) -> bytes:
        """The document's bytes as the model may see them; raises like `content`."""
        data = self.content(path)
        if not self.blots.active:
            return data
        if path.relative == INDEX_NAME:
            # Its lines are cut, perhaps amidst a secret.
            return render_index(self._scan(path.scope).documents, self.blots.document)
        return as_bytes(self.blots.text(as_text(data)))

    def searchable(self, path: MemoryPath) -> str:
        """The document's text, as it is; nothing when it cannot be read."""
        try:
            return self.content(path).decode("utf-8", "replace")
        except (ToolRefusedError, MemoryFilesError, OSError):
            return ""

    def check_writable(self, path: MemoryPath) -> None:
        """A document from before this run is only written over by who has read it.

        Raises:
            ToolRefusedError: it was not read, or must not be.
        """
        if path in self.seen or not self._draft.exists(path):
            return
        if self.blind:
            raise ToolRefusedError("Refused: this name is taken; use another one.")
        raise ToolRefusedError("Refused: this file exists; read it first, or use another name.")

    def check_rewrite(self, path: MemoryPath, data: bytes, *, dreaming: bool) -> None:
        """What the commit would refuse is told at once, while the model can mend it.

        Raises:
            ToolRefusedError: the text would be lost, or is none.
        """
        change = FileChange(path, self._draft.before(path), data)
        others = [other for other in self._draft.changes() if other.path != path]
        fault = Rewrites([change, *others], self._scan, dreaming=dreaming).fault(change)
        if fault:
            raise ToolRefusedError(f"Refused: {fault}")

    def put(self, path: MemoryPath, data: bytes) -> None:
        """Writes into the draft."""
        self._draft.write(path, data)
        self._walked.clear()
        self._written.add(path)
        self.seen.add(path)

    def remove(self, path: MemoryPath, merged_into: MemoryPath | None) -> None:
        """Removes from the draft."""
        self._draft.remove(path, merged_into=merged_into)
        self._walked.clear()
        self._written.discard(path)
        self.seen.discard(path)

    def names(self, scope: Scope, relative: str) -> list[str]:
        """Names in a directory, sorted; directories end with ``/``."""
        if not self.blind:
            return [name for name in self._draft.list_directory(scope, relative) if _is_text(name)]
        below = f"{relative}/" if relative else ""
        rests = [
            path.relative[len(below) :]
            for path in self._written
            if path.scope is scope and path.relative.startswith(below)
        ]
        return sorted({head + slash for head, slash, _ in (rest.partition("/") for rest in rests)})

    def documents(self, scope: Scope, relative: str) -> list[MemoryPath]:
        """The document at this place, or all below it: as of the run's first such question."""
        if relative.endswith(".md"):
            return [MemoryPath(scope, relative)]
        place = (scope, relative)
        if place not in self._walked:
            self._walked[place] = self._walk(scope, relative)
        return self._walked[place]

    def absolute(self, path: MemoryPath) -> str:
        """The path as the model knows it."""
        return f"{self._paths.root(path.scope).path}/{path.relative}"

    def _walk(self, scope: Scope, relative: str) -> list[MemoryPath]:
        found: list[MemoryPath] = []
        for name in self.names(scope, relative):
            below = f"{relative}/{name}" if relative else name
            if name.endswith("/"):
                found += self._walk(scope, below.removesuffix("/"))
            elif name.endswith(".md"):
                found.append(MemoryPath(scope, below))
        return found


def as_text(data: bytes) -> str:
    """The text of any bytes; `as_bytes` is the way back."""
    return data.decode("utf-8", "surrogateescape")


def as_bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _fresh_scan(paths: MemoryPaths) -> Callable[[Scope], Scan]:
    scanner = Scanner()
    return lambda scope: scanner.scan(paths.root(scope))


def _is_text(name: str) -> bool:
    """A name in another encoding cannot be told to a model, nor come back from one."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
