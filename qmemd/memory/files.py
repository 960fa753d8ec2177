"""Bytes in and out of directories that other programs write to as well.

No component of a path is ever followed through a symbolic link: each directory is opened below the
one before it, so that a link which appears between a check and its use changes nothing. Callers
canonicalise the part they trust beforehand.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from qmemd.errors import MemoryFilesError

TEMP_PREFIX = ".qmemd-"
TEMP_SUFFIX = ".tmp"
NEW_FILE_MODE = 0o600
NEW_DIRECTORY_MODE = 0o700

# O_PATH needs only the right to search a directory; elsewhere than on Linux reading must do.
_STEP = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_LIST = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# O_NONBLOCK: a FIFO must not hold us up before we can see that it is one.
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_NO_WAY_THROUGH = (errno.ELOOP, errno.ENOTDIR, errno.EMLINK)


def is_temporary(name: str) -> bool:
    """Whether a file name is one of ours that holds no memory (temporaries and locks)."""
    return name.startswith(TEMP_PREFIX)


def temporary_name() -> str:
    """A new name for a file that is not finished yet."""
    return f"{TEMP_PREFIX}{secrets.token_hex(8)}{TEMP_SUFFIX}"


@contextmanager
def open_directory(path: Path, *, create: bool = False) -> Iterator[int]:
    """A descriptor of the directory at an absolute path, reached without following any link.

    With ``create`` missing directories are made with mode 0700 and their parents fsynced.

    Raises:
        MemoryFilesError: ``memory_path_refused`` when a component is a link or not a directory.
        FileNotFoundError: a component is missing, without ``create``.
        OSError: the system refuses otherwise.
    """
    descriptor = _walk(path, create=create)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def read_regular(root: Path, relative: str, *, limit: int) -> bytes:
    """The whole content of a regular file below ``root``.

    Raises:
        FileNotFoundError: it is not there.
        MemoryFilesError: ``memory_path_refused`` for links, directories, devices and what lies
            behind a link; ``memory_document_unreadable`` over ``limit`` bytes.
        OSError: the system refuses otherwise.
    """
    path = root / relative
    with open_directory(path.parent) as directory:
        return read_at(directory, path.name, limit=limit)


def read_at(directory: int, name: str, *, limit: int) -> bytes:
    """Like `read_regular`, for a name in an open directory."""
    with open_regular_at(directory, name) as descriptor:
        data = read_whole(descriptor, limit=limit + 1)
    if len(data) > limit:
        raise MemoryFilesError(
            "memory_document_unreadable", f"A memory file is over {limit} bytes."
        )
    return data


@contextmanager
def open_regular_at(directory: int, name: str) -> Iterator[int]:
    """A descriptor of a regular file in an open directory, for reading.

    Raises:
        FileNotFoundError: it is not there.
        MemoryFilesError: ``memory_path_refused`` for links, directories and devices.
        OSError: the system refuses otherwise.
    """
    try:
        descriptor = os.open(name, _READ, dir_fd=directory)
    except OSError as error:
        # ENXIO: a socket, or a device without a driver.
        if error.errno in (*_NO_WAY_THROUGH, errno.ENXIO):
            raise _refused("it is a link or not a regular file") from error
        raise
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise _refused("it is not a regular file")
        yield descriptor
    finally:
        os.close(descriptor)


def read_whole(descriptor: int, *, limit: int) -> bytes:
    """What an open file holds now, from its start, but no more than ``limit`` bytes."""
    os.lseek(descriptor, 0, os.SEEK_SET)
    with os.fdopen(descriptor, "rb", closefd=False) as file:
        return file.read(limit)


def atomic_write(path: Path, data: bytes, *, mode: int | None = None) -> None:
    """Makes ``data`` the durable content of ``path``: all of it, or the old content stays.

    An existing file keeps its mode, a new one gets 0600, unless ``mode`` is given; missing
    directories are made with 0700. A link at ``path`` is replaced and its target left alone.

    Raises:
        MemoryFilesError: ``memory_path_refused`` when the way leads through a link, or ``path`` is
            a directory.
        OSError: the system refuses; the old content is intact.
    """
    with open_directory(path.parent, create=True) as directory:
        temporary = temporary_name()
        kept = mode_at(directory, path.name) if mode is None else mode
        write_new(directory, temporary, data, mode=kept)
        try:
            os.replace(temporary, path.name, src_dir_fd=directory, dst_dir_fd=directory)
        except OSError as error:
            unlink_at(directory, temporary)
            if error.errno in (errno.EISDIR, errno.ENOTEMPTY, errno.EEXIST):
                raise _refused("it is a directory") from error
            raise
        os.fsync(directory)


def write_new(directory: int, name: str, data: bytes, *, mode: int = NEW_FILE_MODE) -> None:
    """Creates a file that must not exist yet, with exactly this mode, and fsyncs it.

    Raises:
        FileExistsError: the name is taken, be it by a dangling link.
        OSError: the system refuses; nothing is left behind.
    """
    view = memoryview(data)
    descriptor = os.open(name, _CREATE, NEW_FILE_MODE, dir_fd=directory)
    try:
        with os.fdopen(descriptor, "wb", buffering=0) as file:
            while view:
                view = view[file.write(view) :]
            if mode != NEW_FILE_MODE:
                os.fchmod(descriptor, mode)
            os.fsync(descriptor)
    except OSError:
        unlink_at(directory, name)
        raise


def mode_at(directory: int, name: str) -> int:
    """The permission bits of an existing regular file, else those of a new one."""
    try:
        status = os.stat(name, dir_fd=directory, follow_symlinks=False)
    except FileNotFoundError:
        return NEW_FILE_MODE
    return stat.S_IMODE(status.st_mode) if stat.S_ISREG(status.st_mode) else NEW_FILE_MODE


def unlink_at(directory: int, name: str) -> None:
    """Removes a name, if it is there."""
    with suppress(FileNotFoundError):
        os.unlink(name, dir_fd=directory)


def fsync_dir(path: Path) -> None:
    """Makes what was linked, renamed and removed in a directory durable."""
    with open_directory(path) as directory:
        os.fsync(directory)


def _walk(path: Path, *, create: bool) -> int:
    if not path.is_absolute() or ".." in path.parts:
        raise _refused("it is not an absolute path without '..'")
    *between, last = path.parts
    current = os.open(between[0], _STEP) if between else os.open(last, _LIST)
    names = [*between[1:], last] if between else []
    for position, name in enumerate(names, start=1):
        flags = _LIST if position == len(names) else _STEP
        try:
            below = _open_below(current, name, flags, create=create)
        except OSError as error:
            if error.errno in _NO_WAY_THROUGH:
                raise _refused("a component is a link or not a directory") from error
            raise
        finally:
            os.close(current)
        current = below
    return current


def _open_below(parent: int, name: str, flags: int, *, create: bool) -> int:
    try:
        return os.open(name, flags, dir_fd=parent)
    except FileNotFoundError:
        if not create:
            raise
    with suppress(FileExistsError):
        os.mkdir(name, NEW_DIRECTORY_MODE, dir_fd=parent)
    _fsync_below(parent)
    return os.open(name, flags, dir_fd=parent)


def _fsync_below(parent: int) -> None:
    # A descriptor made with O_PATH cannot be fsynced, and one may search what one may not read.
    with suppress(PermissionError):
        readable = os.open(".", _LIST, dir_fd=parent)
        try:
            os.fsync(readable)
        finally:
            os.close(readable)


def _refused(why: str) -> MemoryFilesError:
    return MemoryFilesError("memory_path_refused", f"A memory path was refused: {why}.")
