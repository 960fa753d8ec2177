from __future__ import annotations

from qmemd.agent.models.offline import OfflineModel
from qmemd.kinds import Scope, Topic
from qmemd.memory.paths import MemoryPaths
from tests.agent.conftest import Put
from tests.agent.workbench import Workbench


def test_the_same_document_twice_is_merged(bench: Workbench, put: Put) -> None:
    first = put(Scope.PROJECT, "a.md", "The API listens on port 8080.")
    second = put(Scope.PROJECT, "b.md", "the API  listens on port 8080")
    other = put(Scope.PROJECT, "c.md", "The API listens on port 8081.")
    result = bench.dream(OfflineModel())
    assert result["dedupedEntries"] == 1
    assert len(result["removedFiles"]) == 1
    assert set(bench.files()) | set(result["removedFiles"]) == {str(first), str(second), str(other)}
    assert str(other) in bench.files()


def test_bullets_go_and_all_else_stays(bench: Workbench, put: Put) -> None:
    body = (
        "# Habits\n- uses vim\n- likes tea\n  **Why:** warm\n\n"
        "- Uses Vim.\n- likes coffee\n- USES VIM"
    )
    path = put(Scope.USER, "list.md", body)
    head = path.read_bytes()[: -len(body) - 1]
    result = bench.dream(OfflineModel())
    rest = "# Habits\n- uses vim\n- likes tea\n  **Why:** warm\n\n- likes coffee\n"
    assert path.read_bytes() == head + rest.encode()
    assert result["dedupedEntries"] == 2
    assert result["changedFiles"] == [str(path)]


def test_a_list_without_a_head_is_cleaned_as_well(bench: Workbench, paths: MemoryPaths) -> None:
    paths.user.path.mkdir(parents=True)
    path = paths.user.path / "old.md"
    path.write_bytes(b"\xef\xbb\xbf# Old\r\n- one\r\n- two\r\n- one\r\n")
    bench.dream(OfflineModel())
    assert path.read_bytes() == b"\xef\xbb\xbf# Old\r\n- one\r\n- two\r\n"


def test_nothing_twice_changes_nothing(bench: Workbench, put: Put) -> None:
    put(Scope.PROJECT, "a.md", "The API listens on port 8080.")
    put(Scope.USER, "a.md", "The API listens on port 8080.")
    put(Scope.PROJECT, "f.md", "The API listens on port 8080.", Topic.FEEDBACK)
    before = bench.files()
    assert bench.dream(OfflineModel())["dedupedEntries"] == 0
    assert bench.files() == before


def test_many_groups_take_few_turns(bench: Workbench, put: Put) -> None:
    for number in range(40):
        put(Scope.USER, f"list-{number}.md", f"- fact {number}\n- other {number}\n- fact {number}")
    assert bench.dream(OfflineModel())["dedupedEntries"] == 40


def test_a_model_keeps_nothing_between_runs(bench: Workbench, put: Put) -> None:
    model = OfflineModel()
    put(Scope.USER, "a.md", "- x marks\n- y\n- x marks")
    assert bench.dream(model)["dedupedEntries"] == 1
    assert bench.dream(model)["dedupedEntries"] == 0
    assert bench.remember(model, "The user likes tea.")["filesTouched"]
