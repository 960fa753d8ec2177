"""Where memory lives: the base directory and the two roots below it.

The trusted anchors (the base, the project directory) are canonicalised once; the managed part
below them is appended literally, so that a link planted there is noticed and not followed.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from qmemd.errors import MemoryFilesError, SettingsError
from qmemd.kinds import Scope
from qmemd.memory.meta import claim, read_meta

INDEX_NAME = "MEMORY.md"
OWN_PREFIX = ".qmemd-"
"""Files and directories of ours below or beside a root; never documents."""
PINNED_NAME = "pinned"
WORKSPACE_KEY = "qmemdWorkspace"
"""Key of ``meta.json`` that says which project directory a slug belongs to."""

_BASE_VARIABLES = ("QWEN_CODE_MEMORY_BASE_DIR", "QWEN_RUNTIME_DIR")
_MAX_SLUG = 246
"""Leaves room for a suffix in the 255 bytes that a name may have."""
# Two units in a JavaScript program's strings, and so two hyphens.
_BEYOND_16_BITS = re.compile("[\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class Root:
    """One of the two directories that hold documents. It need not exist yet."""

    scope: Scope
    path: Path
    """Absolute; the anchor canonical, the managed part literal."""

    @property
    def index_path(self) -> Path:
        return self.path / INDEX_NAME

    @property
    def lock_path(self) -> Path:
        """Beside the root, so that a root can be replaced while it is locked."""
        return self.path.parent / f"{OWN_PREFIX}{self.path.name}.lock"

    @property
    def pinned(self) -> Path:
        """The user's own documents: readable, never changed by an agent."""
        return self.path / PINNED_NAME


@dataclass(frozen=True, slots=True)
class MemoryPaths:
    """All places that a run for one workspace may touch."""

    base: Path
    """Canonical."""
    workspace: Path
    """The daemon's workspace, canonical."""
    user: Root
    project: Root
    project_state: Path
    """``<base>/projects/<slug>``, also when the project's memory is kept in the workspace."""
    history: Path
    """Change sets, shared by every workspace of this base."""
    project_dir: Path
    """What counts as the project: the workspace, or the git root that it lies in."""

    @property
    def roots(self) -> tuple[Root, Root]:
        """In the order in which their locks are taken."""
        return (self.user, self.project)

    def root(self, scope: Scope) -> Root:
        return self.user if scope is Scope.USER else self.project


def base_dir(environ: Mapping[str, str]) -> Path:
    """The directory that everything of ours and of Qwen Code's memory lives below, absolute."""
    home = environ.get("HOME") or str(Path.home())
    given = next(
        (environ[name] for name in _BASE_VARIABLES if environ.get(name, "").strip()), "~/.qwen"
    )
    if given == "~" or given.startswith("~/"):
        given = home + given[1:]
    return Path.cwd() / given


def resolve_paths(
    base: Path, workspace: Path, *, project_scope: str = "workspace", local: bool = False
) -> MemoryPaths:
    """Looks up the places of a workspace; creates nothing.

    Args:
        base: See ``base_dir``.
        workspace: Any spelling of the workspace's directory.
        project_scope: ``"workspace"``, or ``"git-root"`` for the nearest ancestor with ``.git``.
        local: Keep project memory in ``.qwen/memory`` of the project itself.

    Raises:
        SettingsError: the project would be ``/``, or ``project_scope`` is unknown.
        MemoryFilesError: ``memory_path_refused``: ``<base>/projects``, or the project's directory
            there, is a link or a file.
    """
    if project_scope not in ("workspace", "git-root"):
        raise SettingsError('The project scope must be "workspace" or "git-root".')
    base = Path(os.path.realpath(base))
    workspace = Path(os.path.realpath(workspace))
    project_dir = _git_root(workspace) if project_scope == "git-root" else workspace
    if project_dir == Path(project_dir.anchor):
        raise SettingsError("The workspace is /; name the directory of a project.")
    state = base / "projects" / _settled_slug(base, project_dir)
    return MemoryPaths(
        base=base,
        workspace=workspace,
        user=Root(Scope.USER, base / "memories"),
        project=Root(Scope.PROJECT, (project_dir / ".qwen" if local else state) / "memory"),
        project_state=state,
        history=base / "qmemd" / "history",
        project_dir=project_dir,
    )


def claim_slug(paths: MemoryPaths, now: datetime | None = None) -> bool:
    """Records whom the project's slug belongs to: of several claimants exactly one gets it.

    Best effort, as every write of ``meta.json``.

    Returns:
        False when it belongs to another project since the paths were resolved.

    Raises:
        MemoryFilesError: ``memory_path_refused``: the project's directory or the one above it is
            a link or a file; ``memory_locked``: another process does not let go of ``meta.json``.
    """
    _refuse_odd(paths.project_state.parent)
    _refuse_odd(paths.project_state)
    name = _text(paths.project_dir)
    return claim(paths.project_state, WORKSPACE_KEY, name, now) == name


def slug_of(path: Path) -> str:
    """The name of a project's directory: lossy, and shared with Qwen Code."""
    slug = _BEYOND_16_BITS.sub("--", os.fspath(path))
    slug = re.sub("[^A-Za-z0-9]", "-", slug)
    return slug if len(slug) <= _MAX_SLUG else f"{slug[:_MAX_SLUG]}-{_digest(path)}"


def _settled_slug(base: Path, project_dir: Path) -> str:
    plain = slug_of(project_dir)
    own = f"{plain}-{_digest(project_dir)}"
    name = _text(project_dir)
    projects = base / "projects"
    _refuse_odd(projects)
    _refuse_odd(projects / plain)
    owner = read_meta(projects / plain).get(WORKSPACE_KEY)
    if owner == name:
        return plain
    if isinstance(owner, str):
        _refuse_odd(projects / own)
        return own
    return own if read_meta(projects / own).get(WORKSPACE_KEY) == name else plain


def _refuse_odd(directory: Path) -> None:
    try:
        mode = directory.lstat().st_mode
    except OSError:
        # Missing, or not ours to see: whoever uses it is told by the system.
        return
    if not stat.S_ISDIR(mode):
        kind = "a symbolic link" if stat.S_ISLNK(mode) else "not a directory"
        raise MemoryFilesError(
            "memory_path_refused",
            f"{_text(directory)} is {kind}; memory needs a directory there. Move it away.",
        )


def _git_root(workspace: Path) -> Path:
    for directory in (workspace, *workspace.parents):
        if directory != Path(directory.anchor) and os.path.lexists(directory / ".git"):
            return directory
    return workspace


def _digest(path: Path) -> str:
    return hashlib.sha256(os.fsencode(path)).hexdigest()[:8]


def _text(path: Path) -> str:
    # A name on disk need not be UTF-8, but meta.json is.
    return os.fsencode(path).decode("utf-8", "backslashreplace")
