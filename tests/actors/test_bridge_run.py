from __future__ import annotations

from datetime import UTC, datetime

import pytest

from qmemd.actors.bridge_run import Run
from qmemd.kinds import ChangeAction
from qmemd.tasks import Change, Dream, Forget, Remember, Task, TaskRequest

STANDARD = "qwen/control/workspace/memory"


@pytest.mark.parametrize(
    ("request_", "method", "params"),
    [
        (Remember("x"), f"{STANDARD}/remember", {"content": "x", "contextMode": "workspace"}),
        (Forget("x"), f"{STANDARD}/forget", {"query": "x"}),
        (Dream(), f"{STANDARD}/dream", {}),
        (Forget("x", preview=True), "qmemd/memory/forget", {"query": "x", "preview": True}),
        (Dream(preview=True), "qmemd/memory/dream", {"preview": True}),
        (
            Change("c1", ChangeAction.REVERT),
            "qmemd/memory/change",
            {"changeSetId": "c1", "action": "revert"},
        ),
    ],
)
def test_what_only_our_agent_can_do_has_methods_of_its_own(
    request_: TaskRequest, method: str, params: dict[str, object]
) -> None:
    task = Task.queued("t-1", request_, None, datetime.now(UTC))
    run = Run(task, "/work")
    assert run.method == method
    assert run.params == params | {"cwd": "/work", "_meta": {"qmemd/taskId": "t-1"}}
