from __future__ import annotations

import json
import os
import re
import subprocess
import threading
from pathlib import Path

import pytest

from qmemd.errors import MemoryFilesError, SettingsError
from qmemd.kinds import Scope
from qmemd.memory.locks import FileLock
from qmemd.memory.meta import read_meta, update_meta
from qmemd.memory.paths import (
    MemoryPaths,
    base_dir,
    claim_slug,
    resolve_paths,
    slug_of,
)


def resolved(tmp_path: Path, workspace: Path, **options: str) -> MemoryPaths:
    return resolve_paths(tmp_path / "base", workspace, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({"HOME": "/h"}, "/h/.qwen"),
        ({"HOME": "/h", "QWEN_RUNTIME_DIR": "/run"}, "/run"),
        ({"HOME": "/h", "QWEN_RUNTIME_DIR": "/run", "QWEN_CODE_MEMORY_BASE_DIR": "/m"}, "/m"),
        ({"HOME": "/h", "QWEN_CODE_MEMORY_BASE_DIR": " "}, "/h/.qwen"),
        ({"HOME": "/h", "QWEN_CODE_MEMORY_BASE_DIR": "~/mem"}, "/h/mem"),
        ({"HOME": "/h", "QWEN_CODE_MEMORY_BASE_DIR": "~"}, "/h"),
    ],
)
def test_base_dir(environ: dict[str, str], expected: str) -> None:
    assert base_dir(environ) == Path(expected)


def test_base_dir_is_absolute() -> None:
    assert base_dir({"HOME": "/h", "QWEN_RUNTIME_DIR": "here"}) == Path.cwd() / "here"


@pytest.mark.parametrize(
    ("path", "slug"),
    [("/w/my app", "-w-my-app"), ("/w/a_b.c", "-w-a-b-c"), ("/w/é", "-w--"), ("/w/🚀", "-w---")],
)
def test_slug(path: str, slug: str) -> None:
    assert slug_of(Path(path)) == slug


def test_slug_of_a_path_longer_than_a_file_name_stays_a_file_name_of_its_own() -> None:
    slugs = {slug_of(Path("/" + "d/" * 200 + name)) for name in ("x", "y")}
    assert len(slugs) == 2
    assert all(len(slug) <= 255 for slug in slugs)


def test_places(tmp_path: Path) -> None:
    workspace = tmp_path / "ws"
    paths = resolved(tmp_path, workspace)
    base = tmp_path / "base"
    slug = slug_of(workspace)
    assert paths.user.path == base / "memories"
    assert paths.project.path == base / "projects" / slug / "memory"
    assert paths.project_state == base / "projects" / slug
    assert paths.history == base / "qmemd" / "history"
    assert paths.roots == (paths.user, paths.project)
    assert paths.root(Scope.PROJECT) is paths.project
    assert paths.user.lock_path == base / ".qmemd-memories.lock"
    assert paths.project.lock_path == base / "projects" / slug / ".qmemd-memory.lock"
    assert paths.user.index_path == base / "memories" / "MEMORY.md"
    assert not base.exists()


def test_local_memory_lies_in_the_project_and_its_state_in_the_base(tmp_path: Path) -> None:
    paths = resolve_paths(tmp_path / "base", tmp_path / "ws", local=True)
    assert paths.project.path == tmp_path / "ws" / ".qwen" / "memory"
    assert paths.project_state.parent == tmp_path / "base" / "projects"


def test_every_spelling_of_a_workspace_is_the_same_place(tmp_path: Path) -> None:
    workspace = tmp_path / "ws"
    (workspace / "sub").mkdir(parents=True)
    (tmp_path / "link").symlink_to(workspace)
    spellings = [workspace, tmp_path / "link", workspace / "sub" / "..", Path(f"{workspace}/")]
    assert len({resolved(tmp_path, spelling) for spelling in spellings}) == 1


def test_the_base_may_be_a_link_but_what_is_below_it_is_literal(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    (tmp_path / "real" / "projects").mkdir(parents=True)
    (tmp_path / "base").symlink_to(tmp_path / "real")
    (tmp_path / "real" / "memories").symlink_to(outside)
    paths = resolved(tmp_path, tmp_path / "ws")
    assert paths.base == tmp_path / "real"
    assert paths.user.path == tmp_path / "real" / "memories"


def test_git_root_is_the_nearest_ancestor_with_dot_git(tmp_path: Path) -> None:
    repo = tmp_path / "repo"
    sub = repo / "a" / "b"
    sub.mkdir(parents=True)
    (repo / ".git").mkdir()
    paths = resolved(tmp_path, sub, project_scope="git-root")
    assert paths.project_dir == repo
    assert paths.workspace == sub
    assert paths.project == resolved(tmp_path, repo).project
    assert resolved(tmp_path, sub).project_dir == sub


def test_a_git_file_that_points_nowhere_still_marks_a_project(tmp_path: Path) -> None:
    (tmp_path / "repo" / "sub").mkdir(parents=True)
    (tmp_path / "repo" / ".git").write_text("gitdir: /nowhere\n")
    paths = resolved(tmp_path, tmp_path / "repo" / "sub", project_scope="git-root")
    assert paths.project_dir == tmp_path / "repo"


def test_without_git_the_git_root_is_the_workspace(tmp_path: Path) -> None:
    assert (
        resolved(tmp_path, tmp_path / "w", project_scope="git-root").project_dir == tmp_path / "w"
    )


def test_a_linked_worktree_is_its_own_project(tmp_path: Path) -> None:
    main, linked = tmp_path / "main", tmp_path / "linked"
    git = ["git", "-c", "user.name=n", "-c", "user.email=e@x", "-C", str(main)]
    main.mkdir()
    for arguments in (
        ["init", "-q"],
        ["commit", "-q", "--allow-empty", "-m", "m"],
        ["worktree", "add", "-q", str(linked)],
    ):
        subprocess.run([*git, *arguments], check=True, capture_output=True)
    projects = {
        resolved(tmp_path, place, project_scope="git-root").project for place in (main, linked)
    }
    assert len(projects) == 2


@pytest.mark.parametrize("project_scope", ["workspace", "git-root"])
def test_the_file_system_root_is_never_a_project(tmp_path: Path, project_scope: str) -> None:
    with pytest.raises(SettingsError, match="/"):
        resolved(tmp_path, Path("/"), project_scope=project_scope)


def test_an_unknown_project_scope_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError):
        resolved(tmp_path, tmp_path, project_scope="gitroot")


def test_a_slug_that_belongs_to_another_project_gets_a_suffix(tmp_path: Path) -> None:
    first = resolved(tmp_path, tmp_path / "a-b")
    assert claim_slug(first)
    second = resolved(tmp_path, tmp_path / "a" / "b")
    assert second.project_state.name.startswith(first.project_state.name + "-")
    assert len(second.project_state.name) == len(first.project_state.name) + 9
    assert claim_slug(second)
    assert resolved(tmp_path, tmp_path / "a-b") == first
    # What was settled stays so when the first one's record is lost.
    (first.project_state / "meta.json").unlink()
    assert resolved(tmp_path, tmp_path / "a" / "b") == second
    assert resolved(tmp_path, tmp_path / "a-b") == first


def test_a_slug_claimed_meanwhile_is_not_taken_over(tmp_path: Path) -> None:
    first = resolved(tmp_path, tmp_path / "a-b")
    second = resolved(tmp_path, tmp_path / "a" / "b")
    assert first.project_state == second.project_state
    assert claim_slug(first)
    assert not claim_slug(second)
    assert claim_slug(first)
    assert read_meta(first.project_state)["qmemdWorkspace"] == str(tmp_path / "a-b")


def test_of_several_claimants_exactly_one_gets_the_slug(tmp_path: Path) -> None:
    spellings = ["a-b-c", "a/b/c", "a-b/c", "a/b-c", "a.b.c", "a b c"]
    claimants = [resolved(tmp_path, tmp_path / spelling) for spelling in spellings]
    assert len({paths.project_state for paths in claimants}) == 1
    start = threading.Barrier(len(claimants))
    won: list[Path] = []

    def work(paths: MemoryPaths) -> None:
        start.wait(10)
        if claim_slug(paths):
            won.append(paths.project_dir)

    threads = [threading.Thread(target=work, args=(paths,)) for paths in claimants]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert len(won) == 1
    assert read_meta(claimants[0].project_state)["qmemdWorkspace"] == str(won[0])
    again = [resolved(tmp_path, paths.project_dir) for paths in claimants]
    assert len({paths.project_state for paths in again}) == len(again)
    assert all(map(claim_slug, again))


@pytest.mark.slow
def test_a_claim_that_another_process_holds_up_is_not_guessed(tmp_path: Path) -> None:
    paths = resolved(tmp_path, tmp_path / "ws")
    with FileLock(paths.project_state / ".qmemd-meta.lock"):
        with pytest.raises(MemoryFilesError) as caught:
            claim_slug(paths)
        assert caught.value.code == "memory_locked"


@pytest.mark.parametrize("odd", ["link", "dangling", "file", "fifo"])
@pytest.mark.parametrize("place", ["projects", "slug"])
def test_a_project_s_directory_that_is_none_is_named(tmp_path: Path, odd: str, place: str) -> None:
    paths = resolved(tmp_path, tmp_path / "ws")
    path = paths.project_state if place == "slug" else paths.project_state.parent
    path.parent.mkdir(parents=True)
    outside = tmp_path / "outside"
    if odd in ("link", "dangling"):
        if odd == "link":
            outside.mkdir()
        path.symlink_to(outside)
    elif odd == "file":
        path.write_text("")
    else:
        os.mkfifo(path)
    for call in (lambda: claim_slug(paths), lambda: resolved(tmp_path, tmp_path / "ws")):
        with pytest.raises(MemoryFilesError, match=re.escape(f"{path} is ")) as caught:
            call()
        assert caught.value.code == "memory_path_refused"
    assert not outside.exists() or not list(outside.iterdir())


def test_a_claim_keeps_what_others_wrote(tmp_path: Path) -> None:
    paths = resolved(tmp_path, tmp_path / "ws")
    paths.project_state.mkdir(parents=True)
    meta = paths.project_state / "meta.json"
    meta.write_text(json.dumps({"version": 1, "createdAt": "then", "theirs": [1]}))
    assert claim_slug(paths)
    kept = json.loads(meta.read_text())
    assert kept["theirs"] == [1]
    assert kept["createdAt"] == "then"
    update_meta(paths, lastDreamStatus="noop")
    assert json.loads(meta.read_text())["qmemdWorkspace"] == str(tmp_path / "ws")
