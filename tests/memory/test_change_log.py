from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from qmemd.kinds import ChangeState
from qmemd.memory.change_log import MAX_COMPARED_LINES, MAX_DIFF_LINES, ChangeLog
from qmemd.memory.changes import FileChange
from tests.memory.world import World, add, document, run_of, user


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def log_of(world: World, workspace: str = "/work/app") -> ChangeLog:
    return ChangeLog(world.paths, workspace)


def diff_of(world: World, before: bytes | None, after: bytes | None) -> Any:
    if before is not None:
        world.save(user("a.md"), before)
    done = world.commit(FileChange(user("a.md"), before, after))
    detail = log_of(world).detail(done.change_set_id, "client-1")
    assert detail
    return detail["files"][0]["diff"]


def test_the_diff_of_a_change(world: World) -> None:
    before = document("One fact") + b"more\nlast without end"
    after = before.replace(b"more\n", b"most\n")
    shown = diff_of(world, before, after)
    assert shown.startswith("--- a/a.md\n+++ b/a.md\n@@ ")
    assert "-more\n+most\n last without end\n\\ No newline at end of file\n" in shown


def test_the_diff_of_a_document_that_comes(world: World) -> None:
    shown = diff_of(world, None, document("A fact"))
    assert shown.startswith("--- /dev/null\n+++ b/a.md\n@@ -0,0 +1,7 @@\n+---\n")


def test_lines_end_at_line_feeds_alone(world: World) -> None:
    shown = diff_of(world, None, document("A\u2028B") + b"c\r\nd\x0ce\n")
    assert "+A\u2028B.\n" in shown
    assert "+c\r\n" in shown
    assert "+d\x0ce\n" in shown


def test_a_very_long_diff_is_cut(world: World) -> None:
    long = b"".join(b"line %d\n" % number for number in range(2 * MAX_DIFF_LINES))
    shown = diff_of(world, None, document("A fact") + long)
    assert shown.count("\n") == MAX_DIFF_LINES + 1
    assert shown.endswith("\\ The rest of the diff is left out\n")


def test_it_shows_a_client_its_own_of_this_workspace(world: World) -> None:
    mine = world.commit(add(user("a.md"), "A"), run=run_of("remember-1"))
    world.commit(add(user("b.md"), "B"), run=replace(run_of("remember-2"), client_id=None))
    other = replace(run_of("remember-3"), workspace="/work/other")
    theirs = world.commit(add(user("c.md"), "C"), run=other)
    log = log_of(world)
    page = log.page("client-1", limit=10, cursor=None)
    assert [item["changeSetId"] for item in page["changes"]] == [mine.change_set_id]
    assert page["changes"][0]["files"] == [
        {"path": str(world.absolute(user("a.md"))), "change": "added"}
    ]
    assert len(log.page(None, limit=10, cursor=None)["changes"]) == 1
    assert log.detail(theirs.change_set_id, "client-1") is None
    assert log.detail(mine.change_set_id, None) is None
    assert log.detail("unknown", "client-1") is None


def test_what_is_not_settled_or_does_another_s_changes_is_not_shown(world: World) -> None:
    done = world.commit(add(user("a.md"), "A"))
    waiting = replace(done, change_set_id="w", task_id="remember-9", state=ChangeState.OPEN)
    world.history.open(waiting)
    assert len(log_of(world).page("client-1", limit=10, cursor=None)["changes"]) == 1


def test_nothing_at_all(world: World) -> None:
    assert log_of(world).page(None, limit=10, cursor=None) == {"changes": []}


def test_what_is_too_long_is_not_compared(world: World) -> None:
    before = document("A fact") + b"a\nb\n" * MAX_COMPARED_LINES
    shown = diff_of(world, before, before + b"more\n")
    assert shown == "\\ The document is too long to be compared\n"


def test_whether_there_is_one_costs_no_diff(world: World) -> None:
    done = world.commit(add(user("a.md"), "A"))
    log = log_of(world)
    assert log.has(done.change_set_id, "client-1")
    assert not log.has(done.change_set_id, None)
    assert not log.has("unknown", "client-1")
