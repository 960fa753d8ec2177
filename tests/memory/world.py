"""A memory on disk, with everything that a commit needs, for the tests of the writing half."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from qmemd.kinds import Scope, TaskKind
from qmemd.memory.changes import ChangeSet, FileChange
from qmemd.memory.commit import Committer
from qmemd.memory.draft import Draft, MemoryPath
from qmemd.memory.history import History, no_step
from qmemd.memory.late_writes import LateWrites
from qmemd.memory.paths import resolve_paths
from qmemd.memory.proposals import RunRecord
from qmemd.memory.scan import Scanner

NOW = datetime(2026, 7, 30, 10, 11, 12, 345678, tzinfo=UTC)
INDEX = "MEMORY.md"


class SimulatedCrash(BaseException):
    """Ends a run as a crash would: nothing of ours handles it."""


class Steps:
    """Counts the steps of a run, and does something at one of them."""

    def __init__(self, at: int | None = None, act: Callable[[], None] | None = None) -> None:
        self.names: list[str] = []
        self._at = at
        self._act = act

    def __call__(self, name: str) -> None:
        self.names.append(name)
        if self._act and len(self.names) - 1 == self._at:
            self._act()


class At:
    """Does something once, at the nth step of a name."""

    def __init__(self, name: str, act: Callable[[], None], *, nth: int = 0) -> None:
        self._name = name
        self._act = act
        self._left = nth

    def __call__(self, name: str) -> None:
        if name == self._name:
            self._left -= 1
            if self._left == -1:
                self._act()


def crash() -> None:
    raise SimulatedCrash


def user(relative: str) -> MemoryPath:
    return MemoryPath(Scope.USER, relative)


def project(relative: str) -> MemoryPath:
    return MemoryPath(Scope.PROJECT, relative)


def document(text: str, topic: str = "user") -> bytes:
    return f"---\nname: {text}\ndescription: {text}\ntype: {topic}\n---\n\n{text}.\n".encode()


def add(path: MemoryPath, text: str) -> FileChange:
    return FileChange(path, None, document(text))


def run_of(task_id: str = "remember-1", kind: TaskKind = TaskKind.REMEMBER) -> RunRecord:
    return RunRecord(task_id, kind, "client-1", "/work/app", "offline")


class World:
    """A base directory and a workspace below a temporary directory."""

    def __init__(self, directory: Path, workspace: str = "app") -> None:
        self.base = directory / "base"
        self.workspace = directory / workspace
        self.workspace.mkdir(parents=True, exist_ok=True)
        self.paths = resolve_paths(self.base, self.workspace)
        self.history = History(self.paths.history)
        self.late: LateWrites | None = None
        """What watches replaced files, where a test wants that."""
        self._ids = itertools.count(1)
        self._name = workspace.replace("/", "_")

    def committer(
        self, step: Callable[[str], None] = no_step, *, lock_timeout: float = 5.0
    ) -> Committer:
        return Committer(
            self.paths,
            History(self.paths.history, step=step),
            scanner=Scanner(),
            clock=lambda: NOW,
            new_id=lambda: f"{self._name}-{next(self._ids)}",
            lock_timeout=lock_timeout,
            late=self.late,
            step=step,
        )

    def commit(
        self,
        *changes: FileChange,
        step: Callable[[str], None] = no_step,
        run: RunRecord | None = None,
        may_commit: Callable[[], bool] = lambda: True,
        lock_timeout: float = 5.0,
    ) -> ChangeSet:
        return self.committer(step, lock_timeout=lock_timeout).commit(
            changes, run or run_of(), result=result_of, may_commit=may_commit
        )

    def draft(self) -> Draft:
        return Draft(self.paths)

    def absolute(self, path: MemoryPath) -> Path:
        return self.paths.root(path.scope).path / path.relative

    def save(self, path: MemoryPath, content: bytes, *, mode: int = 0o600) -> None:
        absolute = self.absolute(path)
        absolute.parent.mkdir(parents=True, exist_ok=True)
        absolute.write_bytes(content)
        absolute.chmod(mode)

    def content(self, path: MemoryPath) -> bytes | None:
        absolute = self.absolute(path)
        return absolute.read_bytes() if absolute.exists() else None

    def files(self) -> dict[str, bytes]:
        """Every file below both roots but the indexes, ours that should not be there too."""
        return {
            f"{root.scope.value}:{path.relative_to(root.path)}": path.read_bytes()
            for root in self.paths.roots
            for path in root.path.rglob("*")
            if path.is_file() and path.name != INDEX
        }

    def index(self, scope: Scope) -> str:
        return self.paths.root(scope).index_path.read_text()


def result_of(change_set: ChangeSet) -> dict[str, Any]:
    return {"summary": "Saved.", "changeSetId": change_set.change_set_id}
