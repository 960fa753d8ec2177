"""The tools that change the draft: ``write_file``, ``edit``, and for a dream ``remove``."""

from __future__ import annotations

from collections import Counter

from qmemd.agent.duplicates import key_of
from qmemd.agent.measure import entries_in
from qmemd.agent.scope import MemoryScope, ToolRefusedError
from qmemd.agent.tool_arguments import Arguments, bytes_of
from qmemd.agent.view import DraftView, as_bytes, as_text
from qmemd.memory.documents import parse
from qmemd.memory.memorypath import MemoryPath


class WritingTools:
    """Changes the draft of one run; nothing here touches the disk."""

    def __init__(self, view: DraftView, scope: MemoryScope, *, dreaming: bool) -> None:
        self._view = view
        self._scope = scope
        self._dreaming = dreaming

    def write_file(self, arguments: Arguments) -> str:
        path = self._scope.writable(arguments.get("file_path"))
        data = bytes_of(arguments, "content")
        self._view.check_writable(path)
        self._check_over_hidden(path)
        self._check_marks(data.decode())
        _check_document(data)
        self._view.check_rewrite(path, data, dreaming=self._dreaming)
        self._view.put(path, data)
        return f"Wrote {self._view.absolute(path)}."

    def edit(self, arguments: Arguments) -> str:
        path = self._scope.writable(arguments.get("file_path"))
        old = bytes_of(arguments, "old_string")
        new = bytes_of(arguments, "new_string")
        if path not in self._view.seen:
            raise ToolRefusedError("Refused: read the file before you edit it.")
        data = self._view.content(path)
        changed = self._replaced(data, old.decode(), new.decode())
        if parse(data).topic is not None:
            _check_document(changed)
        self._view.check_rewrite(path, changed, dreaming=self._dreaming)
        self._view.put(path, changed)
        return f"Edited {self._view.absolute(path)}."

    def _replaced(self, data: bytes, old: str, new: str) -> bytes:
        """The document with the one match replaced, which lies in what the model was shown."""
        blots = self._view.blots
        self._check_marks(old, "`old_string` spans redacted text")
        self._check_marks(new)
        before = as_text(data)
        pieces = blots.pieces(before)
        places = [piece.text.count(old) if old and piece.mark is None else 0 for piece in pieces]
        count = sum(places)
        if count != 1:
            raise ToolRefusedError(
                f"Refused: `old_string` must occur exactly once in the file, not {count} times. "
                + ("Give more of the text around it." if count else "Copy it from the file.")
            )
        after = "".join(
            piece.text.replace(old, new) if place else piece.text
            for piece, place in zip(pieces, places, strict=True)
        )
        if blots.hidden(before) - blots.hidden(after):
            raise ToolRefusedError(
                "Refused: the text right beside a redacted part has to stay as it is."
            )
        return as_bytes(after)

    def _check_marks(self, text: str, what: str = "the text holds a mark '[redacted: …]'") -> None:
        """A mark in the place of what it stands for would be the end of that."""
        if self._view.blots.has_mark(text):
            raise ToolRefusedError(
                f"Refused: {what}, which stands for what you are not shown. Use `edit` with a part "
                "of the text that holds none."
            )

    def _check_over_hidden(self, path: MemoryPath) -> None:
        """What the model was not shown it cannot write again."""
        blots = self._view.blots
        if blots.active and path in self._view.seen and self._hides(path):
            raise ToolRefusedError(
                "Refused: this document holds redacted text, which would be lost. Use `edit` for "
                "the part that changes."
            )

    def _hides(self, path: MemoryPath) -> Counter[str]:
        return self._view.blots.hidden(as_text(self._view.content(path)))

    def remove(self, arguments: Arguments) -> str:
        path = self._scope.writable(arguments.get("file_path"))
        target = arguments.get("merged_into")
        merged_into = None if target is None else self._scope.readable(target)
        if merged_into is None:
            if path not in self._view.seen:
                raise ToolRefusedError("Refused: read the file before you remove it.")
        else:
            if merged_into == path or merged_into.scope is not path.scope:
                raise ToolRefusedError("Refused: `merged_into` must be another file of this scope.")
            if path not in self._view.seen and not self._tells(merged_into, path):
                raise ToolRefusedError(
                    "Refused: read the file before you remove it; it says more than the other one."
                )
            if self._hides(path) - self._hides(merged_into):
                raise ToolRefusedError(
                    "Refused: the document holds redacted text that the other one lacks. Leave it."
                )
        self._view.content(path)
        self._view.remove(path, merged_into)
        return f"Removed {self._view.absolute(path)}."

    def _tells(self, target: MemoryPath, path: MemoryPath) -> bool:
        """Whether each entry of the document has an equal one in the target."""
        there = {key_of(entry) for entry in entries_in(target, self._view.content(target))}
        return all(key_of(one) in there for one in entries_in(path, self._view.content(path)))


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
