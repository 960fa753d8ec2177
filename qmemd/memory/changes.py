"""Change sets: what one run does to the documents, as data that is written before it is done."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal

from qmemd.erasure import holds, without
from qmemd.errors import MemoryFilesError
from qmemd.kinds import ChangeState, Scope, TaskKind
from qmemd.memory.memorypath import MemoryPath
from qmemd.tasks import iso, to_json

_ID = re.compile(r"[A-Za-z0-9_-]{1,100}")


@dataclass(frozen=True, slots=True)
class FileChange:
    """What happens to one document."""

    path: MemoryPath
    before: bytes | None
    """Content as the run read it; None when the document did not exist."""
    after: bytes | None
    """Content to be; None removes the document."""
    merged_into: MemoryPath | None = None
    """For a removal: the document that says the same from now on."""

    @property
    def change(self) -> Literal["added", "changed", "removed"]:
        if self.before is None:
            return "added"
        return "removed" if self.after is None else "changed"

    @property
    def reversed(self) -> FileChange:
        """What takes it back."""
        return FileChange(self.path, before=self.after, after=self.before)


@dataclass(frozen=True, slots=True)
class KeptText:
    """What another program wrote into a document just while it was being replaced."""

    path: MemoryPath
    content: bytes


@dataclass(frozen=True, slots=True)
class Move:
    """The state that another change set gets once this one is applied."""

    change_set_id: str
    state: ChangeState


@dataclass(frozen=True, slots=True)
class ChangeSet:
    """All changes of one run: applied as a whole or not at all."""

    change_set_id: str
    task_id: str
    kind: TaskKind
    workspace: str
    """The workspace's canonical path."""
    client_id: str | None
    created_at: datetime
    state: ChangeState
    files: tuple[FileChange, ...]
    result: dict[str, Any] = field(default_factory=dict)
    """The task's result as it goes on the wire."""
    model: str | None = None
    """Name of the model that asked for the changes."""
    roots: Mapping[Scope, str] = field(default_factory=dict)
    """Roots of the touched scopes: relative to the base directory when below it, else absolute."""
    made_directories: tuple[str, ...] = ()
    """Directories that the change set makes, outermost first; paths like those of ``roots``."""
    kept: tuple[KeptText, ...] = ()
    erases: tuple[str, ...] = ()
    """Texts that are to be gone for good once this is applied: from all of the history."""
    moves: Move | None = None
    """For one that does another one's changes, forwards or backwards; it is not listed itself."""

    def __post_init__(self) -> None:
        if not _ID.fullmatch(self.change_set_id):
            raise ValueError("a change set id is 1-100 letters, digits, '-' or '_'")

    @property
    def touched_scopes(self) -> tuple[Scope, ...]:
        """Sorted and unique."""
        return tuple(sorted({change.path.scope for change in self.files}))

    def holds(self, texts: Collection[str]) -> bool:
        """Whether any of the texts stands in a content, a result or a path of it."""
        contents = [image for one in self.files for image in (one.before, one.after) if image]
        contents += [kept.content for kept in self.kept]
        return (
            any(holds(content.decode(errors="replace"), texts) for content in contents)
            or any(holds(f"/{one.path.relative}", texts) for one in self.files)
            or without(texts, self.result) != self.result
        )

    def erased(self, texts: Collection[str]) -> ChangeSet:
        """The same without its contents, and without these texts: it cannot be done or undone."""
        return replace(
            self,
            state=ChangeState.ERASED,
            files=tuple(
                FileChange(
                    _nameless(one.path, number)
                    if holds(f"/{one.path.relative}", texts)
                    else one.path,
                    None if one.before is None else b"",
                    None if one.after is None else b"",
                )
                for number, one in enumerate(self.files, 1)
            ),
            result=without(texts, self.result),
            kept=(),
            erases=(),
        )

    def to_json(self) -> bytes:
        """One JSON object in UTF-8."""
        return to_json(
            {
                "version": 1,
                "changeSetId": self.change_set_id,
                "taskId": self.task_id,
                "kind": self.kind.value,
                "workspace": self.workspace,
                "clientId": self.client_id,
                "createdAt": iso(self.created_at),
                "state": self.state.value,
                "files": [_file_to_json(change) for change in self.files],
                "result": self.result,
                "model": self.model,
                "roots": {scope.value: root for scope, root in self.roots.items()},
                "madeDirectories": list(self.made_directories),
                "kept": [
                    _path_to_json(kept.path) | {"content": _image_to_json(kept.content)}
                    for kept in self.kept
                ],
                "erases": list(self.erases),
                "moves": self.moves
                and {"changeSetId": self.moves.change_set_id, "state": self.moves.state.value},
            }
        )

    @classmethod
    def from_json(cls, data: bytes) -> ChangeSet:
        """Reads what `to_json` wrote.

        Raises:
            MemoryFilesError: ``change_set_unreadable``; also when a content does not have the
                hash that is stored beside it.
        """
        try:
            return _from_json(json.loads(data))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise MemoryFilesError(
                "change_set_unreadable", "A change set in the history cannot be read."
            ) from error


def digest(content: bytes) -> str:
    """SHA-256 in hex, as change sets name contents."""
    return hashlib.sha256(content).hexdigest()


def _from_json(wire: Any) -> ChangeSet:
    change_set = ChangeSet(
        change_set_id=wire["changeSetId"],
        task_id=wire["taskId"],
        kind=TaskKind(wire["kind"]),
        workspace=wire["workspace"],
        client_id=wire["clientId"],
        created_at=datetime.fromisoformat(wire["createdAt"]),
        state=ChangeState(wire["state"]),
        files=tuple(_file_from_json(item) for item in wire["files"]),
        result=dict(wire["result"]),
        model=wire["model"],
        roots={Scope(scope): str(root) for scope, root in wire["roots"].items()},
        made_directories=tuple(wire["madeDirectories"]),
        kept=tuple(KeptText(_path_from_json(item), _content(item)) for item in wire["kept"]),
        erases=tuple(map(str, wire.get("erases", ()))),
        moves=_move_from_json(wire.get("moves")),
    )
    if not change_set.roots.keys() >= set(change_set.touched_scopes):
        raise ValueError("a root is missing")
    return change_set


def _move_from_json(wire: Any) -> Move | None:
    return None if wire is None else Move(wire["changeSetId"], ChangeState(wire["state"]))


def _nameless(path: MemoryPath, number: int) -> MemoryPath:
    """A path in the place of one whose name tells too much."""
    return MemoryPath(path.scope, f"erased-{number}.md")


def _file_to_json(change: FileChange) -> dict[str, Any]:
    return _path_to_json(change.path) | {
        "before": _image_to_json(change.before),
        "after": _image_to_json(change.after),
        "mergedInto": _path_to_json(change.merged_into) if change.merged_into else None,
    }


def _file_from_json(wire: Any) -> FileChange:
    target = wire["mergedInto"]
    return FileChange(
        path=_path_from_json(wire),
        before=_image_from_json(wire["before"]),
        after=_image_from_json(wire["after"]),
        merged_into=None if target is None else _path_from_json(target),
    )


def _path_to_json(path: MemoryPath) -> dict[str, Any]:
    return {"scope": path.scope.value, "path": path.relative}


def _path_from_json(wire: Any) -> MemoryPath:
    try:
        return MemoryPath(Scope(wire["scope"]), wire["path"])
    except MemoryFilesError as error:
        raise ValueError("not a memory path") from error


def _image_to_json(content: bytes | None) -> dict[str, Any] | None:
    if content is None:
        return None
    try:
        body = {"text": content.decode()}
    except UnicodeDecodeError:
        body = {"base64": base64.b64encode(content).decode()}
    return body | {"sha256": digest(content)}


def _image_from_json(wire: Any) -> bytes | None:
    if wire is None:
        return None
    text = wire.get("text")
    content: bytes = base64.b64decode(wire["base64"]) if text is None else text.encode()
    if digest(content) != wire["sha256"]:
        raise ValueError("a content does not have its hash")
    return content


def _content(wire: Any) -> bytes:
    content = _image_from_json(wire["content"])
    if content is None:
        raise ValueError("a kept text is missing")
    return content
