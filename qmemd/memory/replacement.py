"""One document replaced without ever overwriting what another program wrote.

The present file is moved aside and compared with what it should be; the new one is linked in, which
fails when somebody made a file of that name meanwhile. Names of what lies aside follow from the
change set, so that whoever comes after a crash finds it.
"""

from __future__ import annotations

import contextlib
import logging
import os
import stat
from collections.abc import Callable, Iterator
from enum import Enum
from pathlib import Path

from qmemd.errors import MemoryFilesError
from qmemd.memory import files
from qmemd.memory.changes import FileChange, KeptText
from qmemd.memory.moving import exists_at, move_without_overwriting

KEPT_LIMIT = 16 << 20
"""Bytes of a foreign text that is taken into the history; a larger one is left where it is."""
_logger = logging.getLogger(__name__)


class Image(Enum):
    """What a document holds, seen from a change to it."""

    BEFORE = "before"
    AFTER = "after"
    OTHER = "other"


class ChangedMeanwhileError(Exception):
    """The file does not hold what was expected. What another program wrote is in its place."""


def aside_name(tag: str) -> str:
    """The name of what lies aside while a file is replaced under this tag."""
    return f"{files.TEMP_PREFIX}{tag}-old{files.TEMP_SUFFIX}"


def new_name(tag: str) -> str:
    """The name of what is to take the place of a file, before it does."""
    return f"{files.TEMP_PREFIX}{tag}-new{files.TEMP_SUFFIX}"


class Replacement:
    """One file change on its way to the disk or back. The caller holds the root's lock.

    Methods raise OSError and MemoryFilesError when the system refuses; after that, as after a
    crash at any step, `reclaim` makes the state plain again. The caller fsyncs the directory.
    """

    def __init__(
        self,
        root: Path,
        change: FileChange,
        tag: str,
        *,
        keep: Callable[[KeptText], None],
        step: Callable[[str], None],
        watch: Callable[[FileChange, int, bytes], None] | None = None,
    ) -> None:
        """``keep`` stores durably what another program wrote into the file aside.

        ``watch`` gets a descriptor of a file that has no name any more, and what it held last.
        """
        self.change = change
        self._keep = keep
        self._watch = watch
        path = root / change.path.relative
        self.directory = path.parent
        self._name = path.name
        self._aside = aside_name(tag)
        self._new = new_name(tag)
        self._step = step

    def image(self) -> Image:
        """Which of the two images is on the disk now."""
        before, after = self.change.before, self.change.after
        limit = max(len(before or b""), len(after or b""))
        try:
            with files.open_directory(self.directory) as directory:
                content: bytes | None = files.read_at(directory, self._name, limit=limit)
        except FileNotFoundError:
            content = None
        except MemoryFilesError:
            return Image.OTHER
        if content == before:
            return Image.BEFORE
        return Image.AFTER if content == after else Image.OTHER

    def forward(self) -> None:
        """From the before-image to the after-image.

        Raises:
            ChangedMeanwhileError: the file does not hold its before-image.
        """
        self._swap(self.change.before, self.change.after)

    def backward(self) -> None:
        """From the after-image to the before-image.

        Raises:
            ChangedMeanwhileError: the file does not hold its after-image.
        """
        self._swap(self.change.after, self.change.before)

    def reclaim(self) -> None:
        """Undoes a half-done step: what lies aside goes back, unless its place is taken."""
        with self._if_there() as directory:
            if directory is None:
                return
            files.unlink_at(directory, self._new)
            if exists_at(directory, self._aside) and not exists_at(directory, self._name):
                self._step("put back")
                move_without_overwriting(directory, self._aside, self._name)
        self.tidy()

    def tidy(self) -> None:
        """Removes what lies aside once its place is taken or to stay empty."""
        with self._if_there() as directory:
            if directory is not None and exists_at(directory, self._aside):
                self._drop_aside(directory)

    @contextlib.contextmanager
    def _if_there(self) -> Iterator[int | None]:
        with contextlib.ExitStack() as stack:
            try:
                directory = stack.enter_context(files.open_directory(self.directory))
            except FileNotFoundError:
                directory = None
            yield directory

    def _swap(self, expected: bytes | None, wanted: bytes | None) -> None:
        with files.open_directory(self.directory, create=wanted is not None) as directory:
            if wanted is not None:
                self._step("write new")
                mode = files.mode_at(directory, self._name)
                files.write_new(directory, self._new, wanted, mode=mode)
            if expected is not None:
                self._move_aside(directory, expected)
            if wanted is not None:
                self._step("link new")
                try:
                    move_without_overwriting(directory, self._new, self._name, step=self._step)
                except FileExistsError as error:
                    raise ChangedMeanwhileError from error

    def _move_aside(self, directory: int, expected: bytes) -> None:
        self._step("move aside")
        if not _is_regular(directory, self._name):
            raise ChangedMeanwhileError
        try:
            os.rename(self._name, self._aside, src_dir_fd=directory, dst_dir_fd=directory)
        except FileNotFoundError as error:
            raise ChangedMeanwhileError from error
        self._step("compare")
        if _content(directory, self._aside, len(expected)) == expected:
            return
        self._step("put back")
        # When the name is taken again, the text aside is found by `reclaim`.
        with contextlib.suppress(FileExistsError):
            move_without_overwriting(directory, self._aside, self._name)
        raise ChangedMeanwhileError

    def _drop_aside(self, directory: int) -> None:
        status = os.stat(self._aside, dir_fd=directory, follow_symlinks=False)
        if stat.S_ISDIR(status.st_mode) or status.st_size > KEPT_LIMIT:
            _logger.warning("a large foreign file is left aside in the memory as %s", self._aside)
            return
        if not stat.S_ISREG(status.st_mode) or _same_file(directory, status, self._name):
            self._step("unlink aside")
            files.unlink_at(directory, self._aside)
            return
        with files.open_regular_at(directory, self._aside) as descriptor:
            content = files.read_whole(descriptor, limit=KEPT_LIMIT)
            self._keep_foreign(content)
            self._step("unlink aside")
            files.unlink_at(directory, self._aside)
            # An editor that has the file open may have written until just now.
            late = files.read_whole(descriptor, limit=KEPT_LIMIT)
            if late != content:
                self._keep_foreign(late)
            if self._watch:
                self._watch(self.change, descriptor, late)

    def _keep_foreign(self, content: bytes) -> None:
        if content not in (self.change.before, self.change.after):
            self._step("keep text")
            self._keep(KeptText(self.change.path, content))


def _content(directory: int, name: str, limit: int) -> bytes | None:
    try:
        return files.read_at(directory, name, limit=limit)
    except MemoryFilesError:
        return None


def _is_regular(directory: int, name: str) -> bool:
    try:
        return stat.S_ISREG(os.stat(name, dir_fd=directory, follow_symlinks=False).st_mode)
    except FileNotFoundError:
        return False


def _same_file(directory: int, status: os.stat_result, name: str) -> bool:
    try:
        other = os.stat(name, dir_fd=directory, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return (status.st_dev, status.st_ino) == (other.st_dev, other.st_ino)
