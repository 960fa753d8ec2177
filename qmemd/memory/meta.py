"""``meta.json`` of a project: small facts about its memory that others write too.

Writing it is best effort: a failure is logged and fails nothing. What is no ``meta.json`` is set
aside as ``meta.json.unreadable`` before a new one is written.
"""

from __future__ import annotations

import json
import logging
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qmemd.errors import MemoryFilesError, QmemdError
from qmemd.tasks import iso

if TYPE_CHECKING:
    from qmemd.memory.paths import MemoryPaths

META_NAME = "meta.json"
LOCK_NAME = ".qmemd-meta.lock"
LOCK_TIMEOUT = 2.0
"""Seconds that a writer waits for another one."""
_SET_ASIDE = f"{META_NAME}.unreadable"
_MAX_BYTES = 1 << 20
# O_NONBLOCK: a FIFO must not hold us up before we can see that it is one.
_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC

logger = logging.getLogger(__name__)


def read_meta(directory: Path) -> dict[str, Any]:
    """What ``meta.json`` in ``directory`` says; empty when there is none or it is junk."""
    try:
        return _read(directory)
    except (OSError, ValueError):
        return {}


def update_meta(paths: MemoryPaths, now: datetime | None = None, **changes: Any) -> bool:
    """Sets the given keys in the project's ``meta.json`` and keeps all others.

    Args:
        paths: Whose project state it is.
        now: Becomes ``updatedAt``, and ``createdAt`` of a new file; None for the present.
        changes: Keys as they stand in the file; datetimes are written as text.

    Returns:
        False when the file could not be written.
    """
    try:
        with _locked(paths.project_state):
            _update(paths.project_state, now, changes)
    except (OSError, ValueError, TypeError, RecursionError, QmemdError) as error:
        logger.warning("meta.json could not be written: %s", error.__class__.__name__)
        return False
    return True


def claim(directory: Path, key: str, value: str, now: datetime | None = None) -> str:
    """Sets a key of ``meta.json`` unless it is set; of several claimants exactly one wins.

    Returns:
        The text that the key has from now on. When nothing can be written, that of the file, else
        ``value``: then nobody else can claim it either.

    Raises:
        MemoryFilesError: ``memory_locked``: another process does not let go of the file.
    """
    try:
        with _locked(directory):
            owner = read_meta(directory).get(key)
            if not isinstance(owner, str):
                _update(directory, now, {key: value})
    except (OSError, ValueError, TypeError, RecursionError, QmemdError) as error:
        owner = read_meta(directory).get(key)
        if not isinstance(owner, str) and getattr(error, "code", "") == "memory_locked":
            raise
        logger.warning("meta.json could not be written: %s", error.__class__.__name__)
    return owner if isinstance(owner, str) else value


def _read(directory: Path) -> dict[str, Any]:
    """Empty when there is no file.

    Raises:
        ValueError: it is a file that holds no JSON object, or a link, pipe or socket.
        OSError: the system refuses, or it is a directory.
    """
    path = directory / META_NAME
    try:
        status = path.lstat()
        if stat.S_ISDIR(status.st_mode):
            raise IsADirectoryError(os.fspath(path))
        if not stat.S_ISREG(status.st_mode):
            raise ValueError("it is not a regular file")
        with os.fdopen(os.open(path, _FLAGS), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise ValueError("it is not a regular file")
            data = file.read(_MAX_BYTES + 1)
    except FileNotFoundError:
        return {}
    if len(data) > _MAX_BYTES:
        raise ValueError("it is too large")
    try:
        value = json.loads(data)
    except RecursionError:
        raise ValueError("it is nested too deep") from None
    if not isinstance(value, dict):
        raise ValueError("it is no object")  # noqa: TRY004 - junk like any other
    return value


def _update(directory: Path, now: datetime | None, changes: dict[str, Any]) -> None:
    # Imported late: reading paths must not pull in the writing half.
    from qmemd.memory import files, moving  # noqa: PLC0415

    stamp = iso(now or datetime.now(UTC))
    values = {
        key: iso(value) if isinstance(value, datetime) else value for key, value in changes.items()
    }
    with files.open_directory(directory) as state:
        for name in os.listdir(state):  # noqa: PTH208 - of a descriptor
            if files.is_temporary(name) and name.endswith(files.TEMP_SUFFIX):
                # Whoever was writing it has died: we hold the lock.
                files.unlink_at(state, name)
        try:
            present = _read(directory)
        except ValueError:
            logger.warning("meta.json cannot be read and is set aside")
            moving.set_aside_at(state, META_NAME, _SET_ASIDE)
            present = {}
    meta = {"version": 1, "createdAt": stamp} | present | {"updatedAt": stamp} | values
    try:
        data = json.dumps(meta, ensure_ascii=False, indent=2).encode()
    except UnicodeEncodeError:
        # Half a surrogate pair that another program wrote: as an escape it can stay.
        data = json.dumps(meta, indent=2).encode()
    files.atomic_write(directory / META_NAME, data + b"\n")


@contextmanager
def _locked(directory: Path) -> Iterator[None]:
    from qmemd.memory.locks import FileLock  # noqa: PLC0415 - late, as the writing half

    lock = FileLock(directory / LOCK_NAME)
    if not lock.acquire(LOCK_TIMEOUT):
        raise MemoryFilesError("memory_locked", "meta.json is locked by another process.")
    try:
        yield
    finally:
        lock.release()
