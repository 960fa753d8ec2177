"""The tools that look: ``read_file``, ``ls``, ``grep``. What they give is bounded, and says so."""

from __future__ import annotations

from qmemd.agent.scope import MemoryScope, ToolRefusedError
from qmemd.agent.tool_arguments import Arguments, offset_of, text_of
from qmemd.agent.view import DraftView

READ_LIMIT = 64 * 1024
"""Bytes that one read hands to the model."""
MAX_NAMES = 2000
_MAX_MATCHES = 200
_MAX_LINE = 300


class ReadingTools:
    """Looks at the draft of one run."""

    def __init__(self, view: DraftView, scope: MemoryScope, limit: int | None = None) -> None:
        """``limit`` is how many bytes all calls together may give; None: any number."""
        self._view = view
        self._scope = scope
        self._left = limit

    def read_file(self, arguments: Arguments) -> str:
        path = self._scope.readable(arguments.get("file_path"))
        start = offset_of(arguments, "offset")
        data = self._view.shown(path)
        if start > len(data):
            raise ToolRefusedError(f"The file has only {len(data)} bytes.")
        piece = _whole_letters(data[start : start + READ_LIMIT])
        end = start + len(piece)
        text = piece.decode("utf-8", "replace")
        if end < len(data):
            text += (
                f"\n[Cut: a read gives at most {READ_LIMIT} bytes and the file has {len(data)}; "
                f"go on with offset={end}.]"
            )
        text = self._counted(text)
        self._view.seen.add(path)
        return text

    def list_directory(self, arguments: Arguments) -> str:
        names = self._view.names(*self._scope.directory(arguments.get("path")))
        if len(names) > MAX_NAMES:
            more = len(names) - MAX_NAMES
            names[MAX_NAMES:] = [f"[Cut: {more} more names are not shown; grep finds documents.]"]
        return self._counted(self._view.blots.text("\n".join(names)) or "(empty)")

    def grep(self, arguments: Arguments) -> str:
        pattern = text_of(arguments, "pattern").casefold()
        if not pattern:
            raise ToolRefusedError("`pattern` must not be empty.")
        place = self._scope.directory(arguments.get("path"))
        found: list[str] = []
        for path in self._view.documents(*place):
            text = self._view.searchable(path)
            # Most documents do not hold it: they are not taken apart.
            if pattern in text.casefold():
                shown = self._view.blots.text(self._view.absolute(path))
                text = self._view.shown(path).decode("utf-8", "replace")
                found += (
                    f"{shown}:{number}: {line[:_MAX_LINE]}"
                    for number, line in enumerate(text.split("\n"), 1)
                    if pattern in line.casefold()
                )
            if len(found) > _MAX_MATCHES:
                found[_MAX_MATCHES:] = [f"[Cut: only the first {_MAX_MATCHES} lines are shown.]"]
                break
        return self._counted("\n".join(found) or "(no line holds this text)")

    def _counted(self, text: str) -> str:
        if self._left is not None:
            size = len(text.encode("utf-8", "replace"))
            if size > self._left:
                raise ToolRefusedError(
                    "Refused: this run has read as much as it may. Finish with what you know."
                )
            self._left -= size
        return text


def _whole_letters(piece: bytes) -> bytes:
    """Without the first bytes of a letter that the cut went through."""
    for back in range(1, min(4, len(piece)) + 1):
        byte = piece[-back]
        if byte & 0xC0 == 0x80:  # noqa: PLR2004 - a byte that continues a letter
            continue
        width = 1 if byte < 0x80 else 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4  # noqa: PLR2004
        return piece[:-back] if width > back else piece
    return piece
