from __future__ import annotations

from falcon import testing

from qmemd.errors import RequestError
from tests.http.fake_door import FakeDoor


def test_health_is_open(client: testing.TestClient) -> None:
    open_client = testing.TestClient(client.app)
    for path in ("/health", "/health/"):
        reply = open_client.simulate_get(path, headers={"Host": "localhost"})
        assert (reply.status_code, reply.content) == (200, b'{"status":"ok"}')
        assert reply.headers["Cache-Control"] == "no-store"
    head = open_client.simulate_head("/health", headers={"Host": "localhost"})
    assert (head.status_code, head.content, head.headers["Content-Length"]) == (200, b"", "15")


def test_capabilities(client: testing.TestClient, door: FakeDoor) -> None:
    told = client.simulate_get("/capabilities").json
    assert told["v"] == 1
    assert told["workspaceCwd"] == door.workspace
    assert told["featureDetails"] == {
        "workspace_memory_remember": {"modes": ["workspace", "clean"]}
    }
    assert "workspace_memory_tasks" in told["features"]
    assert "session_prompt" not in told["features"]


def test_status(client: testing.TestClient) -> None:
    assert client.simulate_get("/daemon/status").json == {"v": 1, "pid": 7}
    assert client.simulate_get("/daemon/status", headers={"Authorization": ""}).status_code == 401


def test_metrics(client: testing.TestClient, door: FakeDoor) -> None:
    reply = client.simulate_get("/metrics")
    assert (reply.status_code, reply.content) == (200, b"qmemd_uptime_seconds 1.0\n")
    assert reply.headers["Content-Type"] == "text/plain; version=1.0.0; charset=utf-8"
    assert reply.headers["Cache-Control"] == "no-store"
    assert client.simulate_get("/metrics", headers={"Authorization": ""}).status_code == 401
    door.refusal = RequestError("metrics_unavailable")
    refused = client.simulate_get("/metrics")
    assert (refused.status_code, refused.json["code"]) == (501, "metrics_unavailable")
    assert "pip install 'qmemd[metrics]'" in refused.json["error"]
