"""When a document was changed last, as the source says: the index lists the newest first."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from qmemd.errors import MemoryFilesError
from qmemd.memory.files import open_directory, open_regular_at, read_whole


def restore_time(path: Path, content: bytes, modified_ns: int, *, only_back: bool) -> bool:
    """Sets the time of a document that holds ``content``; whether that changed anything.

    With ``only_back`` it never becomes later. Best effort, and without a lock: a time is no text,
    and a file that somebody puts in its place meanwhile is another one.
    """
    with (
        suppress(OSError, OverflowError, MemoryFilesError),
        open_directory(path.parent) as directory,
        open_regular_at(directory, path.name) as file,
    ):
        now = os.fstat(file).st_mtime_ns
        differs = now > modified_ns if only_back else now != modified_ns
        if differs and read_whole(file, limit=len(content) + 1) == content:
            os.utime(file, ns=(modified_ns, modified_ns))
            return True
    return False
