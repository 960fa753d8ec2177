"""Hiding the secrets that documents hold from a model that is not to see them.

Other programs write documents too, so there may be some. A model sees a mark in the place of each,
the same for equal secrets of one run. It may work around a mark, and never write one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from qmemd.agent.models.base import DuplicateGroup
from qmemd.memory.entries import Entry
from qmemd.memory.found import FoundDocument
from qmemd.memory.secrets import secret_spans

_BEGINNING = 8
"""Letters by which the beginning of a secret is known where a description was cut in it."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a text: all of it is shown, or none."""

    text: str
    mark: str | None
    """What stands in the place of a secret; None for what is shown."""

    @property
    def shown(self) -> str:
        return self.text if self.mark is None else self.mark


class Blots:
    """Used by one run. Without being active it hides nothing and looks for nothing."""

    def __init__(self, *, active: bool = False) -> None:
        self.active = active
        self._marks: dict[str, str] = {}
        # A long document is read piece by piece, and looking for secrets takes long.
        self._last: tuple[str, str, list[Piece]] = ("", "", [])

    def text(self, text: str, beside: str = "") -> str:
        """The text as a model may see it.

        ``beside`` is what it may quote the beginning of, e.g. the body for a description.
        """
        return "".join(piece.shown for piece in self.pieces(text, beside))

    def pieces(self, text: str, beside: str = "") -> list[Piece]:
        """The parts of a text, in their order."""
        if not self.active:
            return [Piece(text, None)]
        if self._last[:2] == (text, beside):
            return self._last[2]
        pieces: list[Piece] = []
        end = 0
        for begin, stop, secret, kind in self._hidden(text, beside):
            pieces.append(Piece(text[end:begin], None))
            pieces.append(Piece(text[begin:stop], self._mark(secret, kind)))
            end = stop
        pieces.append(Piece(text[end:], None))
        self._last = (text, beside, [piece for piece in pieces if piece.text])
        return self._last[2]

    def hidden(self, text: str) -> Counter[str]:
        """What is hidden in the text, and how often. Never to be logged or shown."""
        return Counter(piece.text for piece in self.pieces(text) if piece.mark is not None)

    def has_mark(self, text: str) -> bool:
        """Whether a mark of this run stands in a text that the model wrote."""
        return any(mark in text for mark in self._marks.values())

    def entry(self, entry: Entry) -> Entry:
        """The entry as a model may see it; its id too."""
        if not self.active:
            return entry
        return replace(
            entry,
            path=self.text(entry.path),
            text=self.text(entry.text),
            name=self.text(entry.name, entry.text),
            description=self.text(entry.description, entry.text),
            headings=tuple(map(self.text, entry.headings)),
        )

    def group(self, group: DuplicateGroup) -> DuplicateGroup:
        """Equal entries as a model may see them."""
        return DuplicateGroup(self.entry(group.keep), tuple(map(self.entry, group.extra)))

    def document(self, found: FoundDocument) -> FoundDocument:
        """The document with a path, a name and a description that a model may see."""
        if not self.active:
            return found
        document = found.document
        path = self.text(found.path)
        head = (
            None if text is None else self.text(text, document.body)
            for text in (document.name, document.description)
        )
        name, description = head
        return replace(
            found,
            path=path,
            absolute=found.absolute if path == found.path else found.absolute.parent / path,
            document=replace(document, name=name, description=description),
        )

    @staticmethod
    def _hidden(text: str, beside: str) -> list[tuple[int, int, str, str]]:
        """Start, end, the whole secret and its kind, in order, none over another."""
        spans = [(begin, end, text[begin:end], kind) for begin, end, kind in secret_spans(text)]
        known = {secret: kind for _, _, secret, kind in spans}
        known |= {beside[begin:end]: kind for begin, end, kind in secret_spans(beside)}
        for secret, kind in known.items():
            spans += ((begin, end, secret, kind) for begin, end in _beginnings(text, secret))
        apart: list[tuple[int, int, str, str]] = []
        for span in sorted(spans, key=lambda one: (one[0], -one[1])):
            if apart and span[0] < apart[-1][1]:
                first, last, secret, kind = apart[-1]
                apart[-1] = (first, max(last, span[1]), secret, kind)
            else:
                apart.append(span)
        return apart

    def _mark(self, secret: str, kind: str) -> str:
        number = len(self._marks) + 1
        return self._marks.setdefault(secret, f"[redacted: {kind} {number}]")


def _beginnings(text: str, secret: str) -> Iterator[tuple[int, int]]:
    if len(secret) < 2 * _BEGINNING:
        return
    begin = text.find(secret[:_BEGINNING])
    while begin >= 0:
        end = begin + _BEGINNING
        while end < len(text) and text[begin : end + 1] == secret[: end + 1 - begin]:
            end += 1
        yield begin, end
        begin = text.find(secret[:_BEGINNING], end)
