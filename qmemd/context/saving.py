"""New bytes in a file's place, but not in the place of what an editor saved meanwhile."""

from __future__ import annotations

import os
import re
import time
from contextlib import suppress
from pathlib import Path

from qmemd.errors import MemoryFilesError
from qmemd.memory import files

LEFT_BEHIND = 60.0
"""Seconds after which a temporary file is one that a killed process left."""
_TEMPORARY = re.compile(r"\.qmemd-[0-9a-f]{16}\.tmp")


class TooLargeError(Exception):
    """The file is over the limit."""


def look(target: Path, *, limit: int) -> bytes | None:
    """What a regular file holds now; None when it is not there.

    Raises:
        TooLargeError: it is over ``limit`` bytes.
        MemoryFilesError: ``memory_path_refused``, it is no regular file.
        OSError: the system refuses.
    """
    try:
        return files.read_regular(target.parent, target.name, limit=limit)
    except FileNotFoundError:
        return None
    except MemoryFilesError as error:
        if error.code == "memory_document_unreadable":
            raise TooLargeError from error
        raise


def save_over(target: Path, expected: bytes | None, data: bytes, *, limit: int, mode: int) -> bool:
    """Replaces the file durably, if it still holds ``expected``; whether it did.

    The last look is taken when the new bytes are on the disk already, since that may take long,
    and just before they get their name.

    Args:
        target: where to; its directory is made when it is missing.
        expected: what was read before; None when nothing was there.
        data: the new content.
        limit: bytes, as for ``look``.
        mode: for a new file; one that is there keeps its own.

    Raises:
        TooLargeError, MemoryFilesError, OSError: as ``look`` does; nothing was changed.
    """
    with files.open_directory(target.parent, create=True) as directory:
        temporary = files.temporary_name()
        kept = mode if expected is None else files.mode_at(directory, target.name)
        files.write_new(directory, temporary, data, mode=kept)
        try:
            if look(target, limit=limit) != expected:
                return False
            os.replace(temporary, target.name, src_dir_fd=directory, dst_dir_fd=directory)
        finally:
            files.unlink_at(directory, temporary)
        os.fsync(directory)
    return True


def remove_leftovers(directory: Path) -> None:
    """Removes what a process left here that was killed while it wrote. Never fails."""
    with suppress(OSError), files.open_directory(directory) as descriptor:
        for entry in os.scandir(descriptor):
            if not _TEMPORARY.fullmatch(entry.name):
                continue
            with suppress(OSError):
                if entry.stat(follow_symlinks=False).st_mtime < time.time() - LEFT_BEHIND:
                    files.unlink_at(descriptor, entry.name)
