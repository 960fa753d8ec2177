from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from qmemd.catalog import Catalog, EntryFilter
from qmemd.kinds import ChangeAction, ChangeState, Scope, TaskKind, Topic
from qmemd.memory.changes import ChangeSet, FileChange
from tests.memory.world import World, add, document, project, run_of, user

ALL = EntryFilter()


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path.resolve())


def put(world: World, path: str, text: str, topic: str = "user", age: int = 0) -> None:
    where = user(path) if topic == "user" else project(path)
    world.save(where, document(text, topic))
    moment = 1_700_000_000 - age
    os.utime(world.absolute(where), (moment, moment))


def names(world: World, wanted: EntryFilter = ALL, **page: int) -> list[str]:
    asked = {"limit": 100, "first": 0} | page
    return [one["name"] for one in Catalog(world.paths).page(wanted, None, **asked)["entries"]]


def test_all_entries_come_the_newest_documents_first(world: World) -> None:
    put(world, "a.md", "Old", age=10)
    put(world, "b.md", "New", age=0)
    put(world, "c.md", "Middle", "project", age=5)
    assert names(world) == ["New", "Middle", "Old"]
    assert names(world, EntryFilter(scope=Scope.PROJECT)) == ["Middle"]
    assert names(world, EntryFilter(topic=Topic.USER)) == ["New", "Old"]


def test_an_empty_memory_has_none(world: World) -> None:
    assert Catalog(world.paths).page(ALL, None, limit=5, first=0) == {"entries": [], "total": 0}


def test_pages_go_on_where_the_last_one_ended(world: World) -> None:
    for number in range(5):
        put(world, f"{number}.md", f"Fact {number}", age=number)
    catalog = Catalog(world.paths)
    page = catalog.page(ALL, None, limit=2, first=0)
    assert (page["total"], page["nextCursor"]) == (5, "2")
    assert names(world, limit=2, first=2) == ["Fact 2", "Fact 3"]
    assert "nextCursor" not in catalog.page(ALL, None, limit=2, first=4)
    assert catalog.page(ALL, None, limit=2, first=99)["entries"] == []


def test_a_search_ranks_by_words_in_any_inflection(world: World) -> None:
    put(world, "a.md", "Deploys happen on Friday")
    put(world, "b.md", "Deploy the deployment with the deploy script")
    put(world, "c.md", "Tea, not coffee")
    assert names(world, EntryFilter("deploying"))[:2] == [
        "Deploy the deployment with the deploy script",
        "Deploys happen on Friday",
    ]
    assert names(world, EntryFilter("what is the coffee")) == ["Tea, not coffee"]
    assert names(world, EntryFilter("nothing of that kind")) == []


@pytest.mark.parametrize("typed", ["frid", "Deploys fri", "FRIDAY", "  friday  "])
def test_the_last_word_may_still_be_typed(world: World, typed: str) -> None:
    put(world, "a.md", "Deploys happen on Friday")
    put(world, "b.md", "Tea, not coffee")
    assert names(world, EntryFilter(typed)) == ["Deploys happen on Friday"]


def test_numbers_are_found_whole_unless_they_are_still_typed(world: World) -> None:
    put(world, "a.md", "The port is 8080")
    put(world, "b.md", "The port is 80801")
    assert names(world, EntryFilter("8080 port")) == ["The port is 8080", "The port is 80801"]
    assert names(world, EntryFilter("8080 xyz")) == ["The port is 8080"]


@pytest.mark.parametrize("typed", ["***", "(", "a|", "\\", "…"])
def test_what_has_no_words_is_looked_for_as_it_stands(world: World, typed: str) -> None:
    world.save(user("a.md"), document("Symbols").replace(b"Symbols.", f"Odd {typed} end".encode()))
    put(world, "b.md", "Tea")
    assert "Symbols" in names(world, EntryFilter(typed))


def test_other_scripts_are_found(world: World) -> None:
    put(world, "a.md", "東京に住んでいます")
    put(world, "b.md", "أفضل الشاي")
    assert names(world, EntryFilter("東京")) == ["東京に住んでいます"]
    assert names(world, EntryFilter("الشاي")) == ["أفضل الشاي"]


def test_each_bullet_of_a_list_is_an_entry(world: World) -> None:
    body = "---\nname: Food\n---\n\n## Drinks\n\n- Tea\n- Coffee\n"
    world.save(user("food.md"), body.encode())
    catalog = Catalog(world.paths)
    tea, coffee = catalog.page(ALL, None, limit=9, first=0)["entries"]
    assert (tea["description"], coffee["description"]) == ("Tea", "Coffee")
    assert tea["id"] != coffee["id"]
    detail = catalog.detail(coffee["id"], None)
    assert detail
    assert (detail["text"], detail["headings"]) == ("Coffee", ["Drinks"])
    assert detail["document"] == body


def test_an_entry_says_where_it_is(world: World) -> None:
    put(world, "pinned/keep.md", "Kept by hand")
    catalog = Catalog(world.paths)
    (row,) = catalog.page(ALL, None, limit=9, first=0)["entries"]
    assert (
        row.items()
        >= {
            "scope": "user",
            "type": "user",
            "name": "Kept by hand",
            "path": str(world.absolute(user("pinned/keep.md"))),
            "modified": "2023-11-14T22:13:20.000Z",
            "pinned": True,
            "lastChange": None,
        }.items()
    )
    assert row["id"].replace("-", "").replace("_", "").isalnum()


@pytest.mark.parametrize("key", ["", "x", "====", "dXNlcjpub25lLm1k", "ü", "/", "a" * 9_999])
def test_what_names_no_entry_is_none(world: World, key: str) -> None:
    put(world, "a.md", "Tea")
    assert Catalog(world.paths).detail(key, None) is None


def test_the_last_change_names_its_task_to_who_may_see_it(world: World) -> None:
    world.commit(add(user("a.md"), "Tea"))
    before = document("Tea")
    later = replace(run_of("dream-2", TaskKind.DREAM), client_id=None)
    world.commit(FileChange(user("a.md"), before, document("Green tea")), run=later)
    catalog = Catalog(world.paths)
    (row,) = catalog.page(ALL, None, limit=9, first=0)["entries"]
    last = {"kind": "dream", "at": "2026-07-30T10:11:12.345Z"}
    assert row["lastChange"] == last | {"taskId": "dream-2"}
    (row,) = catalog.page(ALL, "client-1", limit=9, first=0)["entries"]
    assert row["lastChange"] == last | {"taskId": None}
    detail = catalog.detail(row["id"], None)
    assert detail
    assert detail["lastChange"]["taskId"] == "dream-2"


def moved(change_set: ChangeSet, state: ChangeState) -> dict[str, object]:
    return {"state": state.value, "of": change_set.change_set_id}


def test_previews_change_nothing_and_an_undo_does(world: World) -> None:
    catalog = Catalog(world.paths)
    first = world.commit(add(user("a.md"), "Tea"))
    change = FileChange(user("a.md"), document("Tea"), document("Green tea"))
    second = world.commit(change, run=run_of("remember-2"))
    world.committer().preview(
        [FileChange(user("a.md"), document("Green tea"), document("Mate"))],
        run_of("dream-3", TaskKind.DREAM),
        result=lambda _: {},
        may_commit=lambda: True,
    )
    (row,) = catalog.page(ALL, "client-1", limit=9, first=0)["entries"]
    assert row["lastChange"]["taskId"] == "remember-2"
    world.committer().move(
        second.change_set_id,
        ChangeAction.REVERT,
        replace(run_of("change-4", TaskKind.CHANGE), workspace=first.workspace),
        result=moved,
        may_commit=lambda: True,
    )
    (row,) = catalog.page(ALL, "client-1", limit=9, first=0)["entries"]
    assert (row["name"], row["lastChange"]["kind"]) == ("Tea", "change")


def test_what_changes_on_disk_is_seen_at_once(world: World) -> None:
    catalog = Catalog(world.paths)
    put(world, "a.md", "Tea")
    (row,) = catalog.page(ALL, None, limit=9, first=0)["entries"]
    put(world, "a.md", "Coffee", age=-5)
    (again,) = catalog.page(EntryFilter("coffee"), None, limit=9, first=0)["entries"]
    assert again["id"] == row["id"]
    world.absolute(user("a.md")).unlink()
    assert catalog.detail(row["id"], None) is None
