"""What is said about context files, and how it looks on the wire."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any


class ContextScope(StrEnum):
    """Whose file it is."""

    WORKSPACE = "workspace"
    GLOBAL = "global"


class WriteMode(StrEnum):
    """What becomes of the text that is there."""

    APPEND = "append"
    REPLACE = "replace"


@dataclass(frozen=True, slots=True)
class ListedFile:
    """One file that is there."""

    path: Path
    scope: ContextScope
    size: int
    """Bytes."""

    def to_wire(self) -> dict[str, Any]:
        return {
            "kind": "memory_file",
            "path": str(self.path),
            "scope": self.scope.value,
            "bytes": self.size,
        }


@dataclass(frozen=True, slots=True)
class Trouble:
    """A file that is there and cannot be looked at."""

    path: Path
    error: str
    error_kind: str
    """``stat_failed`` or ``symlink_escape``."""

    def to_wire(self) -> dict[str, Any]:
        return {
            "kind": "memory_file",
            "status": "error",
            "error": self.error,
            "errorKind": self.error_kind,
            "hint": str(self.path),
        }


@dataclass(frozen=True, slots=True)
class Listing:
    """All context files of a workspace."""

    workspace: Path
    files: tuple[ListedFile, ...]
    troubles: tuple[Trouble, ...] = ()

    def to_wire(self) -> dict[str, Any]:
        wire: dict[str, Any] = {
            "v": 1,
            "workspaceCwd": str(self.workspace),
            "initialized": bool(self.files),
            "files": [file.to_wire() for file in self.files],
            "totalBytes": sum(file.size for file in self.files),
            "fileCount": len(self.files),
            "ruleCount": 0,
        }
        if self.troubles:
            wire["errors"] = [trouble.to_wire() for trouble in self.troubles]
        return wire


@dataclass(frozen=True, slots=True)
class Written:
    """What a write did."""

    path: Path
    size: int
    """Bytes: of the content when it replaced all, of the whole new file when it was appended."""
    mode: WriteMode
    changed: bool

    def to_wire(self) -> dict[str, Any]:
        return {
            "ok": True,
            "filePath": str(self.path),
            "bytesWritten": self.size,
            "mode": self.mode.value,
            "changed": self.changed,
        }


@dataclass(frozen=True, slots=True)
class FileContent:
    """A file's text, or a part of it."""

    path: Path
    content: str
    bom: bool
    crlf: bool
    size: int
    """Bytes of the whole file."""
    returned: int
    """Bytes of ``content`` in UTF-8."""
    truncated: bool
    """Whether ``content`` was cut at the limit of bytes."""
    has_more: bool
    """Whether the file has more after it."""
    sha256: str
    """Of the whole file, in hexadecimal."""
    lines: int
    """Of the whole file."""

    def to_wire(self) -> dict[str, Any]:
        return {
            "kind": "file",
            "path": str(self.path),
            "content": self.content,
            "encoding": "utf-8",
            "bom": self.bom,
            "lineEnding": "crlf" if self.crlf else "lf",
            "sizeBytes": self.size,
            "returnedBytes": self.returned,
            "truncated": self.truncated,
            "hash": self.sha256,
            "matchedIgnore": None,
            "originalLineCount": self.lines,
            "nextCursor": None,
            "hasMore": self.has_more,
        }
