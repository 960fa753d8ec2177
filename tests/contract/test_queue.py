"""What a client sees of the lane and its child: limits, availability, failures, time."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.contract.conftest import MEMORY, Api, MakeApi

FAKE = Path(__file__).parents[1] / "fakes" / "child.py"
KINDS = ("remember", "forget", "dream")
BODIES: dict[str, Any] = {"remember": {"content": "x"}, "forget": {"query": "x"}, "dream": {}}


def fake(**script: Any) -> tuple[str, ...]:
    return (sys.executable, str(FAKE), json.dumps(script))


def posted(api: Api, kind: str) -> tuple[int, str | None]:
    answer = api.post(f"{MEMORY}/{kind}", BODIES[kind])
    return answer.status, answer.body.get("code")


def ready(api: Api) -> None:
    """Returns once the child has said whether it can: a dream was answered or refused."""
    answer = api.post(f"{MEMORY}/dream", {})
    if answer.status == 202:
        api.wait("dream", answer.body["taskId"])


def failure(api: Api, kind: str = "remember") -> dict[str, Any]:
    done = api.run(kind, BODIES[kind])
    assert done["status"] == "failed"
    assert "result" not in done
    error: dict[str, Any] = done["error"]
    return error


def test_sixteen_pending_in_all_and_eight_of_forget_and_dream(make_api: MakeApi) -> None:
    api = make_api(agent_command=fake(on={"forget": ["silent"]}))
    for _ in range(4):
        assert posted(api, "forget")[0] == 202
        assert posted(api, "dream")[0] == 202
    for kind in ("forget", "dream"):
        refused = api.post(f"{MEMORY}/{kind}", BODIES[kind])
        assert (refused.status, refused.code) == (429, "remember_queue_full")
        assert int(refused.headers["retry-after"]) > 0
    for _ in range(8):
        assert posted(api, "remember")[0] == 202
    assert posted(api, "remember") == (429, "remember_queue_full")


def test_polls_and_posts_are_fast_while_a_task_runs(make_api: MakeApi) -> None:
    api = make_api(agent_command=fake(on={"remember": ["silent"]}))
    running, queued = (api.start("remember", {"content": "x"})["taskId"] for _ in range(2))
    while api.get(f"{MEMORY}/remember/{running}").body["status"] == "queued":
        pass
    body = api.get(f"{MEMORY}/remember/{queued}").body
    assert (body["status"], body["result"], body["error"]) == ("queued", None, None)


@pytest.mark.parametrize(
    "step",
    [
        ["reply", {"available": False}],
        [
            "error",
            {"code": -32009, "message": "no", "data": {"errorKind": "managed_memory_unavailable"}},
        ],
    ],
)
def test_a_live_child_that_cannot_refuses_every_kind(make_api: MakeApi, step: Any) -> None:
    api = make_api(agent_command=fake(on={"availability": [step]}))
    ready(api)
    for kind in KINDS:
        assert posted(api, kind) == (409, "managed_memory_unavailable")


def test_a_live_child_that_errs_on_the_question_is_a_500_by_kind(make_api: MakeApi) -> None:
    api = make_api(
        agent_command=fake(on={"availability": [["error", {"code": -1, "message": "x"}]]})
    )
    ready(api)
    for kind in KINDS:
        assert posted(api, kind) == (500, f"{kind}_failed")


def test_fields_and_client_are_looked_at_before_availability(make_api: MakeApi) -> None:
    api = make_api(agent_command=fake(on={"availability": [["reply", {"available": False}]]}))
    ready(api)
    assert api.post(f"{MEMORY}/remember", {"content": ""}).code == "invalid_content"
    unknown = api.post(f"{MEMORY}/remember", {"content": "x"}, X_Qwen_Client_Id="client_x")
    assert unknown.code == "invalid_client_id"


def test_availability_is_asked_once_and_answered_while_a_task_runs(
    make_api: MakeApi, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    api = make_api(agent_command=fake(log=str(log), on={"remember": ["silent"]}))
    ready(api)
    for _ in range(5):
        assert posted(api, "remember")[0] == 202
    assert log.read_text().count("remember/availability") == 1


def test_a_run_that_says_it_cannot_fails_and_the_child_is_asked_again(
    make_api: MakeApi, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    error = {"code": -32009, "message": "no", "data": {"errorKind": "managed_memory_unavailable"}}
    api = make_api(agent_command=fake(log=str(log), on={"remember": [["error", error]]}))
    assert failure(api)["code"] == "managed_memory_unavailable"
    assert posted(api, "dream")[0] == 202
    assert log.read_text().count("remember/availability") == 2


@pytest.mark.parametrize(
    "code",
    [
        *("remember_path_escape", "remember_scope_mismatch", "remember_no_update"),
        *("remember_timeout", "secret_detected", "change_conflict"),
    ],
)
def test_a_childs_error_kind_becomes_the_code_of_the_failure(make_api: MakeApi, code: str) -> None:
    data = {"errorKind": code, "details": "Authorization: Bearer abc.def " + "x" * 2000}
    api = make_api(
        agent_command=fake(
            on={"remember": [["error", {"code": -32099, "message": "m", "data": data}]]}
        )
    )
    error = failure(api)
    assert error["code"] == code
    assert len(error["details"]) <= 500
    assert "abc.def" not in error["details"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "step",
    [
        ["error", {"code": -32603, "message": "boom"}],
        ["error", {"code": -32602, "message": "bad"}],
        ["error", {"code": -32099, "message": "x", "data": {"errorKind": "no_such_kind"}}],
        ["reply", {"summary": "x", "filesTouched": "y", "removedEntries": 1, "touchedTopics": 1}],
        ["reply", []],
        ["raw", '{"jsonrpc":"2.0","id":2,"error":"boom"}\n'],
        ["raw", '{"jsonrpc":"2.0","id":2}\n'],
        ["error", {"code": -32099, "message": "x", "data": {"errorKind": "daemon_restarted"}}],
    ],
)
def test_anything_else_is_a_plain_failure_of_the_kind(
    make_api: MakeApi, kind: str, step: Any
) -> None:
    api = make_api(agent_command=fake(on={kind: [step]}))
    error = failure(api, kind)
    assert error["code"] == f"{kind}_failed"
    assert error["message"] == f"Workspace memory {kind} failed."


@pytest.mark.parametrize("step", [["exit", 3], "kill_itself"])
def test_a_child_that_dies_fails_only_its_task(
    make_api: MakeApi, tmp_path: Path, step: Any
) -> None:
    api = make_api(agent_command=fake(starts=str(tmp_path / "starts"), on={"forget": [step]}))
    ids = [api.start(kind, BODIES[kind])["taskId"] for kind in ("remember", "forget", "dream")]
    remember, forget, dream = (api.wait(task.partition("-")[0], task) for task in ids)
    assert (remember["status"], dream["status"]) == ("completed", "completed")
    assert forget["error"]["code"] == "agent_crashed"
    assert len((tmp_path / "starts").read_text().splitlines()) == 2


@pytest.mark.parametrize("command", [("/bin/false",), ("/bin/cat",)])
def test_a_command_that_is_no_agent_fails_the_task_and_leaves_the_daemon_up(
    make_api: MakeApi, command: tuple[str, ...]
) -> None:
    api = make_api(agent_command=command)
    assert failure(api)["code"] == "agent_crashed"
    assert api.get("/health").status == 200


@pytest.mark.parametrize("kind", KINDS)
def test_a_task_that_takes_too_long_is_ended_with_its_child(
    make_api: MakeApi, tmp_path: Path, kind: str
) -> None:
    starts, stray = tmp_path / "starts", tmp_path / "stray"
    slow = [["sleep", 3], ["append", [str(stray), "late"]], "reply"]
    api = make_api(
        agent_command=fake(starts=str(starts), ignore=["TERM", "EOF"], on={kind: slow}),
        task_timeout=0.3,
    )
    error = failure(api, kind)
    assert (error["code"], error["message"]) == (
        f"{kind}_timeout",
        f"Workspace memory {kind} timed out.",
    )
    after = next(other for other in KINDS if other != kind)
    assert api.run(after, BODIES[after])["status"] == "completed"
    first = int(starts.read_text().split()[0])
    assert not psutil.pid_exists(first)
    assert not stray.exists()


def test_noise_on_stdout_and_a_flood_on_stderr_hurt_nothing(make_api: MakeApi) -> None:
    noise = 'ready\n\n\x1b[1mbold\x1b[0m\n"hello"\n[1]\n{"level":"info","id":1}\n'
    steps = [["raw", noise], ["flood_stderr", 200_000], ["reply_summary", ["记忆🚀é", 40_000]]]
    api = make_api(agent_command=fake(on={"remember": steps}))
    done = api.run("remember", {"content": "x"})
    assert done["result"]["summary"] == "记忆🚀é" * 40_000


def test_a_foreign_childs_result_is_picked_key_by_key(make_api: MakeApi) -> None:
    result = {
        "summary": "s",
        "touchedTopics": ["user", "project"],
        "dedupedEntries": 1,
        "debug": "x",
        "tokens": 5,
    }
    api = make_api(agent_command=fake(on={"dream": [["reply", result]]}))
    done = api.run("dream", {})
    assert done["result"] == {
        "summary": "s",
        "touchedTopics": ["project", "user"],
        "dedupedEntries": 1,
        "touchedScopes": ["project", "user"],
        "changedFiles": [],
        "removedFiles": [],
        "changeSetId": None,
    }


def test_a_child_never_sees_the_daemons_token(make_api: MakeApi) -> None:
    environ = {"PATH": "/usr/bin:/bin", "QMEMD_TOKEN": "hush-hush", "QWEN_SERVER_TOKEN": "hush-2"}
    api = make_api(agent_command=fake(on={"remember": ["environment"]}), environ=environ)
    seen = json.loads(api.run("remember", {"content": "x"})["result"]["summary"])
    assert "hush" not in json.dumps(seen)
    assert seen["QWEN_CODE_MEMORY_BASE_DIR"] == str(api.base)


def test_what_a_child_asks_of_us_is_refused_and_it_goes_on(
    make_api: MakeApi, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    asks = [
        ["request", {"id": "c1", "method": "x/unknown"}],
        [
            "request",
            {"id": "c2", "method": "fs/read_text_file", "params": {"path": "/etc/hostname"}},
        ],
        ["request", {"id": "c3", "method": "session/request_permission"}],
        ["request", {"method": "qwen/notify/anything"}],
        "reply",
    ]
    api = make_api(agent_command=fake(log=str(log), on={"remember": asks}))
    assert api.run("remember", {"content": "x"})["status"] == "completed"
    answers = [json.loads(line) for line in log.read_text().splitlines()]
    refusals = {a["id"]: a["error"]["code"] for a in answers if "error" in a}
    assert refusals == {"c1": -32601, "c2": -32601, "c3": -32601}


def test_the_handshake_and_a_call_as_they_go_over_the_pipe(
    make_api: MakeApi, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    api = make_api(agent_command=fake(log=str(log)))
    task = api.run("remember", {"content": "tea", "scope": "user"})
    initialize, *rest = [json.loads(line) for line in log.read_text().splitlines()]
    assert initialize["method"] == "initialize"
    assert initialize["jsonrpc"] == "2.0"
    assert initialize["id"] == 0
    assert initialize["params"]["protocolVersion"] == 1
    assert initialize["params"]["clientCapabilities"] == {
        "fs": {"readTextFile": False, "writeTextFile": False}
    }
    assert initialize["params"]["clientInfo"]["name"] == "qmemd"
    (call,) = [m for m in rest if m["method"] == "qwen/control/workspace/memory/remember"]
    assert call["params"] == {
        "content": "tea",
        "contextMode": "workspace",
        "scope": "user",
        "cwd": str(api.daemon.settings.workspace),
        "_meta": {"qmemd/taskId": task["taskId"]},
    }


@pytest.mark.parametrize("begins", [False, True])
def test_a_task_that_was_not_begun_goes_to_the_next_child(
    make_api: MakeApi, tmp_path: Path, begins: bool
) -> None:
    tells = {"protocolVersion": 1, "_meta": {"qmemd/tellsBegun": True}}
    begun = {"method": "qmemd/task/begun", "params": {"requestId": 2}}
    dies = {
        "initialize": [["reply", tells]],
        "remember": [*([["request", begun]] if begins else []), ["exit", 3]],
    }
    starts = tmp_path / "starts"
    api = make_api(agent_command=fake(starts=str(starts), per_start=[{"on": dies}, {"on": {}}]))
    done = api.run("remember", {"content": "x"})
    assert done["status"] == ("failed" if begins else "completed")
    assert len(starts.read_text().split()) == (1 if begins else 2)


def test_a_child_that_begins_no_task_is_not_tried_for_ever(
    make_api: MakeApi, tmp_path: Path
) -> None:
    tells = {"protocolVersion": 1, "_meta": {"qmemd/tellsBegun": True}}
    starts = tmp_path / "starts"
    script = {"initialize": [["reply", tells]], "remember": [["exit", 3]]}
    api = make_api(agent_command=fake(starts=str(starts), on=script))
    assert failure(api)["code"] == "agent_crashed"
    assert len(starts.read_text().split()) == 3
