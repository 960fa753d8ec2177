from __future__ import annotations

import pytest
from falcon import testing

from qmemd.catalog import EntryFilter
from qmemd.kinds import Scope, Topic
from tests.http.fake_door import FakeDoor

ENTRIES = "/workspace/memory/entries"


def test_what_is_asked_for_arrives(client: testing.TestClient, door: FakeDoor) -> None:
    asked = "?q=green+tea&scope=user&type=feedback&limit=5&cursor=10"
    answer = client.simulate_get(f"{ENTRIES}{asked}", headers={"X-Qwen-Client-Id": "known"})
    assert answer.json == {"entries": [], "total": 0}
    client.simulate_get(ENTRIES)
    assert door.catalog.pages == [
        (EntryFilter("green tea", Scope.USER, Topic.FEEDBACK), "known", 5, 10),
        (EntryFilter(), None, 100, 0),
    ]


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("q=" + "x" * 1_001, "invalid_query"),
        ("scope=both", "invalid_scope"),
        ("scope=", "invalid_scope"),
        ("type=fact", "invalid_type"),
        ("limit=0", "invalid_limit"),
        ("limit=", "invalid_limit"),
        ("cursor=-1", "invalid_cursor"),
        ("cursor=1234567890", "invalid_cursor"),
        ("cursor=20300102T030405678Z.c1", "invalid_cursor"),
    ],
)
def test_what_makes_no_sense_is_refused(
    client: testing.TestClient, door: FakeDoor, query: str, code: str
) -> None:
    answer = client.simulate_get(f"{ENTRIES}?{query}")
    assert (answer.status_code, answer.json["code"]) == (400, code)
    assert door.catalog.pages == []


def test_one_entry(client: testing.TestClient) -> None:
    mine = {"X-Qwen-Client-Id": "known"}
    assert client.simulate_get(f"{ENTRIES}/e1", headers=mine).json == {
        "id": "e1",
        "seenBy": "known",
    }
    missing = client.simulate_get(f"{ENTRIES}/e2")
    assert (missing.status_code, missing.json["code"]) == (404, "entry_not_found")
    odd = client.simulate_get(f"{ENTRIES}/e1", headers={"X-Qwen-Client-Id": "nobody"})
    assert odd.json["code"] == "invalid_client_id"
