"""Where context files may be, and where a path really leads."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from qmemd.context.records import ContextScope, ListedFile, Listing, Trouble
from qmemd.errors import MemoryFilesError, RequestError

NAMES = ("QWEN.md", "AGENTS.md")


class Places:
    """The two directories, and the names in them that count."""

    def __init__(self, workspace: Path, user_directory: Path) -> None:
        self._workspace = workspace
        self._roots = {ContextScope.WORKSPACE: workspace, ContextScope.GLOBAL: user_directory}

    def root(self, scope: ContextScope) -> Path:
        """The directory of a scope, as people name it."""
        return self._roots[scope]

    def target(self, scope: ContextScope, name: str) -> Path:
        """Where the bytes of a file are: the directory is trusted, links in it only within it.

        Raises:
            MemoryFilesError: ``memory_path_refused``, the name is a link that leaves the directory.
        """
        root = Path(os.path.realpath(self._roots[scope]))
        path = root / name
        if not path.is_symlink():
            return path
        real = Path(os.path.realpath(path))
        if not real.is_relative_to(root):
            raise MemoryFilesError("memory_path_refused")
        return real

    def listing(self) -> Listing:
        """Every file that is there; what cannot be looked at is listed as trouble."""
        files: list[ListedFile] = []
        troubles: list[Trouble] = []
        for scope, root in self._roots.items():
            for name in NAMES:
                path = root / name
                try:
                    status = self.target(scope, name).lstat()
                except FileNotFoundError:
                    continue
                except MemoryFilesError:
                    troubles.append(Trouble(path, "it links to another place", "symlink_escape"))
                except OSError as error:
                    troubles.append(Trouble(path, error.strerror or "unknown", "stat_failed"))
                else:
                    if stat.S_ISREG(status.st_mode):
                        files.append(ListedFile(path, scope, status.st_size))
        return Listing(self._workspace, tuple(files), tuple(troubles))

    def listed(self, named: str) -> tuple[Path, Path]:
        """A path of the listing, and where its bytes are.

        Raises:
            RequestError: ``path_outside_workspace``, ``symlink_escape``, ``path_not_found``.
        """
        path = Path(os.path.normpath(self._workspace / named))
        for scope, root in self._roots.items():
            for name in NAMES:
                if path == root / name:
                    try:
                        return path, self.target(scope, name)
                    except MemoryFilesError as error:
                        raise RequestError("symlink_escape") from error
        inside = any(path.is_relative_to(root) for root in self._roots.values())
        raise RequestError("path_not_found" if inside else "path_outside_workspace")
