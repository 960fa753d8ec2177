"""The check that every answer of these tests passes can fail."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.contract.described import Description

JSON = {"content-type": "application/json"}
REFUSED = {"error": "No.", "code": "invalid_limit"}
FILES = {
    "v": 1,
    "workspaceCwd": "/w",
    "initialized": False,
    "files": [],
    "totalBytes": 0,
    "fileCount": 0,
    "ruleCount": 0,
}


@pytest.mark.parametrize(
    ("path", "status", "body"),
    [
        ("/workspace/memory/tasks", 418, REFUSED),
        ("/workspace/memory/tasks", 400, REFUSED | {"code": "invalid_wait"}),
        ("/workspace/memory/tasks", 400, REFUSED | {"hint": "an undescribed key"}),
        ("/workspace/memory", 200, {key: FILES[key] for key in FILES if key != "v"}),
        ("/workspace/memory", 200, FILES | {"totalBytes": "0"}),
        ("/workspace/memory", 200, FILES | {"news": 1}),
        ("/workspace/memory/", 401, REFUSED | {"code": "unauthorized"}),  # no WWW-Authenticate
    ],
)
def test_what_is_not_described_is_seen(path: str, status: int, body: dict[str, Any]) -> None:
    with pytest.raises(AssertionError):
        Description().check("GET", path, status, JSON, json.dumps(body).encode())


def test_what_is_described_passes() -> None:
    description = Description()
    description.check("GET", "/workspace/memory", 200, JSON, json.dumps(FILES).encode())
    refused = json.dumps(REFUSED).encode()
    description.check("GET", "/workspace/memory/tasks?limit=0", 400, JSON, refused)
    assert description.seen == {("listContextFiles", 200), ("listTasks", 400)}
