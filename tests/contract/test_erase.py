"""Forgetting for good: what was erased is nowhere any more."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from qmemd.memory.history import History
from qmemd.memory.paths import resolve_paths
from tests.conftest import bytes_below
from tests.contract.conftest import MEMORY, Api, MakeApi

SECRETIVE = "My grandmother's maiden name is Ängström-Böhm \u8bb0\u5fc6"


def traces(api: Api) -> list[str]:
    """Files of the base and the state directory that hold the text, in any spelling."""
    # A name that the daemon made of the text says it as well.
    spellings = {SECRETIVE, json.dumps(SECRETIVE)[1:-1], "Ängström-Böhm", "ängström-böhm"}
    return [
        str(path)
        for path, content in bytes_below(api.base, api.daemon.settings.state_dir).items()
        if any(spelling.encode() in content for spelling in spellings)
    ]


def erase(api: Api, **headers: str) -> dict[str, Any]:
    task = api.run("forget", {"query": SECRETIVE, "erase": True}, **headers)
    result: dict[str, Any] = task["result"]
    return result


@pytest.mark.parametrize("journal", ["sqlite", "memory"])
def test_nothing_of_the_text_is_left(make_api: MakeApi, journal: str) -> None:
    api = make_api(journal=journal)
    remembered = api.run("remember", {"content": SECRETIVE}, Idempotency_Key="once")
    other = api.run("remember", {"content": "I like tea"})
    change_set = remembered["result"]["changeSetId"]
    reverted = {"changeSetId": change_set, "action": "revert"}
    assert api.run("change", reverted)["status"] == "completed"
    assert api.run("change", reverted | {"action": "apply"})["status"] == "completed"
    preview = api.run("forget", {"query": SECRETIVE, "preview": True})["result"]
    assert traces(api)
    result = erase(api)
    [entry] = result["removedEntries"]
    assert (entry["summary"], entry["topic"]) == ("[erased]", "user")
    assert traces(api) == []
    listed = api.get(f"{MEMORY}/tasks").raw + api.get(f"{MEMORY}/changes").raw
    assert "Böhm" not in listed.decode()
    for erased in (change_set, preview["changeSetId"], result["changeSetId"]):
        detail = api.get(f"{MEMORY}/changes/{erased}").body
        assert (detail["state"], detail["files"][0]["diff"]) == ("erased", "")
        assert detail["files"][0]["path"].endswith("/erased-1.md")
        failed = api.run("change", {"changeSetId": erased, "action": "revert"})
        assert failed["error"]["code"] == "change_conflict"
    kept = api.get(f"{MEMORY}/changes/{other['result']['changeSetId']}").body
    assert kept["state"] == "applied"
    assert "I like tea" in kept["files"][0]["diff"]


def test_the_same_text_is_a_new_fact_afterwards(make_api: MakeApi) -> None:
    api = make_api()
    api.run("remember", {"content": SECRETIVE}, Idempotency_Key="once")
    erase(api)
    again = api.run("remember", {"content": SECRETIVE}, Idempotency_Key="once")
    assert again["status"] == "completed"
    assert len(api.documents()) == 1


def test_erasing_what_is_not_there_is_a_plain_no_op(make_api: MakeApi) -> None:
    api = make_api()
    api.run("remember", {"content": "I like tea"})
    assert erase(api)["removedEntries"] == []
    assert len(api.documents()) == 1


def test_previewing_and_erasing_do_not_go_together(shared: Api) -> None:
    refused = shared.post(f"{MEMORY}/forget", {"query": "x", "preview": True, "erase": True})
    assert (refused.status, refused.code) == (400, "invalid_option")
    assert shared.post(f"{MEMORY}/forget", {"query": "x", "erase": 1}).code == "invalid_option"


def test_the_journals_of_other_workspaces_are_cleaned_too(
    make_api: MakeApi, tmp_path: Path
) -> None:
    other = tmp_path.resolve() / "other"
    other.mkdir()
    first, second = make_api(), make_api(workspace=other)
    second.run("remember", {"content": SECRETIVE, "scope": "user"}, Idempotency_Key="once")
    second.daemon.stop()
    assert erase(first)["removedEntries"]
    deadline = time.monotonic() + 10  # the other journals come after the answer
    while traces(first) and time.monotonic() < deadline:
        pass
    assert traces(first) == []


def test_what_a_dead_daemon_owed_is_erased_at_the_next_start(make_api: MakeApi) -> None:
    api = make_api()
    api.run("remember", {"content": SECRETIVE})
    api.daemon.stop()
    history = History(resolve_paths(api.base, api.daemon.settings.workspace).history)
    [(_, change_set)] = history.newest_first()
    name = change_set.files[0].path.name
    owing = replace(change_set, task_id="forget-0", erases=(SECRETIVE, f"/{name}"))
    history.owed.note(owing)
    journal = Path(api.daemon.settings.state_dir) / "journals"
    assert any(b"ngstr" in path.read_bytes() for path in journal.iterdir())
    again = make_api()
    again.run("dream")
    assert history.owed.of_task("forget-0") == ()
    again.daemon.stop()
    assert not any(b"ngstr" in path.read_bytes() for path in journal.iterdir())


def test_a_very_long_text_is_erased_like_any_other(make_api: MakeApi) -> None:
    api = make_api()
    content = f"{SECRETIVE}. " + "She told it in a long story. " * 1_000
    api.run("remember", {"content": content, "scope": "user"})
    api.run("forget", {"query": SECRETIVE, "preview": True})
    assert traces(api)
    task = api.run("forget", {"query": content, "erase": True})
    assert task["status"] == "completed", task
    assert len(task["result"]["removedEntries"]) == 1
    assert traces(api) == []
