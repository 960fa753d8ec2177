"""The SDK that other people use, unchanged, against a real daemon."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.contract.conftest import TOKEN, serving
from tests.interop.conftest import Sdk

pytestmark = pytest.mark.slow


@pytest.fixture
def workspace(tmp_path: Path) -> str:
    return str(tmp_path.resolve() / "work")


@pytest.fixture
def drive(sdk: Path, tmp_path: Path, workspace: str) -> Any:
    with serving(tmp_path.resolve()) as api:
        yield Sdk(sdk, api.daemon.port, TOKEN, workspace).run


def test_discovery(drive: Any, workspace: str) -> None:
    told = drive("discovery")
    assert told["health"] == {"status": "ok"}
    capabilities = told["capabilities"]
    assert capabilities["workspaceCwd"] == workspace
    assert {
        "workspace_memory_remember_project_scope",
        "workspace_memory_forget_scope",
        "session_events",
    } <= set(capabilities["features"])


def test_sessions(drive: Any, workspace: str) -> None:
    told = drive("session")
    first, second = told["first"], told["second"]
    assert (first["attached"], second["attached"]) == (False, True)
    assert first["workspaceCwd"] == workspace
    assert first["sessionId"] == second["sessionId"]
    assert first["clientId"] != second["clientId"]
    assert told["beat"]["sessionId"] == first["sessionId"]
    assert told["beat"]["lastSeenAt"] > 1_700_000_000_000
    assert (told["afterwards"]["status"], told["afterwards"]["code"]) == (404, "session_not_found")


def test_memory_tasks_and_their_events(drive: Any) -> None:
    told = drive("memory")
    assert told["accepted"]["status"] == "queued"
    assert told["accepted"]["contextMode"] == "workspace"
    assert told["remembered"]["result"]["touchedScopes"] == ["user"]
    assert len(told["forgotten"]["result"]["removedEntries"]) == 1
    assert told["dreamt"]["result"]["touchedTopics"] == []
    assert told["known"] == [True] * 2
    changes = [event for event in told["normalized"] if event["type"] == "workspace.memory.changed"]
    assert [change["source"] for change in changes] == [
        "workspace_memory_remember",
        "workspace_memory_forget",
    ]
    assert [change["taskId"] for change in changes] == [
        told["remembered"]["taskId"],
        told["forgotten"]["taskId"],
    ]
    for change in changes:
        assert change["scope"] == "managed"
        assert change["touchedScopes"] == ["user"]
        assert change["originatorClientId"] == told["clientId"]
        assert change["serverTimestamp"] > 1_700_000_000_000
    assert [change["eventId"] for change in changes] == [1, 2]
    assert not [event for event in told["normalized"] if event["type"] == "debug"]


def test_context_files(drive: Any, workspace: str) -> None:
    told = drive("files")
    assert told["before"]["initialized"] is False
    assert told["written"]["filePath"] == f"{workspace}/QWEN.md"
    assert told["written"]["bytesWritten"] == len("# Rules\n")
    text = Path(workspace, "QWEN.md").read_text()
    assert "a rule" in text
    assert told["appended"]["bytesWritten"] == len(text.encode())
    assert told["after"]["fileCount"] == 1
    changes = [event for event in told["normalized"] if event["type"] == "workspace.memory.changed"]
    assert [(change["scope"], change["mode"]) for change in changes][-1] == (
        "workspace",
        "append",
    ) or [(change["scope"], change["mode"]) for change in changes] == [("workspace", "replace")]


def test_a_session_that_is_closed_ends_its_stream(drive: Any) -> None:
    told = drive("ending")
    assert told["first"]["type"] == "replay_complete"
    assert [event["type"] for event in told["rest"]] == ["session_closed"]
    assert told["rest"][0]["data"]["reason"] == "client_close"


def test_errors_reach_the_user_of_the_sdk(drive: Any) -> None:
    told = drive("errors")
    expected = {
        "token": (401, "unauthorized"),
        "blank": (400, "invalid_content"),
        "tooLong": (400, "invalid_content"),
        "scope": (400, "invalid_scope"),
        "client": (400, "invalid_client_id"),
        "unknown": (404, "remember_task_not_found"),
        "foreign": (404, "remember_task_not_found"),
        "workspace": (400, "workspace_mismatch"),
        "stream": (404, "session_not_found"),
        "close": (400, "invalid_client_id"),
        "file": (400, "invalid_scope"),
    }
    for name, (status, code) in expected.items():
        error = told[name]
        assert (error["http"], error["status"], error["code"]) == (True, status, code), name
        assert "HTTP" not in error["message"], name
