"""One memory document: front matter and body, between bytes and data.

Reading takes what people and other programs wrote; writing is strict.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from qmemd.errors import MemoryFilesError
from qmemd.kinds import Topic
from qmemd.memory.scalars import read_scalar, write_scalar

MAX_DOCUMENT_BYTES = 1 << 20

_OUR_KEYS = frozenset({"name", "title", "description", "type"})
_TIMES = frozenset({"created", "updated", "modified", "date"})
_TOPICS = {topic.value: topic for topic in Topic}
_OPENING = re.compile(r"\ufeff?---[ \t]*\r?\n")
_CLOSING = re.compile(r"^---[ \t]*(\r?)(?:\n|\Z)", re.MULTILINE)
_BLANK_LINE = re.compile(r"\r?\n")
_KEY = re.compile(r"(name|title|description|type)[ \t]*:(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Document:
    """What a document says. Unknown keys of its head stay in the file as they are."""

    name: str | None
    """``name``, else ``title``."""
    description: str | None
    topic: Topic | None
    """None: absent or not one of the known types."""
    body: str
    """Text below the head, without the blank line after it and without one final newline."""
    has_head: bool
    other_keys: tuple[str, ...] = ()
    """The lines of the head that are about neither the keys above nor times, as they stand."""


def parse(data: bytes) -> Document:
    """Reads a document; whatever is odd in its head counts as text or as absent.

    Raises:
        MemoryFilesError: ``memory_document_unreadable``: not UTF-8, holds a NUL, or is too large.
    """
    text = decode(data)
    head, start, newline = split_head(text)
    fields = _fields(head) if head else {}
    body = text[start:].removesuffix(newline)
    name = fields.get("name")
    words = (fields.get("type") or "").split(maxsplit=1)
    return Document(
        name=name or fields.get("title") or name,
        description=fields.get("description"),
        topic=_TOPICS.get(words[0].lower()) if words else None,
        body=body,
        has_head=head is not None,
        other_keys=_other_keys(head or ""),
    )


def _other_keys(head: str) -> tuple[str, ...]:
    """Lines of keys that are not ours, with the lines that continue them."""
    kept: list[str] = []
    ours = True
    for line in head.splitlines():
        if line[:1].strip() and not line.startswith(("-", "#")):
            ours = line.partition(":")[0].strip() in _OUR_KEYS | _TIMES
        if not ours and line.strip():
            kept.append(line.rstrip())
    return tuple(kept)


def render(name: str, description: str, topic: Topic, body: str) -> bytes:
    """Writes a document that ``parse`` and any YAML parser read back as it was given.

    Raises:
        MemoryFilesError: ``memory_document_unreadable``: ``parse`` would refuse the result.
    """
    text = (
        f"---\nname: {write_scalar(name)}\ndescription: {write_scalar(description)}\n"
        f"type: {topic.value}\n---\n\n{body}\n"
    )
    try:
        data = text.encode()
    except UnicodeEncodeError:
        raise _unreadable("it holds half a surrogate pair") from None
    decode(data)
    return data


def decode(data: bytes) -> str:
    """The text of a document, with a BOM if it has one.

    Raises:
        MemoryFilesError: ``memory_document_unreadable``.
    """
    if len(data) > MAX_DOCUMENT_BYTES:
        raise _unreadable(f"it is larger than {MAX_DOCUMENT_BYTES} bytes")
    if b"\0" in data:
        raise _unreadable("it holds a NUL byte")
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise _unreadable("it is not UTF-8") from None


def split_head(text: str) -> tuple[str | None, int, str]:
    """Finds the front matter.

    Returns:
        The head between the fences (None without one), where the body starts, and the newline
        that ends the body.
    """
    opening = _OPENING.match(text)
    closing = _CLOSING.search(text, opening.end()) if opening else None
    if opening is None or closing is None:
        return None, int(text.startswith("\ufeff")), "\r\n" if text.endswith("\r\n") else "\n"
    blank = _BLANK_LINE.match(text, closing.end())
    return (
        text[opening.end() : closing.start()],
        blank.end() if blank else closing.end(),
        closing[1] + "\n",
    )


def _unreadable(reason: str) -> MemoryFilesError:
    return MemoryFilesError("memory_document_unreadable", f"The document cannot be read: {reason}.")


def _fields(head: str) -> dict[str, str]:
    """The known keys at the left margin; the first of a kind counts, an empty one does not."""
    lines = [line.removesuffix("\r") for line in head.split("\n")]
    fields: dict[str, str] = {}
    for number, line in enumerate(lines):
        key = _KEY.fullmatch(line)
        if key and key[1] not in fields:
            following: list[str] = []
            for continuation in lines[number + 1 :]:
                if continuation and continuation[0] not in " \t":
                    break
                following.append(continuation)
            value = read_scalar(key[2].strip(" \t"), following)
            if value is not None:
                fields[key[1]] = value
    return fields
