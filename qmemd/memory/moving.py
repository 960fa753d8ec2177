"""Giving files names that must be free: what stands at a name is never overwritten."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

from qmemd.memory import files

_NO_LINKS = (errno.EPERM, errno.EACCES, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EXDEV)


def create_durably(path: Path, data: bytes) -> None:
    """Makes a file that must not exist yet, with all of ``data`` from the moment it is seen.

    Raises:
        FileExistsError: the name is taken.
        MemoryFilesError: ``memory_path_refused`` when the way leads through a link.
        OSError: the system refuses; nothing is left behind.
    """
    with files.open_directory(path.parent, create=True) as directory:
        temporary = files.temporary_name()
        files.write_new(directory, temporary, data)
        try:
            move_without_overwriting(directory, temporary, path.name)
        except OSError:
            files.unlink_at(directory, temporary)
            raise
        os.fsync(directory)


def move_without_overwriting(
    directory: int, source: str, target: str, *, step: Callable[[str], None] | None = None
) -> None:
    """Renames a file that nobody else touches to a name that must be free.

    Args:
        directory: A descriptor of the directory that holds both names.
        source: A name of ours.
        target: The new name.
        step: Told that the old name is about to go, between the two steps that this takes.

    Raises:
        FileExistsError: the name is taken.
        OSError: the system refuses.
    """
    try:
        os.link(source, target, src_dir_fd=directory, dst_dir_fd=directory, follow_symlinks=False)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        # A file system without hard links, or a directory: the best that is left.
        if exists_at(directory, target):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST)) from error
        os.rename(source, target, src_dir_fd=directory, dst_dir_fd=directory)
        return
    if step:
        step("unlink new")
    files.unlink_at(directory, source)


def set_aside_at(directory: int, name: str, wanted: str) -> None:
    """Renames what cannot be used to ``wanted``, or to ``wanted-2``, … when that is taken.

    Raises:
        OSError: the system refuses.
    """
    free, number = wanted, 2
    while exists_at(directory, free):
        free = f"{wanted}-{number}"
        number += 1
    os.rename(name, free, src_dir_fd=directory, dst_dir_fd=directory)
    os.fsync(directory)


def exists_at(directory: int, name: str) -> bool:
    """Whether a name is taken, be it by a dangling link."""
    try:
        os.stat(name, dir_fd=directory, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True
