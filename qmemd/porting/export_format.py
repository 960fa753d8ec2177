"""The export's format: JSON Lines, a header, a line for each document, and a last line.

No names are made on a disk before they were judged, nothing is unpacked that could be larger than
what was sent, one damaged line costs one document, and people can read it and compare two.
"""

from __future__ import annotations

import hashlib
import json
from datetime import datetime
from typing import Any

from qmemd.kinds import Scope
from qmemd.porting.records import ReadDocument, SourceRefusedError
from qmemd.tasks import iso, to_json

FORMAT = "qmemd-export"
VERSION = 1
_LARGEST_TIME = 2**63 - 1


def header_line(created: datetime, documents: int) -> bytes:
    """The first line. ``documents`` is how many are to follow, as far as that is known."""
    return _line(
        {
            "format": FORMAT,
            "version": VERSION,
            "createdAt": iso(created),
            "documents": documents,
        }
    )


def document_line(document: ReadDocument) -> bytes:
    """One document. Raises UnicodeDecodeError when it is not UTF-8, which no memory holds."""
    return _line(
        {
            "scope": document.scope.value,
            "path": document.relative,
            "modifiedNs": document.modified_ns,
            "sha256": _digest(document.content),
            "text": document.content.decode(),
        }
    )


def last_line(documents: int) -> bytes:
    """Says that nothing is missing before it."""
    return _line({"end": True, "documents": documents})


def read_header(line: bytes) -> int:
    """How many documents the header announces.

    Raises:
        SourceRefusedError: it is no header, or one of a version that is not known here.
    """
    try:
        wire = _object(line)
    except ValueError:
        wire = {}
    if wire.get("format") != FORMAT:
        raise SourceRefusedError("it does not begin with the header of an export")
    version = wire.get("version")
    if version != VERSION or isinstance(version, bool):
        raise SourceRefusedError("it is an export of another version than 1; use a newer qmemd")
    count = wire.get("documents")
    return count if type(count) is int and count >= 0 else 0


def read_line(line: bytes) -> ReadDocument | int:
    """A document, or from the last line how many documents there were.

    Raises:
        ValueError: it is neither; the sentence says why and shows nothing of it.
    """
    wire = _object(line)
    if wire.get("end") is True:
        count = wire.get("documents")
        if type(count) is not int:
            raise ValueError("the last line does not say how many documents there were")
        return count
    scope, path, text = wire.get("scope"), wire.get("path"), wire.get("text")
    if not isinstance(path, str) or not isinstance(text, str) or scope not in tuple(Scope):
        raise ValueError("it is no document: scope, path and text are needed")
    try:
        content = text.encode()
    except UnicodeEncodeError:
        raise ValueError("its text holds half a surrogate pair") from None
    if _digest(content) != wire.get("sha256"):
        raise ValueError("its text does not have its sha256: it was damaged or changed")
    modified = wire.get("modifiedNs")
    known = type(modified) is int and 0 <= modified <= _LARGEST_TIME
    return ReadDocument(Scope(scope), path, content, modified if known else None)


def _object(line: bytes) -> dict[str, Any]:
    try:
        wire = json.loads(line.decode())
    except UnicodeDecodeError:
        raise ValueError("it is not UTF-8") from None
    except (ValueError, RecursionError):
        raise ValueError("it is not JSON") from None
    if not isinstance(wire, dict):
        raise ValueError("it is no JSON object")  # noqa: TRY004 — of the text, not of an argument
    return wire


def _line(wire: dict[str, Any]) -> bytes:
    return to_json(wire) + b"\n"


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
