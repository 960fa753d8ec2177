"""The memory as people look at it, of a real daemon."""

from __future__ import annotations

from tests.contract.conftest import MEMORY, MakeApi

ENTRIES = f"{MEMORY}/entries"


def test_what_is_remembered_is_found_read_and_gone_again(make_api: MakeApi) -> None:
    api = make_api()
    task = api.start("remember", {"content": "I prefer tabs over spaces"})["taskId"]
    api.wait("remember", task)
    api.run("remember", {"content": "The staging server is called heron", "scope": "project"})
    assert api.get(ENTRIES).body["total"] == 2
    (row,) = api.get(f"{ENTRIES}?q=tab&scope=user").body["entries"]
    assert row["lastChange"]["taskId"] == task
    detail = api.get(f"{ENTRIES}/{row['id']}").body
    assert "tabs over spaces" in detail["text"]
    assert detail["document"].startswith("---\n")
    api.run("forget", {"query": "tabs over spaces"})
    assert api.get(f"{ENTRIES}/{row['id']}").code == "entry_not_found"
    assert api.get(f"{ENTRIES}?limit=1").body["entries"][0]["scope"] == "project"


def test_a_client_is_told_of_its_own_tasks_only(make_api: MakeApi) -> None:
    api = make_api()
    mine = {"X_Qwen_Client_Id": api.client_id()}
    task = api.run("remember", {"content": "I prefer tabs"}, **mine)["taskId"]
    assert api.get(ENTRIES, **mine).body["entries"][0]["lastChange"]["taskId"] == task
    assert api.get(ENTRIES).body["entries"][0]["lastChange"]["taskId"] is None
