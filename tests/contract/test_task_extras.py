"""Listing, cancelling and repeating tasks over HTTP, with a real daemon."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.contract.conftest import MEMORY, Api, MakeApi
from tests.contract.test_queue import fake


def started(api: Api, kind: str, body: Any) -> str:
    """The id of a task that runs by now."""
    task_id: str = api.start(kind, body)["taskId"]
    while api.get(f"{MEMORY}/{kind}/{task_id}").body["status"] == "queued":
        pass
    return task_id


def test_a_queued_task_is_cancelled_at_once(make_api: MakeApi) -> None:
    api = make_api(agent_command=fake(on={"remember": ["silent"]}))
    started(api, "remember", {"content": "x"})
    queued = api.start("dream", {})["taskId"]
    answer = api.call("DELETE", f"{MEMORY}/dream/{queued}")
    assert (answer.status, answer.body["status"]) == (202, "failed")
    assert answer.body["error"]["code"] == "task_cancelled"
    again = api.call("DELETE", f"{MEMORY}/dream/{queued}")
    assert (again.status, again.code) == (409, "task_finished")
    assert api.call("DELETE", f"{MEMORY}/dream/dream-none").code == "dream_task_not_found"


def test_a_running_task_is_told_and_a_child_that_obeys_lives_on(
    make_api: MakeApi, tmp_path: Path
) -> None:
    error = {"code": -32099, "message": "x", "data": {"errorKind": "task_cancelled"}}
    steps = ["until_cancelled", ["error", error]]
    starts = tmp_path / "starts"
    api = make_api(agent_command=fake(starts=str(starts), on={"remember": steps}))
    api.run("dream")  # the child is there
    running = started(api, "remember", {"content": "x"})
    answer = api.call("DELETE", f"{MEMORY}/remember/{running}")
    assert (answer.status, answer.body["status"]) == (202, "running")
    assert api.wait("remember", running)["error"]["code"] == "task_cancelled"
    assert api.run("dream")["status"] == "completed"
    assert len(starts.read_text().split()) == 1


@pytest.mark.slow
def test_a_child_that_does_not_obey_is_ended(make_api: MakeApi, tmp_path: Path) -> None:
    starts = tmp_path / "starts"
    stubborn = fake(starts=str(starts), ignore=["TERM", "EOF"], on={"remember": ["hang"]})
    api = make_api(agent_command=stubborn)
    api.run("dream")  # the child is there
    running = started(api, "remember", {"content": "x"})
    api.call("DELETE", f"{MEMORY}/remember/{running}")
    assert api.wait("remember", running)["error"]["code"] == "task_cancelled"
    assert api.run("dream")["status"] == "completed"
    assert len(starts.read_text().split()) == 2


def test_tasks_are_listed_newest_first_to_those_who_see_them(make_api: MakeApi) -> None:
    api = make_api()
    first = api.run("dream")["taskId"]
    second = api.run("forget", {"query": "zzz"})["taskId"]
    mine = api.client_id()
    third = api.run("dream", {}, X_Qwen_Client_Id=mine)["taskId"]
    listed = api.get(f"{MEMORY}/tasks").body["tasks"]
    assert [task["taskId"] for task in listed] == [second, first]
    assert listed[0] == api.get(f"{MEMORY}/forget/{second}").body
    own = api.get(f"{MEMORY}/tasks", X_Qwen_Client_Id=mine).body["tasks"]
    assert [task["taskId"] for task in own] == [third]
    only = api.get(f"{MEMORY}/tasks?kind=dream&status=completed&limit=1").body["tasks"]
    assert [task["taskId"] for task in only] == [first]
    assert api.get(f"{MEMORY}/tasks?status=failed").body == {"tasks": []}


def test_the_same_key_and_fields_are_the_same_task(make_api: MakeApi) -> None:
    api = make_api()
    body = {"content": "The user likes tea"}
    first = api.start("remember", body, Idempotency_Key="k")
    assert api.start("remember", body, Idempotency_Key="k")["taskId"] == first["taskId"]
    done = api.wait("remember", first["taskId"])
    assert api.start("remember", body, Idempotency_Key="k") == done
    other = api.post(f"{MEMORY}/remember", {"content": "The user likes rye"}, Idempotency_Key="k")
    assert (other.status, other.code) == (422, "idempotency_mismatch")
    mine = api.client_id()
    own = api.start("remember", body, Idempotency_Key="k", X_Qwen_Client_Id=mine)
    assert own["taskId"] != first["taskId"]
    assert api.start("dream", {}, Idempotency_Key="k")["taskId"].startswith("dream-")


def test_a_key_is_looked_at_before_the_queue(make_api: MakeApi) -> None:
    api = make_api(agent_command=fake(on={"remember": ["silent"]}))
    first = api.start("remember", {"content": "x"}, Idempotency_Key="k")
    for number in range(15):
        api.start("remember", {"content": f"{number}"})
    assert api.post(f"{MEMORY}/remember", {"content": "y"}).status == 429
    again = api.start("remember", {"content": "x"}, Idempotency_Key="k")
    assert again["taskId"] == first["taskId"]
