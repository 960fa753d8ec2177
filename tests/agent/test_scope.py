from __future__ import annotations

import os
from pathlib import Path

import pytest

from qmemd.agent.scope import MemoryScope, ToolRefusedError
from qmemd.kinds import Scope
from qmemd.memory.memorypath import MemoryPath
from qmemd.memory.paths import MemoryPaths, resolve_paths


@pytest.fixture
def bounds(paths: MemoryPaths) -> MemoryScope:
    for root in paths.roots:
        root.path.mkdir(parents=True)
    return MemoryScope(paths, list(Scope))


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    directory = tmp_path / "outside"
    directory.mkdir()
    return directory


@pytest.mark.parametrize(
    "relative", ["x.md", "topic/x.md", "日本語.md", "🚀 naïve.md", "a b/c d.md", "x.y.md"]
)
def test_documents_below_a_root_may_be_written(
    paths: MemoryPaths, bounds: MemoryScope, relative: str
) -> None:
    for scope in Scope:
        path = str(paths.root(scope).path / relative)
        assert bounds.writable(path) == MemoryPath(scope, relative)
        assert bounds.readable(path) == MemoryPath(scope, relative)
    assert (bounds.escapes, bounds.mismatches) == (0, 0)


@pytest.mark.parametrize(
    "raw",
    [
        None,
        7,
        "",
        "x.md",
        "./x.md",
        "~/x.md",
        "~",
        "{user}/\0.md",
        "{user}/\ud800.md",
        "{user}/" + "x" * 300 + ".md",
        "{user}/" + "d/" * 3000 + "x.md",
        "{user}",
        "{user}/",
        "{user}/MEMORY.md",
        "{user}/memory.MD",
        "{user}/Memory.md",
        "{user}/topic/MEMORY.md",
        "{user}/pinned/x.md",
        "{user}/PINNED/x.md",
        "{user}/a/../pinned/x.md",
        "{user}/x.txt",
        "{user}/.md",
        "{user}/.hidden.md",
        "{user}/.git/x.md",
        "{user}/a\nb.md",
        "{user}/x.md/y.md",
    ],
)
def test_unfit_paths_inside_are_refused_without_counting_as_escapes(
    paths: MemoryPaths, bounds: MemoryScope, raw: object
) -> None:
    if isinstance(raw, str):
        raw = raw.replace("{user}", str(paths.user.path))
    with pytest.raises(ToolRefusedError):
        bounds.writable(raw)
    assert bounds.escapes == 0


@pytest.mark.parametrize(
    "raw",
    [
        "/etc/passwd.md",
        "/x.md",
        "/",
        "{user}/../x.md",
        "{user}/../../../outside/x.md",
        "{user}-evil/x.md",
        "{user}.md",
        "{base}/qmemd/history/x.md",
        "{base}/projects/x.md",
        "/proc/self/cwd/x.md",
        "/dev/stdin",
    ],
)
def test_what_lies_outside_is_an_escape(paths: MemoryPaths, bounds: MemoryScope, raw: str) -> None:
    raw = raw.replace("{user}", str(paths.user.path)).replace("{base}", str(paths.base))
    with pytest.raises(ToolRefusedError, match="outside"):
        bounds.writable(raw)
    assert bounds.escapes == 1
    with pytest.raises(ToolRefusedError):
        bounds.readable(raw)
    assert bounds.escapes == 1, "reading is no attempt to write"


def test_dangling_links_are_judged_by_where_they_lead(
    paths: MemoryPaths, bounds: MemoryScope, outside: Path
) -> None:
    root = paths.user.path
    (root / "one.md").symlink_to(outside / "new.md")
    (root / "two.md").symlink_to(root / "hop.md")
    (root / "hop.md").symlink_to(outside / "x.md")
    (root / "relative.md").symlink_to("../../outside/y.md")
    (root / "directory").symlink_to(outside)
    for name in ("one.md", "two.md", "relative.md", "directory/x.md"):
        with pytest.raises(ToolRefusedError):
            bounds.writable(str(root / name))
        with pytest.raises(ToolRefusedError):
            bounds.readable(str(root / name))
    assert list(outside.iterdir()) == []


def test_a_link_to_a_document_inside_is_that_document(
    paths: MemoryPaths, bounds: MemoryScope
) -> None:
    root = paths.user.path
    (root / "alias.md").symlink_to(root / "real.md")
    assert bounds.writable(str(root / "alias.md")) == MemoryPath(Scope.USER, "real.md")
    (root / "pinned").mkdir()
    (root / "harmless").symlink_to(root / "pinned")
    with pytest.raises(ToolRefusedError, match="user"):
        bounds.writable(str(root / "harmless/x.md"))


def test_a_loop_of_links_is_refused(paths: MemoryPaths, bounds: MemoryScope) -> None:
    root = paths.user.path
    (root / "a.md").symlink_to(root / "b.md")
    (root / "b.md").symlink_to(root / "a.md")
    with pytest.raises(ToolRefusedError):
        bounds.writable(str(root / "a.md"))


def test_dots_after_a_link_are_resolved_by_the_file_system(
    paths: MemoryPaths, bounds: MemoryScope, outside: Path
) -> None:
    root = paths.user.path
    (outside / "below").mkdir()
    (root / "link").symlink_to(outside / "below")
    # By text this would be <root>/x.md; on disk it is outside/x.md.
    with pytest.raises(ToolRefusedError):
        bounds.writable(f"{root}/link/../x.md")
    assert bounds.escapes == 1


def test_a_root_that_is_itself_a_link_is_not_followed(tmp_path: Path, outside: Path) -> None:
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    paths = resolve_paths(tmp_path / "base", workspace)
    paths.project_state.mkdir(parents=True)
    paths.project.path.symlink_to(outside)
    bounds = MemoryScope(paths, list(Scope))
    with pytest.raises(ToolRefusedError, match="outside"):
        bounds.writable(str(paths.project.path / "x.md"))
    assert list(outside.iterdir()) == []


def test_a_base_behind_a_link_is_fine_in_every_spelling(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "workspace").mkdir()
    (tmp_path / "home").symlink_to(tmp_path / "real")
    paths = resolve_paths(tmp_path / "home/base", tmp_path / "workspace")
    bounds = MemoryScope(paths, list(Scope))
    expected = MemoryPath(Scope.USER, "x.md")
    assert bounds.writable(f"{paths.user.path}/x.md") == expected
    assert bounds.writable(f"{tmp_path}/home/base/memories/x.md") == expected


def test_things_that_are_no_files_are_refused(paths: MemoryPaths, bounds: MemoryScope) -> None:
    root = paths.user.path
    os.mkfifo(root / "pipe.md")
    (root / "directory.md").mkdir()
    (root / "file").write_text("x")
    for name in ("pipe.md", "directory.md", "file/x.md"):
        with pytest.raises(ToolRefusedError):
            bounds.writable(str(root / name))


def test_the_other_scope_is_a_mismatch(paths: MemoryPaths) -> None:
    bounds = MemoryScope(paths, [Scope.USER])
    assert bounds.writable(str(paths.user.path / "x.md")).scope is Scope.USER
    with pytest.raises(ToolRefusedError, match="project"):
        bounds.writable(str(paths.project.path / "x.md"))
    assert (bounds.escapes, bounds.mismatches) == (0, 1)
    assert bounds.readable(str(paths.project.path / "x.md")).scope is Scope.PROJECT


def test_the_roots_are_directories_to_look_into(paths: MemoryPaths, bounds: MemoryScope) -> None:
    assert bounds.directory(str(paths.user.path)) == (Scope.USER, "")
    assert bounds.directory(f"{paths.project.path}/a/") == (Scope.PROJECT, "a")
    with pytest.raises(ToolRefusedError):
        bounds.directory(str(paths.base))
