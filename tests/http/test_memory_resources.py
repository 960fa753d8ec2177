from __future__ import annotations

import json
from typing import Any

import pytest
from falcon import testing

from qmemd.errors import RequestError
from qmemd.kinds import Scope, TaskKind, TaskStatus
from qmemd.tasks import Dream, Forget, Remember
from tests.http.fake_door import FakeDoor, FakePolled

PATH = "/workspace/memory"


def post(client: testing.TestClient, kind: str, body: Any, **headers: str) -> testing.Result:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return client.simulate_post(f"{PATH}/{kind}", json=body, headers=named)


def test_remember_is_accepted(client: testing.TestClient, door: FakeDoor) -> None:
    reply = post(client, "remember", {"content": " a fact ", "scope": "user"})
    assert reply.status_code == 202
    assert reply.json == {
        "taskId": "remember-00000000-0000-4000-8000-000000000001",
        "status": "queued",
        "createdAt": "2030-01-02T03:04:05.678Z",
        "updatedAt": "2030-01-02T03:04:05.678Z",
        "contextMode": "workspace",
        "scope": "user",
    }
    assert door.submitted == [(Remember("a fact", scope=Scope.USER), None)]


def test_forget_and_dream_are_accepted(client: testing.TestClient, door: FakeDoor) -> None:
    assert post(client, "forget", {"query": "tabs"}, X_Qwen_Client_Id="known").status_code == 202
    assert client.simulate_post(f"{PATH}/dream/").status_code == 202
    assert door.submitted == [(Forget("tabs"), "known"), (Dream(), None)]


def test_answers_are_neither_sniffed_nor_cached(client: testing.TestClient) -> None:
    for reply in (post(client, "remember", {"content": "x"}), post(client, "remember", {})):
        assert reply.headers["Content-Type"] == "application/json"
        assert reply.headers["X-Content-Type-Options"] == "nosniff"
        assert reply.headers["Cache-Control"] == "no-store"


def test_a_poll_hands_on_the_bytes_of_the_board(client: testing.TestClient, door: FakeDoor) -> None:
    door.board["dream-1"] = FakePolled(TaskKind.DREAM, None, b'{ "odd" :  "spacing" }')
    assert client.simulate_get(f"{PATH}/dream/dream-1").content == b'{ "odd" :  "spacing" }'
    assert client.simulate_get(f"{PATH}/dream/dream-1/").status_code == 200
    head = client.simulate_head(f"{PATH}/dream/dream-1")
    assert (head.status_code, head.content, head.headers["Content-Length"]) == (200, b"", "22")


@pytest.mark.parametrize(
    ("owner", "asker", "status"),
    [
        (None, None, 200),
        (None, "", 200),
        (None, "known", 404),
        ("known", "known", 200),
        ("known", "other", 404),
        ("known", None, 404),
        ("known", "", 404),
    ],
)
def test_a_task_is_visible_to_its_client_only(
    client: testing.TestClient, door: FakeDoor, owner: str | None, asker: str | None, status: int
) -> None:
    door.board["forget-1"] = FakePolled(TaskKind.FORGET, owner, b"{}")
    headers = {} if asker is None else {"X-Qwen-Client-Id": asker}
    reply = client.simulate_get(f"{PATH}/forget/forget-1", headers=headers)
    assert reply.status_code == status


def test_what_is_not_visible_looks_like_what_is_not_there(
    client: testing.TestClient, door: FakeDoor
) -> None:
    door.board["forget-1"] = FakePolled(TaskKind.FORGET, "known", b"{}")
    door.board["dream-1"] = FakePolled(TaskKind.DREAM, None, b"{}")
    replies = [
        client.simulate_get(f"{PATH}/forget/{task_id}")
        for task_id in ("forget-1", "dream-1", "FORGET-1", "nothing", "%F0%9F%94%91", "a%00b")
    ]
    assert {reply.status_code for reply in replies} == {404}
    assert {reply.content for reply in replies} == {
        b'{"error":"There is no such forget task.","code":"forget_task_not_found"}'
    }


@pytest.mark.parametrize("kind", list(TaskKind))
def test_each_kind_has_its_own_not_found(client: testing.TestClient, kind: TaskKind) -> None:
    reply = client.simulate_get(f"{PATH}/{kind}/nothing")
    assert reply.json["code"] == f"{kind}_task_not_found"


def test_paths_do_not_climb(client: testing.TestClient) -> None:
    reply = client.simulate_get(f"{PATH}/remember/..%2f..")
    assert (reply.status_code, reply.json["code"]) == (404, "not_found")


@pytest.mark.parametrize("client_id", ["x" * 129, "a b", "known,known", "naïve", "a/b", "a\x7fb"])
def test_malformed_client_ids(client: testing.TestClient, door: FakeDoor, client_id: str) -> None:
    headers = {"X-Qwen-Client-Id": client_id}
    for reply in (
        client.simulate_post(f"{PATH}/dream", headers=headers),
        client.simulate_get(f"{PATH}/dream/x", headers=headers),
        client.simulate_post("/session", headers=headers),
        client.simulate_delete("/session/s1", headers=headers),
    ):
        assert (reply.status_code, reply.json["code"]) == (400, "invalid_client_id")
        assert "clientId" not in reply.json
    assert not door.submitted


@pytest.mark.parametrize("client_id", ["x" * 128, "a.B_c:d-9"])
def test_unknown_client_ids_are_named(client: testing.TestClient, client_id: str) -> None:
    headers = {"X-Qwen-Client-Id": client_id}
    for reply in (
        client.simulate_post(f"{PATH}/dream", headers=headers),
        client.simulate_get(f"{PATH}/dream/x", headers=headers),
    ):
        assert (reply.status_code, reply.json["code"]) == (400, "invalid_client_id")
        assert reply.json["clientId"] == client_id


def test_the_order_of_refusals(client: testing.TestClient, door: FakeDoor) -> None:
    door.refusal = RequestError("remember_queue_full")
    headers = {"X-Qwen-Client-Id": "unknown", "Content-Type": "text/plain"}

    def code(body: str) -> str:
        reply = client.simulate_post(f"{PATH}/remember", body=body, headers=headers)
        return str(reply.json["code"])

    assert code("{") == "unsupported_media_type"
    headers["Content-Type"] = "application/json"
    assert code("{") == "invalid_json"
    assert code('{"contextMode":1,"scope":1}') == "invalid_content"
    assert code('{"content":"x","contextMode":1,"scope":1}') == "invalid_context_mode"
    assert code('{"content":"x","scope":null}') == "invalid_scope"
    assert code('{"content":"x"}') == "invalid_client_id"
    headers["X-Qwen-Client-Id"] = "known"
    assert code('{"content":"x"}') == "remember_queue_full"


@pytest.mark.parametrize(
    ("code", "status", "retry_after"),
    [
        ("remember_queue_full", 429, "5"),
        ("managed_memory_unavailable", 409, None),
        ("forget_failed", 500, None),
        ("daemon_busy", 503, "1"),
    ],
)
def test_refusals_of_the_daemon(
    client: testing.TestClient, door: FakeDoor, code: str, status: int, retry_after: str | None
) -> None:
    door.refusal = RequestError(code, extra={"more": [1]})
    reply = client.simulate_post(f"{PATH}/forget", json={"query": "x"})
    assert reply.status_code == status
    assert reply.json == {"error": door.refusal.message, "code": code, "more": [1]}
    assert reply.headers.get("Retry-After") == retry_after


def test_a_key_order_that_puts_the_sentence_first(client: testing.TestClient) -> None:
    reply = client.simulate_post(f"{PATH}/forget", json={})
    assert list(json.loads(reply.content)) == ["error", "code"]


def test_cancelling_is_for_those_who_see_the_task(
    client: testing.TestClient, door: FakeDoor
) -> None:
    door.board["dream-1"] = FakePolled(TaskKind.DREAM, "known", b"{}")
    for headers in ({}, {"X-Qwen-Client-Id": "other"}):
        reply = client.simulate_delete(f"{PATH}/dream/dream-1", headers=headers)
        assert (reply.status_code, reply.json["code"]) == (404, "dream_task_not_found")
    mine = {"X-Qwen-Client-Id": "known"}
    assert client.simulate_delete(f"{PATH}/forget/dream-1", headers=mine).status_code == 404
    assert door.cancelled == []
    reply = client.simulate_delete(f"{PATH}/dream/dream-1", headers=mine)
    assert (reply.status_code, reply.json["error"]["code"]) == (202, "task_cancelled")


def test_tasks_are_listed_by_kind_status_and_number(
    client: testing.TestClient, door: FakeDoor
) -> None:
    reply = client.simulate_get(f"{PATH}/tasks")
    assert reply.json == {"tasks": [{"taskId": "a"}, {"taskId": "b"}]}
    query = "kind=dream&status=failed&limit=7"
    client.simulate_get(f"{PATH}/tasks?{query}", headers={"X-Qwen-Client-Id": "known"})
    assert door.listed == [
        (None, None, None, 100),
        ("known", TaskKind.DREAM, TaskStatus.FAILED, 7),
    ]


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("kind=changing", "invalid_kind"),
        ("status=done", "invalid_status"),
        *((f"limit={limit}", "invalid_limit") for limit in ("", "0", "-1", "1001", "x", "1e2")),
    ],
)
def test_a_filter_that_is_none(client: testing.TestClient, query: str, code: str) -> None:
    reply = client.simulate_get(f"{PATH}/tasks?{query}")
    assert (reply.status_code, reply.json["code"]) == (400, code)


def test_the_idempotency_key_is_handed_on(client: testing.TestClient, door: FakeDoor) -> None:
    for key in ("k", "with blank ~", "x" * 255):
        post(client, "dream", {}, Idempotency_Key=key)
    post(client, "dream", {})
    assert door.keys == ["k", "with blank ~", "x" * 255, None]


@pytest.mark.parametrize("key", ["", "x" * 256, "\xe9"])
def test_an_idempotency_key_that_is_none(client: testing.TestClient, key: str) -> None:
    reply = post(client, "dream", {}, Idempotency_Key=key)
    assert (reply.status_code, reply.json["code"]) == (400, "invalid_idempotency_key")
