"""The file tools of a run. They work on its draft: nothing here touches the disk for writing.

A call that cannot be carried out raises :class:`ToolRefusedError`; the loop hands its sentence to
the model, which may try something else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from qmemd.agent.models.base import ToolCall, ToolSchema
from qmemd.agent.scope import MemoryScope, ToolRefusedError
from qmemd.agent.tool_schemas import FILE_TOOLS, REMOVE
from qmemd.agent.view import DraftView
from qmemd.errors import MemoryFilesError
from qmemd.memory.documents import parse

READ_LIMIT = 256 * 1024
"""Bytes that one read hands to the model."""
_MAX_MATCHES = 200
_MAX_LINE = 300


class Tools:
    """What a model may call in one run."""

    def __init__(self, view: DraftView, scope: MemoryScope, *, may_remove: bool = False) -> None:
        self._view = view
        self._scope = scope
        self.schemas: tuple[ToolSchema, ...] = FILE_TOOLS + ((REMOVE,) if may_remove else ())
        self._tools: dict[str, Callable[[Mapping[str, Any]], str]] = {
            "read_file": self._read_file,
            "ls": self._list_directory,
            "grep": self._grep,
            "write_file": self._write_file,
            "edit": self._edit,
        }
        if may_remove:
            self._tools["remove"] = self._remove

    def call(self, call: ToolCall) -> str:
        """Carries the call out and says what happened, or what was found.

        Raises:
            ToolRefusedError: nothing was done; the sentence says why.
        """
        tool = self._tools.get(call.name)
        if tool is None:
            raise ToolRefusedError(f"There is no such tool; use one of: {', '.join(self._tools)}.")
        # A model's arguments are whatever it made up.
        if not isinstance(call.arguments, Mapping):
            raise ToolRefusedError("The arguments must be one object.")
        try:
            return tool(call.arguments)
        except MemoryFilesError as error:
            raise ToolRefusedError(f"Failed: {error.message}") from error
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise ToolRefusedError(f"Failed: {reason}.") from error

    def _read_file(self, arguments: Mapping[str, Any]) -> str:
        path = self._scope.readable(arguments.get("file_path"))
        start = arguments.get("offset", 0)
        if isinstance(start, bool) or not isinstance(start, int) or start < 0:
            raise ToolRefusedError("`offset` must be a number of bytes from 0 on.")
        data = self._view.content(path)
        self._view.seen.add(path)
        piece = _whole_letters(data[start : start + READ_LIMIT])
        text = piece.decode("utf-8", "replace")
        end = start + len(piece)
        if end >= len(data):
            return text
        return (
            f"{text}\n[Cut: a read gives at most {READ_LIMIT} bytes and the file has {len(data)}; "
            f"go on with offset={end}.]"
        )

    def _list_directory(self, arguments: Mapping[str, Any]) -> str:
        names = self._view.names(*self._scope.directory(arguments.get("path")))
        return "\n".join(names) or "(empty)"

    def _grep(self, arguments: Mapping[str, Any]) -> str:
        pattern = _text(arguments, "pattern").casefold()
        if not pattern:
            raise ToolRefusedError("`pattern` must not be empty.")
        place = self._scope.directory(arguments.get("path"))
        found: list[str] = []
        for path in self._view.documents(*place):
            text = self._view.searchable(path)
            # Most documents do not hold it: they are not taken apart.
            if pattern in text.casefold():
                shown = self._view.absolute(path)
                found += (
                    f"{shown}:{number}: {line[:_MAX_LINE]}"
                    for number, line in enumerate(text.split("\n"), 1)
                    if pattern in line.casefold()
                )
            if len(found) > _MAX_MATCHES:
                found[_MAX_MATCHES:] = [f"[Cut: only the first {_MAX_MATCHES} lines are shown.]"]
                break
        return "\n".join(found) or "(no line holds this text)"

    def _write_file(self, arguments: Mapping[str, Any]) -> str:
        path = self._scope.writable(arguments.get("file_path"))
        data = _encoded(_text(arguments, "content"))
        self._view.check_writable(path)
        _check_document(data)
        self._view.put(path, data)
        return f"Wrote {self._view.absolute(path)}."

    def _edit(self, arguments: Mapping[str, Any]) -> str:
        path = self._scope.writable(arguments.get("file_path"))
        old = _encoded(_text(arguments, "old_string"))
        new = _encoded(_text(arguments, "new_string"))
        if path not in self._view.seen:
            raise ToolRefusedError("Refused: read the file before you edit it.")
        data = self._view.content(path)
        count = data.count(old) if old else 0
        if count != 1:
            raise ToolRefusedError(
                f"Refused: `old_string` must occur exactly once in the file, not {count} times."
            )
        changed = data.replace(old, new)
        if parse(data).topic is not None:
            _check_document(changed)
        self._view.put(path, changed)
        return f"Edited {self._view.absolute(path)}."

    def _remove(self, arguments: Mapping[str, Any]) -> str:
        path = self._scope.writable(arguments.get("file_path"))
        target = arguments.get("merged_into")
        merged_into = None if target is None else self._scope.readable(target)
        if merged_into is None:
            if path not in self._view.seen:
                raise ToolRefusedError("Refused: read the file before you remove it.")
        else:
            if merged_into == path or merged_into.scope is not path.scope:
                raise ToolRefusedError("Refused: `merged_into` must be another file of this scope.")
            self._view.content(merged_into)
        self._view.content(path)
        self._view.remove(path, merged_into)
        return f"Removed {self._view.absolute(path)}."


def _text(arguments: Mapping[str, Any], key: str) -> str:
    value = arguments.get(key)
    if not isinstance(value, str):
        raise ToolRefusedError(f"`{key}` must be a string.")
    return value


def _encoded(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise ToolRefusedError("Refused: the text is not valid Unicode.") from None


def _check_document(data: bytes) -> None:
    """A document that no reader could file is told at once, while the model can mend it."""
    document = parse(data)
    if not document.name or document.topic is None:
        raise ToolRefusedError(
            "Refused: a memory document starts with a head between '---' lines that has `name`, "
            "`description` and `type` (user, feedback, project or reference)."
        )
    if not document.body.strip():
        raise ToolRefusedError("Refused: the document has no text below its head.")


def _whole_letters(piece: bytes) -> bytes:
    """Without the first bytes of a letter that the cut went through."""
    for back in range(1, min(4, len(piece)) + 1):
        byte = piece[-back]
        if byte & 0xC0 == 0x80:  # noqa: PLR2004 - a byte that continues a letter
            continue
        width = 1 if byte < 0x80 else 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4  # noqa: PLR2004
        return piece[:-back] if width > back else piece
    return piece
