from __future__ import annotations

import pytest
from falcon import testing

from qmemd.errors import RequestError
from tests.http.fake_door import FakeDoor


def test_a_session_is_opened(client: testing.TestClient, door: FakeDoor) -> None:
    reply = client.simulate_post("/session")
    assert reply.status_code == 200
    assert reply.json == {
        "sessionId": "s1",
        "workspaceCwd": "/wörk",
        "attached": False,
        "clientId": "known",
        "createdAt": "2030-01-02T03:04:05.678Z",
    }
    client.simulate_post("/session/", json={"cwd": "/w", "sessionScope": "thread", "more": 1})
    assert door.opened == [(None, "single", None), ("/w", "thread", None)]


def test_an_unknown_client_id_is_left_to_the_session(
    client: testing.TestClient, door: FakeDoor
) -> None:
    headers = {"X-Qwen-Client-Id": "webui_1"}
    assert client.simulate_post("/session", headers=headers).status_code == 200
    assert door.opened == [(None, "single", "webui_1")]


def test_fields_come_before_the_client_id(client: testing.TestClient) -> None:
    headers = {"X-Qwen-Client-Id": "a b"}
    reply = client.simulate_post("/session", json={"cwd": "w"}, headers=headers)
    assert reply.json["code"] == "invalid_cwd"


def test_another_workspace_is_refused(client: testing.TestClient, door: FakeDoor) -> None:
    extra = {"boundWorkspace": "/w", "requestedWorkspace": "/v"}
    door.refusal = RequestError("workspace_mismatch", extra=extra)
    reply = client.simulate_post("/session", json={"cwd": "/v"})
    assert reply.status_code == 400
    assert reply.json == {"error": door.refusal.message, "code": "workspace_mismatch"} | extra


def test_a_session_is_closed(client: testing.TestClient, door: FakeDoor) -> None:
    reply = client.simulate_delete("/session/s1", headers={"X-Qwen-Client-Id": "known"})
    assert (reply.status_code, reply.content) == (204, b"")
    assert "Content-Type" not in reply.headers
    assert client.simulate_delete("/session/s1/").status_code == 204
    assert client.simulate_delete("/session/s1", json={}).status_code == 204
    assert door.closed == [("s1", "known"), ("s1", None), ("s1", None)]


def test_closing_reads_its_body_like_any_other(client: testing.TestClient, door: FakeDoor) -> None:
    assert client.simulate_delete("/session/s1", body="{}").status_code == 415
    assert client.simulate_delete("/session/s1", json=[]).status_code == 400
    assert not door.closed


def test_an_unknown_session(client: testing.TestClient) -> None:
    reply = client.simulate_delete("/session/s2")
    assert reply.status_code == 404
    assert reply.json["code"] == "session_not_found"
    assert reply.json["sessionId"] == "s2"


def test_an_unknown_client_closes_nothing(client: testing.TestClient, door: FakeDoor) -> None:
    reply = client.simulate_delete("/session/s1", headers={"X-Qwen-Client-Id": "unknown"})
    assert (reply.status_code, reply.json["clientId"]) == (400, "unknown")
    assert not door.closed


def test_an_unknown_session_is_told_before_an_unknown_client(client: testing.TestClient) -> None:
    reply = client.simulate_delete("/session/s2", headers={"X-Qwen-Client-Id": "unknown"})
    assert (reply.status_code, reply.json["code"]) == (404, "session_not_found")


def test_a_heartbeat_says_when_the_client_was_seen(client: testing.TestClient) -> None:
    reply = client.simulate_post("/session/s1/heartbeat", json={})
    assert (reply.status_code, reply.json) == (
        200,
        {"sessionId": "s1", "lastSeenAt": 1893553445678},
    )
    reply = client.simulate_post("/session/s1/heartbeat", headers={"X-Qwen-Client-Id": "known"})
    assert reply.json["clientId"] == "known"


def test_a_client_detaches(client: testing.TestClient, door: FakeDoor) -> None:
    reply = client.simulate_post("/session/s1/detach", headers={"X-Qwen-Client-Id": "known"})
    assert (reply.status_code, reply.content) == (204, b"")
    assert client.simulate_post("/session/s1/detach").status_code == 204
    assert door.detached == [("s1", "known"), ("s1", None)]


@pytest.mark.parametrize("action", ["heartbeat", "detach"])
def test_what_a_session_does_not_know(client: testing.TestClient, action: str) -> None:
    reply = client.simulate_post(f"/session/s2/{action}", headers={"X-Qwen-Client-Id": "x"})
    assert (reply.status_code, reply.json["code"]) == (404, "session_not_found")
    reply = client.simulate_post(f"/session/s1/{action}", headers={"X-Qwen-Client-Id": "x"})
    assert (reply.status_code, reply.json["code"]) == (400, "invalid_client_id")
    reply = client.simulate_post(f"/session/s1/{action}", headers={"X-Qwen-Client-Id": "a b"})
    assert (reply.status_code, reply.json["code"]) == (400, "invalid_client_id")
    assert client.simulate_get(f"/session/s1/{action}").status_code == 405
