"""The text of a file, or a part of it."""

from __future__ import annotations

import hashlib
from pathlib import Path

from qmemd.context.records import FileContent
from qmemd.context.section import lines_of
from qmemd.errors import RequestError

BOM = "\ufeff"


def excerpt(
    path: Path, data: bytes, *, max_bytes: int, first_line: int, lines: int | None
) -> FileContent:
    """What of a file's bytes was asked for; see ``ContextFiles.read``.

    Raises:
        RequestError: ``binary_file``.
    """
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise RequestError("binary_file") from error
    if "\0" in text:
        raise RequestError("binary_file")
    every_line = lines_of(text.removeprefix(BOM))
    last = len(every_line) if lines is None else first_line - 1 + lines
    chosen = "".join(every_line[first_line - 1 : last])
    cut = chosen.encode()[:max_bytes].decode(errors="ignore")
    truncated = cut != chosen
    return FileContent(
        path=path,
        content=cut,
        bom=text.startswith(BOM),
        crlf="\r\n" in text,
        size=len(data),
        returned=len(cut.encode()),
        truncated=truncated,
        has_more=truncated or last < len(every_line),
        sha256=hashlib.sha256(data).hexdigest(),
        lines=len(every_line),
    )
