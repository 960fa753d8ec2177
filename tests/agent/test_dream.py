from __future__ import annotations

import os
from pathlib import Path

import pytest

from qmemd.agent.models.base import Conversation, DreamBrief, Reply
from qmemd.kinds import Scope, Topic
from tests.agent.conftest import Put
from tests.agent.scripted import ScriptedModel, calls, read, write
from tests.agent.workbench import Workbench


def aged(path: Path, seconds: int) -> Path:
    os.utime(path, (seconds, seconds))
    return path


def groups_seen(model: ScriptedModel) -> list[list[str]]:
    brief = model.heard[0].brief
    assert isinstance(brief, DreamBrief)
    return [[entry.entry_id for entry in (group.keep, *group.extra)] for group in brief.duplicates]


def merge(heard: Conversation) -> Reply:
    """Removes each extra document of the brief."""
    brief = heard.brief
    assert isinstance(brief, DreamBrief)
    roots = {Scope.USER: brief.user_root, Scope.PROJECT: brief.project_root}
    return calls(
        *(
            (
                "remove",
                {
                    "file_path": str(roots[entry.scope] / entry.path),
                    "merged_into": str(roots[entry.scope] / group.keep.path),
                },
            )
            for group in brief.duplicates
            for entry in group.extra
        )
    )


def test_equal_documents_are_merged_into_the_oldest(bench: Workbench, put: Put) -> None:
    kept = aged(put(Scope.USER, "z.md", "Likes tea."), 100)
    gone = aged(put(Scope.USER, "a.md", "likes  TEA"), 200)
    also = aged(put(Scope.USER, "deep/b.md", "Likes tea!"), 300)
    put(Scope.USER, "rye.md", "Likes rye.")
    model = ScriptedModel([merge])
    result = bench.dream(model)
    assert groups_seen(model) == [["user:z.md", "user:a.md", "user:deep/b.md"]]
    assert result["dedupedEntries"] == 2
    assert result["removedFiles"] == [str(gone), str(also)]
    assert result["changedFiles"] == []
    assert (result["touchedTopics"], result["touchedScopes"]) == (["user"], ["user"])
    assert kept.exists()
    assert not gone.exists()
    assert bench.index(bench.paths.user.path).count("](") == 2
    meta = bench.meta()
    assert meta["lastDreamAt"] == "2026-03-01T12:00:00.000Z"
    assert meta["lastDreamStatus"] == "updated"
    assert meta["lastDreamTouchedTopics"] == ["user"]


def test_equal_counts_only_within_a_scope_and_a_type(bench: Workbench, put: Put) -> None:
    put(Scope.USER, "a.md", "Likes tea.")
    put(Scope.PROJECT, "a.md", "Likes tea.", Topic.USER)
    put(Scope.USER, "b.md", "Likes tea.", Topic.FEEDBACK)
    put(Scope.PROJECT, "p1.md", "The port is 8080.")
    put(Scope.PROJECT, "p2.md", "The port is 8081.")
    model = ScriptedModel([merge])
    assert bench.dream(model)["dedupedEntries"] == 0
    assert groups_seen(model) == []


def test_pinned_entries_are_kept_and_never_extra(bench: Workbench, put: Put) -> None:
    aged(put(Scope.USER, "old.md", "Likes tea."), 100)
    pinned = aged(put(Scope.USER, "pinned/new.md", "Likes tea."), 200)
    twin = aged(put(Scope.USER, "pinned/twin.md", "Likes tea."), 300)
    model = ScriptedModel([merge])
    result = bench.dream(model)
    assert groups_seen(model) == [["user:pinned/new.md", "user:old.md"]]
    assert result["dedupedEntries"] == 1
    assert pinned.exists()
    assert twin.exists()


def test_one_bullet_of_a_list_goes_by_an_edit(bench: Workbench, put: Put) -> None:
    aged(put(Scope.PROJECT, "one.md", "Ships in May."), 100)
    path = aged(put(Scope.PROJECT, "list.md", "- Alpha.\n- Ships in May.\n- Beta."), 200)
    edit = {"file_path": str(path), "old_string": "- Ships in May.\n", "new_string": ""}
    model = ScriptedModel([read(path), calls(("edit", edit))])
    result = bench.dream(model)
    assert groups_seen(model) == [["project:one.md", "project:list.md:1"]]
    assert result["dedupedEntries"] == 1
    assert result["changedFiles"] == [str(path)]
    assert result["removedFiles"] == []


def test_removing_what_has_no_equal_is_not_called_merging(bench: Workbench, put: Put) -> None:
    for number in range(10):
        put(Scope.USER, f"{number}.md", f"Fact number {number}.")
    path = bench.paths.user.path / "0.md"
    result = bench.dream(ScriptedModel([read(path), calls(("remove", {"file_path": str(path)}))]))
    assert result["dedupedEntries"] == 0
    assert result["removedFiles"] == [str(path)]


def test_a_dream_that_would_lose_most_of_the_memory_changes_nothing(
    bench: Workbench, put: Put
) -> None:
    found = [put(Scope.USER, f"{number}.md", f"Fact number {number}.") for number in range(40)]
    gone = calls(*(("remove", {"file_path": str(path)}) for path in found[:35]))
    model = ScriptedModel([read(*found), gone, Reply("Tidied up.")])
    with bench.fails("dream_unsafe"):
        bench.dream(model)
    assert not (bench.paths.project_state / "meta.json").exists()


def test_merging_into_something_else_does_not_get_around_the_limit(
    bench: Workbench, put: Put
) -> None:
    found = [put(Scope.USER, f"{number}.md", f"Fact number {number}.") for number in range(40)]
    gone = calls(
        *(
            ("remove", {"file_path": str(path), "merged_into": str(found[-1])})
            for path in found[:35]
        )
    )
    with bench.fails("dream_unsafe"):
        bench.dream(ScriptedModel([gone]))


def test_without_duplicates_only_the_index_is_repaired(bench: Workbench, put: Put) -> None:
    put(Scope.USER, "a.md", "Likes tea.")
    bench.paths.user.index_path.write_text("- [Gone](gone.md) — it was here\n")
    result = bench.dream(ScriptedModel([Reply("All is well.")]))
    assert result["changeSetId"] is None
    assert [result[key] for key in ("changedFiles", "removedFiles", "touchedScopes")] == [[]] * 3
    assert "(a.md)" in bench.index(bench.paths.user.path)
    assert "gone" not in bench.index(bench.paths.user.path)
    assert bench.meta()["lastDreamStatus"] == "noop"
    stamp = bench.paths.user.index_path.stat()
    bench.dream(ScriptedModel())
    again = bench.paths.user.index_path.stat()
    assert (stamp.st_ino, stamp.st_mtime_ns) == (again.st_ino, again.st_mtime_ns)


def test_an_empty_memory_is_a_quiet_success(bench: Workbench) -> None:
    result = bench.dream(ScriptedModel())
    assert result["dedupedEntries"] == 0
    assert not bench.paths.user.path.exists()


def test_unknown_keys_of_the_state_are_kept_and_failures_change_none(
    bench: Workbench, put: Put
) -> None:
    put(Scope.USER, "a.md", "Likes tea.")
    bench.paths.project_state.mkdir(parents=True)
    meta = bench.paths.project_state / "meta.json"
    meta.write_text('{"version":1,"theirs":{"x":1},"lastDreamStatus":"noop"}')
    before = meta.read_bytes()

    def late(_: Conversation) -> Reply:
        bench.seconds += 61
        return Reply("Done.")

    with bench.fails("dream_timeout"):
        bench.dream(ScriptedModel([late]))
    assert meta.read_bytes() == before
    bench.dream(ScriptedModel())
    assert bench.meta()["theirs"] == {"x": 1}


def test_state_that_cannot_be_written_fails_nothing(bench: Workbench, put: Put) -> None:
    put(Scope.USER, "a.md", "Likes tea.")
    put(Scope.USER, "b.md", "Likes tea.")
    (bench.paths.project_state / "meta.json").mkdir(parents=True)
    assert bench.dream(ScriptedModel([merge]))["dedupedEntries"] == 1


@pytest.mark.parametrize("name", ["alias.md", "pinned/x.md"])
def test_the_users_own_directory_cannot_be_touched(bench: Workbench, put: Put, name: str) -> None:
    path = put(Scope.USER, "pinned/x.md", "Mine.")
    (bench.paths.user.path / "alias.md").symlink_to(path)
    target = bench.paths.user.path / name
    model = ScriptedModel(
        [read(target), calls(("remove", {"file_path": str(target)})), write(target)]
    )
    assert bench.dream(model)["changeSetId"] is None
    assert path.exists()


def test_a_document_that_appears_meanwhile_is_in_the_index(bench: Workbench, put: Put) -> None:
    put(Scope.USER, "a.md", "Likes tea.")
    put(Scope.USER, "b.md", "Likes tea.")

    def meanwhile(heard: Conversation) -> Reply:
        put(Scope.USER, "new.md", "Written by an editor.")
        return merge(heard)

    bench.dream(ScriptedModel([meanwhile]))
    assert "(new.md)" in bench.index(bench.paths.user.path)
