"""The file that an export becomes: whole or not at all, for its owner alone."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from qmemd.memory.files import NEW_FILE_MODE, fsync_dir, temporary_name


@contextmanager
def export_file(path: Path, *, replace: bool) -> Iterator[IO[bytes]]:
    """A file beside ``path`` that gets its name at the end, unless something is raised.

    Raises:
        FileExistsError: there is one, and it is not to be replaced.
        OSError: the system refuses; what was there is intact.
    """
    directory = Path(os.path.realpath(path.parent))
    temporary, target = directory / temporary_name(), directory / path.name
    _refuse_present(target, replace=replace)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(temporary, flags, NEW_FILE_MODE)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(descriptor)
        _refuse_present(target, replace=replace)
        temporary.replace(target)
        fsync_dir(directory)
    finally:
        with suppress(FileNotFoundError):
            temporary.unlink()


def _refuse_present(target: Path, *, replace: bool) -> None:
    if not replace and os.path.lexists(target):
        raise FileExistsError(f"{target} is there already")
