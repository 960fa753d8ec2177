from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from qmemd.agent.forget import MAX_REMOVED
from qmemd.agent.models.base import Choice
from qmemd.kinds import Scope, Topic
from qmemd.memory.entries import Entry
from tests.agent.conftest import Put
from tests.agent.scripted import ScriptedModel
from tests.agent.workbench import Workbench


def choosing(*ids: str, reason: str = "No match.") -> ScriptedModel:
    return ScriptedModel(choose=lambda _query, _offered: Choice(ids, reason))


def test_a_whole_document_goes(bench: Workbench, put: Put) -> None:
    path = put(Scope.USER, "tea.md", "Likes tea.\n\n**Why:** taste", Topic.FEEDBACK, "Tea")
    put(Scope.USER, "rye.md", "Likes rye.")
    result = bench.forget(choosing("user:tea.md"))
    assert result["removedEntries"] == [
        {"topic": "feedback", "summary": "Likes tea.", "filePath": str(path)}
    ]
    assert (result["touchedTopics"], result["touchedScopes"]) == (["feedback"], ["user"])
    assert result["summary"] == "Forgot 1 entry."
    assert result["changeSetId"]
    assert not path.exists()
    assert "tea.md" not in bench.index(bench.paths.user.path)
    assert "rye.md" in bench.index(bench.paths.user.path)


def test_one_bullet_goes_and_every_other_byte_stays(bench: Workbench, put: Put) -> None:
    path = put(Scope.PROJECT, "list.md", "x")
    head = b"---\r\nname: L\r\ntype: project\r\nodd:   key\r\n---\r\n\r\n# Title\r\n"
    first = b"- Same.\r\n  Why: one\r\n"
    second = b"- Same.\r\n  Why: two\r\n"
    last = b"- Other.  \r\n"
    path.write_bytes(head + first + second + last)
    result = bench.forget(choosing("project:list.md:1"))
    assert path.read_bytes() == head + first + last
    (removed,) = result["removedEntries"]
    assert removed["filePath"] == str(path)
    assert removed["summary"] == "Same."


def test_several_bullets_and_the_last_ones_take_the_file(bench: Workbench, put: Put) -> None:
    path = put(Scope.PROJECT, "list.md", "- A.\n- B.\n- C.\n- D.")
    result = bench.forget(choosing("project:list.md:0", "project:list.md:2"))
    assert path.read_text().endswith("- B.\n- D.\n")
    assert {entry["summary"] for entry in result["removedEntries"]} == {"A.", "C."}
    result = bench.forget(choosing("project:list.md:0", "project:list.md:1"))
    assert not path.exists()
    assert len(result["removedEntries"]) == 2


def test_ids_carry_the_scope(bench: Workbench, put: Put) -> None:
    user = put(Scope.USER, "shared/note.md", "Likes tea.")
    project = put(Scope.PROJECT, "shared/note.md", "Ships tea.")
    model = choosing("project:shared/note.md", "user:shared/note.md")
    result = bench.forget(model, scope=Scope.PROJECT)
    assert model.offered == ["project:shared/note.md"]
    assert user.exists()
    assert not project.exists()
    assert result["touchedScopes"] == ["project"]
    assert not bench.paths.user.index_path.exists()


def test_ids_that_were_not_offered_or_come_twice_are_dropped(bench: Workbench, put: Put) -> None:
    put(Scope.USER, "tea.md", "Likes tea.")
    kept = put(Scope.USER, "pinned/mine.md", "Keep this.")
    model = choosing("user:tea.md", "user:pinned/mine.md", "user:../x.md", "*", "user:tea.md")
    assert len(bench.forget(model)["removedEntries"]) == 1
    assert model.offered == ["user:tea.md"]
    assert kept.exists()


def test_no_match_is_a_success_with_the_reason(bench: Workbench, put: Put) -> None:
    put(Scope.USER, "tea.md", "Likes tea.")
    before = bench.files()
    result = bench.forget(choosing(reason="Nothing is close; perhaps 'Tea'?"))
    assert result == {
        "summary": "Nothing is close; perhaps 'Tea'?",
        "removedEntries": [],
        "touchedTopics": [],
        "touchedScopes": [],
        "changeSetId": None,
    }
    assert bench.files() == before
    assert list(bench.history.newest_first()) == []
    assert "(tea.md)" in bench.index(bench.paths.user.path), "the index is repaired all the same"


def test_never_more_than_the_cap(bench: Workbench, put: Put) -> None:
    for number in range(MAX_REMOVED + 10):
        put(Scope.USER, f"{number}.md", f"Fact {number}.")

    def everything(_query: str, offered: Sequence[Entry]) -> Choice:
        return Choice(tuple(entry.entry_id for entry in offered), "All.")

    result = bench.forget(ScriptedModel(choose=everything))
    assert len(result["removedEntries"]) == MAX_REMOVED
    assert len(bench.files()) == 10


def _while_choosing(change: Callable[[], object], *ids: str) -> ScriptedModel:
    def choose(_query: str, _offered: Sequence[Entry]) -> Choice:
        change()
        return Choice(ids, "Chosen.")

    return ScriptedModel(choose=choose)


@pytest.mark.parametrize(
    ("now", "left"),
    [
        ("- B.\n- A.\n- C.", ["A.", "C."]),  # moved: found by its text
        ("- A.\n- B2.\n- C.", ["A.", "B2.", "C."]),  # changed: stays
        ("- A.\n-  B.  \n- C.", ["A.", "C."]),  # other blanks
        ("A text of its own.", ["A text of its own."]),
    ],
)
def test_an_entry_is_looked_at_again_before_it_goes(
    bench: Workbench, put: Put, now: str, left: list[str]
) -> None:
    path = put(Scope.PROJECT, "list.md", "- A.\n- B.\n- C.")
    model = _while_choosing(lambda: put(Scope.PROJECT, "list.md", now), "project:list.md:1")
    bench.forget(model)
    body = path.read_text().rsplit("---\n\n", 1)[1]
    assert [line.removeprefix("- ").strip() for line in body.splitlines()] == left


def test_a_document_that_became_another_one_stays(bench: Workbench, put: Put) -> None:
    path = put(Scope.USER, "tea.md", "Likes tea.")
    model = _while_choosing(lambda: put(Scope.USER, "tea.md", "Likes rye."), "user:tea.md")
    assert bench.forget(model)["removedEntries"] == []
    assert path.exists()


def test_a_document_that_vanished_is_not_reported(bench: Workbench, put: Put) -> None:
    path = put(Scope.USER, "tea.md", "Likes tea.")
    assert bench.forget(_while_choosing(path.unlink, "user:tea.md"))["removedEntries"] == []


def test_a_failing_choice_and_late_ones_remove_nothing(bench: Workbench, put: Put) -> None:
    put(Scope.USER, "tea.md", "Likes tea.")

    def late() -> None:
        bench.seconds += 61

    with bench.fails("forget_timeout"):
        bench.forget(_while_choosing(late, "user:tea.md"))
    with bench.fails("task_cancelled"):
        bench.forget(_while_choosing(bench.cancelled.set, "user:tea.md"))


def test_an_index_that_cannot_be_written_is_said_and_hides_nothing(
    bench: Workbench, put: Put
) -> None:
    put(Scope.USER, "tea.md", "Likes tea.")
    bench.paths.user.index_path.mkdir()
    result = bench.forget(choosing("user:tea.md"))
    assert len(result["removedEntries"]) == 1
    assert "index" in result["summary"]
    result = bench.forget(choosing())
    assert "index" in result["summary"]
