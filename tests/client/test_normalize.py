from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qmemd.client.normalize import (
    Debug,
    ReplayComplete,
    SessionEnded,
    StateResyncRequired,
    StreamTrouble,
    TaskUpdate,
    WorkspaceMemoryChanged,
    normalize_event,
)

MANAGED = {
    "scope": "managed",
    "source": "workspace_memory_dream",
    "taskId": "dream-1",
    "touchedScopes": ["project", "user"],
}
FILE = {"scope": "global", "filePath": "/q", "mode": "append", "bytesWritten": 9}


def envelope(event_type: str, data: Any, **more: Any) -> dict[str, Any]:
    return {"v": 1, "type": event_type, "data": data, **more}


def test_a_change_of_managed_memory() -> None:
    more = {"id": 7, "originatorClientId": "c", "_meta": {"serverTimestamp": 5}}
    assert normalize_event(envelope("memory_changed", MANAGED | {"more": 1}, **more)) == [
        WorkspaceMemoryChanged(
            7,
            5,
            "c",
            scope="managed",
            source="workspace_memory_dream",
            task_id="dream-1",
            touched_scopes=("project", "user"),
        )
    ]
    [none] = normalize_event(envelope("memory_changed", MANAGED | {"touchedScopes": []}))
    assert isinstance(none, WorkspaceMemoryChanged)


def test_a_change_of_a_context_file() -> None:
    assert normalize_event(envelope("memory_changed", FILE)) == [
        WorkspaceMemoryChanged(
            None, None, None, scope="global", file_path="/q", mode="append", bytes_written=9
        )
    ]


@pytest.mark.parametrize(
    "data",
    [
        MANAGED | {"source": ""},
        MANAGED | {"taskId": 1},
        MANAGED | {"touchedScopes": "user"},
        MANAGED | {"touchedScopes": ["user", "global"]},
        MANAGED | {"touchedScopes": [["user"]]},
        FILE | {"scope": "team"},
        FILE | {"filePath": ""},
        FILE | {"mode": "add"},
        FILE | {"bytesWritten": True},
        FILE | {"bytesWritten": float("inf")},
        FILE | {"bytesWritten": 10**400},
        {},
        None,
        [],
    ],
)
def test_a_payload_that_makes_no_sense(data: Any) -> None:
    [item] = normalize_event(envelope("memory_changed", data))
    assert item == Debug(
        None,
        None,
        None,
        "malformed_payload",
        "memory_changed: malformed memory_changed payload",
    )


@pytest.mark.parametrize(
    ("event_type", "data", "expected"),
    [
        (
            "task_updated",
            {"taskId": "t", "kind": "dream", "status": "queued"},
            TaskUpdate(None, None, None, "t", "dream", "queued"),
        ),
        (
            "session_closed",
            {"sessionId": "s", "reason": "idle_timeout"},
            SessionEnded(None, None, None, "s", "idle_timeout"),
        ),
        ("replay_complete", {"replayedCount": 0}, ReplayComplete(None, None, None, 0)),
        (
            "state_resync_required",
            {"reason": "epoch_reset", "lastDeliveredId": 1, "earliestAvailableId": 2},
            StateResyncRequired(None, None, None, "epoch_reset", 1, 2),
        ),
        (
            "client_evicted",
            {"reason": "queue_overflow"},
            StreamTrouble(None, None, None, "queue_overflow"),
        ),
        ("stream_error", {"error": "x"}, StreamTrouble(None, None, None, "x")),
    ],
)
def test_the_other_events(event_type: str, data: Any, expected: object) -> None:
    assert normalize_event(envelope(event_type, data)) == [expected]
    [broken] = normalize_event(envelope(event_type, {}))
    assert isinstance(broken, Debug)


def test_what_is_quiet_unknown_or_no_envelope() -> None:
    assert normalize_event(envelope("slow_client_warning", {})) == []
    assert normalize_event(envelope("session_snapshot", {})) == []
    [unknown] = normalize_event(envelope("turn_complete", {}))
    assert isinstance(unknown, Debug)
    assert unknown.reason == "unrecognized_event"
    for wire in ({}, {"v": 2, "type": "x"}, {"v": 1, "type": 1}, {"v": 1, "type": "x", "id": 0}):
        [none] = normalize_event(wire)
        assert isinstance(none, Debug)


TEXT = st.sampled_from(["", "managed", "global", "user", "append", "\0", "\ud800"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.just(10**400) | st.floats() | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=5,
)
KEYS = [*MANAGED, *FILE, "kind", "status", "sessionId", "reason", "replayedCount", "error"]
TYPES = ["memory_changed", "task_updated", "session_closed", "replay_complete", "client_evicted"]


@given(
    st.sampled_from(TYPES),
    JSON | st.dictionaries(st.sampled_from(KEYS), JSON),
    st.fixed_dictionaries({}, optional={"id": JSON, "_meta": JSON, "originatorClientId": JSON}),
)
def test_no_payload_breaks_it(event_type: str, data: Any, more: dict[str, Any]) -> None:
    assert len(normalize_event(envelope(event_type, data, **more))) == 1
