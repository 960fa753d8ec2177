from __future__ import annotations

from falcon import testing

from tests.http.fake_door import FakeDoor


def test_whatever_the_application_answers_is_counted(
    client: testing.TestClient, door: FakeDoor
) -> None:
    client.simulate_get("/health")
    client.simulate_get("/capabilities", headers={"Authorization": ""})
    client.simulate_get("/nothing")
    client.simulate_delete("/capabilities")
    client.simulate_post("/workspace/memory/dream")
    door.refusal = RuntimeError()
    client.simulate_post("/workspace/memory/dream")
    assert door.counted == [
        ("GET", 200),
        ("GET", 401),
        ("GET", 404),
        ("DELETE", 405),
        ("POST", 202),
        ("POST", 500),
    ]
