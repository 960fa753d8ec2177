"""What a stop, an end by SIGKILL and a new start leave of what was accepted."""

from __future__ import annotations

from tests.contract.conftest import MEMORY, MakeApi

SILENT = ("sleep", "600")
"""An agent that never answers."""


def test_what_was_queued_runs_at_the_next_start_under_its_old_id(make_api: MakeApi) -> None:
    api = make_api(agent_command=SILENT)
    opened = api.post("/session").body
    mine = {"X_Qwen_Client_Id": opened["clientId"]}
    facts = ["I prefer tabs", "My editor is Helix", "I live in Lisbon"]
    tasks = [api.start("remember", {"content": fact}, **mine)["taskId"] for fact in facts]
    keyed = {"Idempotency_Key": "once"}
    dream = api.start("dream", **keyed)["taskId"]
    api.daemon.stop()
    api = make_api()
    for task in tasks:
        assert api.wait("remember", task, **mine)["status"] == "completed"
    assert api.wait("dream", dream)["status"] == "completed"
    assert api.start("dream", **keyed)["taskId"] == dream
    assert sorted(text for fact in facts for text in [fact]) == sorted(
        fact for fact in facts if fact in "".join(api.documents().values())
    )
    listed = api.get(f"{MEMORY}/tasks", **mine).body["tasks"]
    assert [task["taskId"] for task in listed] == tasks[::-1]


def test_sessions_and_results_are_there_after_a_restart(make_api: MakeApi) -> None:
    api = make_api()
    opened = api.post("/session").body
    mine = {"X_Qwen_Client_Id": opened["clientId"]}
    task = api.run("remember", {"content": "I prefer tabs"}, **mine)
    closed = api.post("/session", {"sessionScope": "thread"}).body
    assert api.call("DELETE", f"/session/{closed['sessionId']}").status == 204
    api.daemon.stop()
    api = make_api()
    assert api.get(f"{MEMORY}/remember/{task['taskId']}", **mine).body == task
    again = api.post("/session", **mine).body
    assert again == opened | {"attached": True}
    path = f"/session/{opened['sessionId']}"
    assert api.post(f"{path}/heartbeat", **mine).status == 200
    assert api.post(f"/session/{closed['sessionId']}/heartbeat").status == 404
    assert api.call("DELETE", path, **mine).status == 204


def test_a_task_that_ran_too_often_fails(make_api: MakeApi) -> None:
    api = make_api(agent_command=SILENT)
    task = api.start("dream")["taskId"]
    for _ in range(3):
        while api.get(f"{MEMORY}/dream/{task}").body["status"] != "running":
            pass
        api.daemon.stop()
        api = make_api(agent_command=SILENT)
    assert api.wait("dream", task)["error"]["code"] == "daemon_restarted"


def test_in_memory_nothing_survives(make_api: MakeApi) -> None:
    api = make_api(journal="memory")
    opened = api.post("/session").body
    task = api.run("dream")["taskId"]
    api.daemon.stop()
    api = make_api(journal="memory")
    assert api.get(f"{MEMORY}/dream/{task}").status == 404
    assert not api.post("/session", X_Qwen_Client_Id=opened["clientId"]).body["attached"]
