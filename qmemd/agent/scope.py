"""Which files a run may touch: every path in a tool call is judged here, and nowhere else.

A path is judged by where its bytes would land. The memory roots are trusted as they are spelled
(their anchor is canonical, the managed part is literal); a candidate has its links resolved the
way the kernel would, and then has to lie below a root. Opening without following links, which
the draft and the commit do, closes the gap between this judgement and the use of the path.
"""

from __future__ import annotations

import logging
import os
import stat
from collections.abc import Collection
from pathlib import Path

from qmemd.kinds import Scope
from qmemd.memory.document_names import folded_name, is_document_name, is_pinned
from qmemd.memory.memorypath import MemoryPath
from qmemd.memory.paths import MemoryPaths

_log = logging.getLogger(__name__)

_MAX_PATH_BYTES = 4000
_MAX_NAME_BYTES = 255


class ToolRefusedError(Exception):
    """A tool call that is not carried out; the sentence goes back to the model."""


class MemoryScope:
    """Judges the absolute paths of one run, and remembers what it tried beyond its bounds."""

    def __init__(self, paths: MemoryPaths, writable: Collection[Scope]) -> None:
        self._paths = paths
        self._writable = frozenset(writable)
        self.escapes = 0
        """Writes that aimed outside of both roots."""
        self.mismatches = 0
        """Writes that aimed at a root that this run must leave alone."""

    def readable(self, raw: object) -> MemoryPath:
        """The memory file at ``raw``, present or not.

        Raises:
            ToolRefusedError: it is not an absolute path to something below a memory root.
        """
        scope, relative = self.directory(raw)
        if not relative:
            raise ToolRefusedError("Refused: this is a directory.")
        return MemoryPath(scope, relative)

    def directory(self, raw: object) -> tuple[Scope, str]:
        """The place at ``raw``; a root itself has the relative path ``""``.

        Raises:
            ToolRefusedError: it is not an absolute path to something inside the memory.
        """
        place = self._locate(_checked(raw))
        if place is None:
            raise _refused("this path is outside of the memory directories")
        return place

    def writable(self, raw: object) -> MemoryPath:
        """The document at ``raw`` that this run may write, present or not.

        Raises:
            ToolRefusedError: this run may not write there.
        """
        place = self._locate(_checked(raw))
        if place is None:
            self.escapes += 1
            raise _refused("this path is outside of the memory directories")
        scope, relative = place
        if scope not in self._writable:
            self.mismatches += 1
            raise _refused(f"this run must not write {scope.value} memory")
        path = self._paths.root(scope).path / relative
        reason = _unfit(relative, new=not path.exists()) or _occupied(path)
        if reason:
            raise _refused(reason)
        return MemoryPath(scope, relative)

    def _locate(self, path: str) -> tuple[Scope, str] | None:
        # realpath walks component by component, so that ".." after a link means what the kernel
        # means by it; it follows dangling links to where a new file would be made.
        landing = Path(os.path.realpath(path))
        for root in self._paths.roots:
            if landing.is_relative_to(root.path):
                relative = landing.relative_to(root.path).as_posix()
                return root.scope, "" if relative == "." else relative
        return None


def _refused(reason: str) -> ToolRefusedError:
    _log.warning("refused a path in a tool call: %s", reason)
    return ToolRefusedError(f"Refused: {reason}.")


def _checked(raw: object) -> str:
    """The path as text that the operating system can take."""
    if not isinstance(raw, str) or not raw:
        raise ToolRefusedError("Refused: the path must be a non-empty string.")
    if "\0" in raw:
        raise ToolRefusedError("Refused: the path holds a NUL.")
    try:
        encoded = raw.encode()
    except UnicodeEncodeError:
        raise ToolRefusedError("Refused: the path is not valid Unicode.") from None
    if not raw.startswith("/"):
        raise ToolRefusedError("Refused: give an absolute path; '~' and relative ones are not.")
    too_long = any(len(name) > _MAX_NAME_BYTES for name in encoded.split(b"/"))
    if len(encoded) > _MAX_PATH_BYTES or too_long:
        raise ToolRefusedError("Refused: the path is too long; use a shorter name.")
    return raw


def _unfit(relative: str, *, new: bool) -> str | None:
    """Why a document must not have this name, if so. One that is there may have an odd one."""
    if not new and is_document_name(relative) and not is_pinned(relative):
        return None
    *directories, name = relative.split("/")
    reasons = {
        "a memory document's name must end in .md": not name.endswith(".md"),
        "MEMORY.md is generated; write the document itself": any(
            folded_name(part) == "memory.md" for part in (*directories, name)
        ),
        "pinned/ belongs to the user": folded_name((*directories, name)[0]) == "pinned",
        "names must not start with a dot": any(
            part.startswith(".") for part in (*directories, name)
        ),
        "a directory's name must not end in .md": any(
            directory.endswith(".md") for directory in directories
        ),
        "names must not hold control characters": any(
            letter < " " or letter == "\x7f" for letter in relative
        ),
    }
    return next((reason for reason, applies in reasons.items() if applies), None)


def _occupied(path: Path) -> str | None:
    """Why nothing can be written at this place, if so. A regular file or nothing is fine."""
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return None
    except OSError as error:
        return f"this path cannot be used ({error.strerror or type(error).__name__})"
    return None if stat.S_ISREG(mode) else "there is something at this path that is not a file"
