from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from qmemd.errors import ERRORS, ProtocolError
from qmemd.kinds import (
    ContextMode,
    Scope,
    TaskKind,
    Topic,
)
from qmemd.results import DreamResult, result_from_wire
from qmemd.tasks import (
    Dream,
    Forget,
    Remember,
    Task,
    TaskFailure,
    iso,
)

NOW = datetime(2026, 3, 1, 12, 0, 0, 123999, tzinfo=UTC)


def test_times_are_utc_with_milliseconds() -> None:
    assert iso(NOW) == "2026-03-01T12:00:00.123Z"
    assert iso(NOW.astimezone(timezone(timedelta(hours=5)))) == "2026-03-01T12:00:00.123Z"


def test_the_accepted_body() -> None:
    task = Task.queued("remember-1", Remember("x", ContextMode.CLEAN, Scope.USER), "c", NOW)
    assert task.to_accepted_wire() == {
        "taskId": "remember-1",
        "status": "queued",
        "createdAt": "2026-03-01T12:00:00.123Z",
        "updatedAt": "2026-03-01T12:00:00.123Z",
        "contextMode": "clean",
        "scope": "user",
    }
    assert "contextMode" not in Task.queued("f", Forget("q"), None, NOW).to_accepted_wire()
    assert "scope" not in Task.queued("d", Dream(), None, NOW).to_accepted_wire()


def test_the_body_of_a_poll_in_each_state() -> None:
    queued = Task.queued("dream-1", Dream(), None, NOW)
    running = queued.running(NOW + timedelta(seconds=1))
    for task in (queued, running):
        assert task.to_wire()["result"] is None
        assert task.to_wire()["error"] is None
    completed = running.finished(DreamResult("nothing"), NOW).to_wire()
    assert "error" not in completed
    assert completed["result"]["changeSetId"] is None
    failed = running.finished(TaskFailure.of("dream_failed", "why"), NOW).to_wire()
    assert "result" not in failed
    assert failed["error"] == {
        "code": "dream_failed",
        "message": "Workspace memory dream failed.",
        "details": "why",
    }
    assert "client" not in json.dumps(failed).lower()


def test_details_are_capped() -> None:
    assert len(TaskFailure.of("dream_failed", "x" * 10_000).details or "") == 500
    assert TaskFailure.of("dream_failed", "").details is None


FORGOTTEN = {
    "summary": "s",
    "removedEntries": [{"topic": "user", "summary": "x", "filePath": "/f", "entryIndex": 3}],
    "touchedTopics": ["user", "user", "feedback"],
    "touchedScopes": ["user", "project", "user"],
    "debug": {"tokens": 1},
}


def test_known_keys_of_a_childs_result_are_picked() -> None:
    wire = result_from_wire(TaskKind.FORGET, FORGOTTEN).to_wire()
    assert wire == {
        "summary": "s",
        "removedEntries": [{"topic": "user", "summary": "x", "filePath": "/f"}],
        "touchedTopics": ["feedback", "user"],
        "touchedScopes": ["project", "user"],
        "changeSetId": None,
    }


def test_a_dream_without_scopes_gets_them_from_its_topics() -> None:
    result = result_from_wire(
        TaskKind.DREAM, {"touchedTopics": ["feedback", "reference"], "dedupedEntries": 2}
    )
    assert result.touched_scopes == (Scope.PROJECT, Scope.USER)
    assert result.touched_topics == (Topic.FEEDBACK, Topic.REFERENCE)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("kind", "wire"),
    [
        (TaskKind.REMEMBER, None),
        (TaskKind.REMEMBER, []),
        (TaskKind.REMEMBER, {"summary": "s", "filesTouched": "x", "touchedScopes": []}),
        (TaskKind.REMEMBER, {"summary": "s", "filesTouched": [1], "touchedScopes": []}),
        (TaskKind.REMEMBER, {"summary": "s", "filesTouched": []}),
        (TaskKind.REMEMBER, {"summary": 1, "filesTouched": [], "touchedScopes": []}),
        (TaskKind.REMEMBER, {"filesTouched": [], "touchedScopes": ["everywhere"]}),
        (TaskKind.REMEMBER, {"filesTouched": [], "touchedScopes": [], "changeSetId": 1}),
        (TaskKind.REMEMBER, {"filesTouched": [], "touchedScopes": [], "usage": {"modelCalls": 1}}),
        (TaskKind.FORGET, FORGOTTEN | {"removedEntries": ["x"]}),
        (TaskKind.FORGET, FORGOTTEN | {"removedEntries": [{"topic": "user"}]}),
        (TaskKind.FORGET, FORGOTTEN | {"touchedTopics": ["secrets"]}),
        (TaskKind.DREAM, {"touchedTopics": [], "dedupedEntries": True}),
        (TaskKind.DREAM, {"touchedTopics": [], "dedupedEntries": -1}),
        (TaskKind.DREAM, {"touchedTopics": []}),
    ],
)
def test_a_result_of_the_wrong_shape_is_refused(kind: TaskKind, wire: Any) -> None:
    with pytest.raises(ProtocolError):
        result_from_wire(kind, wire)


def test_every_code_has_one_sentence_and_refusals_have_a_status() -> None:
    for code, entry in ERRORS.items():
        assert code == code.lower()
        assert entry.sentence.endswith(".")
        assert entry.status is None or 400 <= entry.status < 600
