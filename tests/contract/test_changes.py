"""Looking before, undoing after: change sets against a real daemon with its real child."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.contract.conftest import MEMORY, Api, MakeApi
from tests.contract.test_events import listen
from tests.fakes import child_command

CHANGES = f"{MEMORY}/changes"


@pytest.fixture
def api(make_api: MakeApi) -> Api:
    return make_api()


def act(api: Api, change_set_id: str, action: str, **headers: str) -> dict[str, Any]:
    body = {"changeSetId": change_set_id, "action": action}
    return api.run("change", body, **headers)


def state(api: Api, change_set_id: str) -> str:
    found: str = api.get(f"{CHANGES}/{change_set_id}").body["state"]
    return found


def test_what_a_task_did_is_listed_with_its_diff_and_undone(api: Api) -> None:
    task = api.run("remember", {"content": "I prefer tabs"})
    [item] = api.get(CHANGES).body["changes"]
    path = task["result"]["filesTouched"][0]
    assert item == {
        "changeSetId": task["result"]["changeSetId"],
        "taskId": task["taskId"],
        "kind": "remember",
        "createdAt": item["createdAt"],
        "state": "applied",
        "touchedScopes": ["user"],
        "files": [{"path": path, "change": "added"}],
    }
    detail = api.get(f"{CHANGES}/{item['changeSetId']}").body
    [file] = detail["files"]
    assert file["diff"].startswith("--- /dev/null\n+++ b/user/prefer-tabs.md\n@@ ")
    assert "+I prefer tabs\n" in file["diff"]
    undone = act(api, item["changeSetId"], "revert")
    assert undone["result"] == {
        "summary": "Reverted: 1 document removed.",
        "changeSetId": item["changeSetId"],
        "state": "reverted",
        "changedFiles": [],
        "removedFiles": [path],
        "touchedScopes": ["user"],
    }
    assert api.documents() == {}
    assert state(api, item["changeSetId"]) == "reverted"
    assert act(api, item["changeSetId"], "apply")["result"]["state"] == "applied"
    assert len(api.documents()) == 1
    assert len(api.get(CHANGES).body["changes"]) == 1


def test_a_previewed_forget_changes_nothing_until_it_is_applied(api: Api) -> None:
    fact = api.run("remember", {"content": "I prefer tabs"})["result"]["filesTouched"][0]
    before = api.documents()
    with ExitStack() as stack:
        stream = listen(stack, api, "/workspace/events")
        preview = api.run("forget", {"query": "I prefer tabs", "preview": True})
        result = preview["result"]
        assert [entry["filePath"] for entry in result["removedEntries"]] == [fact]
        assert result["touchedScopes"] == []
        assert api.documents() == before
        assert state(api, result["changeSetId"]) == "preview"
        applied = act(api, result["changeSetId"], "apply")
        assert applied["result"]["removedFiles"] == [fact]
        kinds = []
        while "memory_changed" not in kinds:
            event = stream.event()
            kinds.append(event["type"])
        assert event["data"]["source"] == "workspace_memory_change"
        assert event["data"]["taskId"] == applied["taskId"]
    assert api.documents() == {}
    assert state(api, result["changeSetId"]) == "applied"


def test_a_previewed_dream_can_be_dropped(api: Api) -> None:
    for name in ("a", "b"):
        path = api.base / "memories" / "user" / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"---\nname: {name}\ndescription: x\ntype: user\n---\n\nI like tea.\n")
    before = api.documents()
    result = api.run("dream", {"preview": True})["result"]
    assert (result["dedupedEntries"], result["touchedScopes"]) == (1, [])
    assert len(result["removedFiles"]) == 1
    assert api.documents() == before
    dropped = act(api, result["changeSetId"], "discard")["result"]
    assert (dropped["state"], dropped["touchedScopes"]) == ("discarded", [])
    assert act(api, result["changeSetId"], "apply")["error"]["code"] == "change_conflict"
    assert api.documents() == before


def test_what_was_changed_since_is_not_overwritten(api: Api) -> None:
    task = api.run("remember", {"content": "I prefer tabs"})
    change_set = task["result"]["changeSetId"]
    [path] = [api.base / name for name in api.documents()]
    path.write_text(path.read_text() + "More.\n")
    edited = api.documents()
    failed = act(api, change_set, "revert")
    assert failed["error"]["code"] == "change_conflict"
    assert "prefer-tabs.md" in failed["error"]["details"]
    assert api.documents() == edited
    assert state(api, change_set) == "applied"


@pytest.mark.parametrize("action", ["apply", "discard"])
def test_an_action_has_to_fit_the_state(api: Api, action: str) -> None:
    change_set = api.run("remember", {"content": "I prefer tabs"})["result"]["changeSetId"]
    assert act(api, change_set, action)["error"]["code"] == "change_conflict"


def test_change_sets_are_seen_by_their_client_alone(api: Api) -> None:
    mine = {"X_Qwen_Client_Id": api.client_id()}
    change_set = api.run("remember", {"content": "I prefer tabs"}, **mine)["result"]["changeSetId"]
    body = {"changeSetId": change_set, "action": "revert"}
    assert api.get(CHANGES).body == {"changes": []}
    assert api.get(f"{CHANGES}/{change_set}").code == "change_not_found"
    refused = api.post(f"{MEMORY}/change", body)
    assert (refused.status, refused.code) == (404, "change_not_found")
    assert len(api.get(CHANGES, **mine).body["changes"]) == 1
    assert api.run("change", body, **mine)["status"] == "completed"


def test_pages(api: Api) -> None:
    ids = [
        api.run("remember", {"content": f"Fact {number} is about x{number}"})["result"][
            "changeSetId"
        ]
        for number in range(5)
    ]
    seen: list[str] = []
    cursor = ""
    while True:
        page = api.get(f"{CHANGES}?limit=2{cursor}").body
        seen += [item["changeSetId"] for item in page["changes"]]
        if "nextCursor" not in page:
            break
        cursor = f"&cursor={page['nextCursor']}"
    assert seen == ids[::-1]


@pytest.mark.parametrize(
    ("path", "body", "code"),
    [
        ("change", {"changeSetId": "x", "action": "undo"}, "invalid_action"),
        ("change", {"changeSetId": "x"}, "invalid_action"),
        ("change", {"changeSetId": "../x", "action": "apply"}, "invalid_change_set_id"),
        ("change", {"action": "apply"}, "invalid_change_set_id"),
        ("change", {"changeSetId": "x\n", "action": "apply"}, "invalid_change_set_id"),
        ("forget", {"query": "x", "preview": 1}, "invalid_option"),
        ("dream", {"preview": "yes"}, "invalid_option"),
    ],
)
def test_bad_fields(shared: Api, path: str, body: Any, code: str) -> None:
    refused = shared.post(f"{MEMORY}/{path}", body)
    assert (refused.status, refused.code) == (400, code)


def test_unknown_ones_and_bad_pages(shared: Api) -> None:
    assert shared.get(f"{CHANGES}/none").code == "change_not_found"
    assert shared.get(f"{CHANGES}?limit=0").code == "invalid_limit"
    assert shared.get(f"{CHANGES}?cursor=x").code == "invalid_cursor"
    assert shared.get(f"{MEMORY}/change/change-x").code == "change_task_not_found"
    assert shared.get(f"{MEMORY}/tasks?kind=change").body["tasks"] == []


def test_reverting_in_reverse_leaves_everything_as_it_was(api: Api) -> None:
    facts = ("I prefer tabs", "I live in Lisbon", "The deadline is on Friday")
    before = api.documents()
    done = [api.run("remember", {"content": fact}) for fact in facts]
    done.append(api.run("forget", {"query": "I live in Lisbon"}))
    for task in reversed(done):
        undone = act(api, task["result"]["changeSetId"], "revert")
        assert undone["status"] == "completed", undone
    assert api.documents() == before


def test_a_revert_survives_a_restart_like_any_task(make_api: MakeApi) -> None:
    api = make_api()
    change_set = api.run("remember", {"content": "I prefer tabs"})["result"]["changeSetId"]
    api.daemon.stop()
    api = make_api(agent_command=("sleep", "600"))
    body = {"changeSetId": change_set, "action": "revert"}
    task = api.start("change", body)["taskId"]
    api.daemon.stop()
    api = make_api()
    assert api.wait("change", task)["result"]["state"] == "reverted"
    assert api.documents() == {}


def test_another_agent_is_not_asked_for_previews(make_api: MakeApi, tmp_path: Path) -> None:
    log = tmp_path / "log"
    api = make_api(agent_command=child_command(log=str(log)))
    for kind, body in (("forget", {"query": "tea", "preview": True}), ("dream", {"preview": True})):
        failed = api.run(kind, body)["error"]
        assert failed["code"] == f"{kind}_failed"
        assert "offers no previews" in failed["details"]
    assert "memory/forget" not in log.read_text()
    assert api.run("forget", {"query": "tea"})["status"] == "completed"


def test_a_preview_without_anything_to_do_touches_no_file(make_api: MakeApi) -> None:
    api = make_api()
    api.run("remember", {"content": "I like tea", "scope": "user"})
    index = api.base / "memories" / "MEMORY.md"
    index.write_text("- [Gone](gone.md) — by somebody else\n")
    before = index.read_bytes()
    assert api.run("dream", {"preview": True})["result"]["changeSetId"] is None
    assert api.run("forget", {"query": "coffee", "preview": True})["result"]["changeSetId"] is None
    assert index.read_bytes() == before
