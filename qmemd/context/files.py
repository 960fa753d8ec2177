"""Reading and writing context files, within the two directories where they live.

What people write there is theirs: unlike a remembered fact it is not looked through for secrets.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from qmemd.context.excerpts import BOM, excerpt
from qmemd.context.places import Places
from qmemd.context.records import ContextScope, FileContent, Listing, WriteMode, Written
from qmemd.context.saving import TooLargeError, look, remove_leftovers, save_over
from qmemd.context.section import append
from qmemd.errors import MemoryFilesError, RequestError
from qmemd.memory.files import atomic_write, read_regular
from qmemd.memory.locks import FileLock

WRITTEN_NAME = "QWEN.md"
MAX_CONTENT_BYTES = 1_048_576
"""Bytes of one write."""
MAX_APPENDED_TO = 16_777_216
"""Bytes of a file to which text may be appended."""
LOCK_TIMEOUT = 5.0
"""Seconds to wait for another writer."""
_ATTEMPTS = 20
"""Reads anew, when somebody else keeps saving the file between our reading and writing."""
_NEW_MODES = {ContextScope.WORKSPACE: 0o644, ContextScope.GLOBAL: 0o600}


class ContextFiles:
    """The context files of one workspace and of its user. Safe to use from several threads."""

    def __init__(
        self,
        workspace: Path,
        user_directory: Path,
        lock_path: Path,
        *,
        compose: Callable[[str, str], str] = append,
    ) -> None:
        """Remembers the places; touches nothing.

        Args:
            workspace: the project's directory, absolute.
            user_directory: where the user's own files are, ``~/.qwen``.
            lock_path: a file by which the writers of all daemons take turns.
            compose: puts a text into a document, when it is appended.
        """
        self._places = Places(workspace, user_directory)
        self._lock_path = lock_path
        self._compose = compose

    def listing(self) -> Listing:
        """Every context file that is there, the workspace's first."""
        return self._places.listing()

    def write(self, scope: ContextScope, mode: WriteMode, content: str) -> Written:
        """Puts ``content`` into the scope's ``QWEN.md``, whole or not at all.

        Appended text goes under a heading of its own. Blank text is not appended, and a content
        that is there already is not written again.

        Raises:
            RequestError: ``content_too_large``, ``memory_file_too_large``,
                ``memory_file_refused`` (it is a link that leads elsewhere, not a file, or not
                UTF-8), ``file_error`` (the system refuses), ``daemon_busy``.
        """
        if len(content.encode()) > MAX_CONTENT_BYTES:
            raise RequestError("content_too_large")
        shown = self._places.root(scope) / WRITTEN_NAME
        appends = mode is WriteMode.APPEND
        if appends and not content.strip():
            return Written(shown, 0, mode, changed=False)
        try:
            with self._turn():
                target = self._places.target(scope, WRITTEN_NAME)
                remove_leftovers(target.parent)
                put = self._append if appends else self._replace
                size, changed = put(scope, target, content)
        except MemoryFilesError as error:
            raise RequestError("memory_file_refused") from error
        except OSError as error:
            extra = {"scope": scope.value, "mode": mode.value}
            if name := errno.errorcode.get(error.errno or 0):
                extra["osCode"] = name
            raise RequestError("file_error", extra=extra) from error
        return Written(shown, size, mode, changed)

    def tidy(self) -> None:
        """Removes what writers left that were killed. Never fails."""
        for scope in ContextScope:
            with suppress(OSError, MemoryFilesError, RequestError), self._turn():
                remove_leftovers(self._places.target(scope, WRITTEN_NAME).parent)

    def read(
        self, path: str, *, max_bytes: int, first_line: int = 1, lines: int | None = None
    ) -> FileContent:
        """The text of a file that is listed, and of no other.

        Args:
            path: absolute, or relative to the workspace.
            max_bytes: bytes of UTF-8 after which the text is cut.
            first_line: where to begin, from 1.
            lines: how many, at most.

        Raises:
            RequestError: ``path_outside_workspace``, ``symlink_escape``, ``path_not_found``,
                ``binary_file``, ``file_too_large``, ``permission_denied``, ``io_error``.
        """
        try:
            shown, target = self._places.listed(path)
            data = read_regular(target.parent, target.name, limit=MAX_APPENDED_TO)
        except MemoryFilesError as error:
            large = error.code == "memory_document_unreadable"
            raise RequestError("file_too_large" if large else "path_not_found") from error
        except FileNotFoundError as error:
            raise RequestError("path_not_found") from error
        except PermissionError as error:
            raise RequestError("permission_denied") from error
        except OSError as error:
            raise RequestError("io_error") from error
        return excerpt(shown, data, max_bytes=max_bytes, first_line=first_line, lines=lines)

    @contextmanager
    def _turn(self) -> Iterator[None]:
        directory = self._lock_path.parent
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        # People keep ~/.qwen elsewhere behind a link, and a lock is not looked for behind links.
        lock = FileLock(Path(os.path.realpath(directory)) / self._lock_path.name)
        if not lock.acquire(LOCK_TIMEOUT):
            raise RequestError("daemon_busy")
        try:
            yield
        finally:
            lock.release()

    def _replace(self, scope: ContextScope, target: Path, content: str) -> tuple[int, bool]:
        """Bytes written, and whether anything changed."""
        data = content.encode()
        try:
            before = look(target, limit=len(data))
        except TooLargeError:
            atomic_write(target, data)
            return len(data), True
        if before != data:
            atomic_write(target, data, mode=_NEW_MODES[scope] if before is None else None)
        return len(data), before != data

    def _append(self, scope: ContextScope, target: Path, text: str) -> tuple[int, bool]:
        limit, mode = MAX_APPENDED_TO, _NEW_MODES[scope]
        try:
            for _ in range(_ATTEMPTS):
                before = look(target, limit=limit)
                data = self._composed(before, text)
                if save_over(target, before, data, limit=limit, mode=mode):
                    return len(data), True
        except TooLargeError as error:
            extra = {"scope": scope.value, "mode": WriteMode.APPEND.value}
            sizes = {"bytes": target.stat().st_size, "limit": limit}
            raise RequestError("memory_file_too_large", extra=extra | sizes) from error
        raise RequestError("daemon_busy")

    def _composed(self, before: bytes | None, text: str) -> bytes:
        try:
            document = "" if before is None else before.decode()
        except UnicodeDecodeError as error:
            raise RequestError("memory_file_refused") from error
        bom = BOM if document.startswith(BOM) else ""
        return (bom + self._compose(document.removeprefix(BOM), text)).encode()
