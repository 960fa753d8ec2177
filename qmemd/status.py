"""How a daemon is, at one moment: numbers and states, nothing that anybody typed."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable
from datetime import datetime
from typing import Any

from qmemd._version import __version__
from qmemd.kinds import TaskStatus
from qmemd.messages import ChildState
from qmemd.settings import Settings
from qmemd.tasks import Task, iso
from qmemd.workspace import Workspace

LAST_ERRORS = 5
"""Failed tasks that are named by their kind, code and time."""


class Status:
    """Asks around. May be used from any thread but an actor's."""

    def __init__(
        self,
        settings: Settings,
        workspace: Workspace,
        *,
        sessions: Callable[[], int],
        clock: Callable[[], datetime],
    ) -> None:
        self._settings = settings
        self._workspace = workspace
        self._sessions = sessions
        self._clock = clock
        self._started_at = clock()

    def now(self) -> dict[str, Any]:
        """The body of ``GET /daemon/status``."""
        now = self._clock()
        tasks = [posted.task for posted in self._workspace.board.newest(lambda _: True, 20_000)]
        child = self._workspace.child_state()
        return {
            "v": 1,
            "pid": os.getpid(),
            "startedAt": iso(self._started_at),
            "uptimeSeconds": max(0, int((now - self._started_at).total_seconds())),
            "qmemdVersion": __version__,
            "pythonVersion": platform.python_version(),
            "workspaceCwd": self._workspace.path,
            "model": self._settings.model,
            "journal": self._settings.journal,
            "tasks": {
                status.value: sum(task.status is status for task in tasks) for status in TaskStatus
            },
            "child": None if child is None else _child(child),
            "streams": {
                "open": self._workspace.streams,
                "limit": self._workspace.max_streams,
            },
            "sessions": self._sessions(),
            "usage": _usage(tasks),
            "lastErrors": _errors(tasks),
        }


def _child(state: ChildState) -> dict[str, Any]:
    return {
        "phase": state.phase.value,
        "generation": state.generation,
        "pid": state.pid,
        "availability": state.availability.value,
        "failuresInARow": state.failures_in_a_row,
    }


def _usage(tasks: list[Task]) -> dict[str, int]:
    """What the tasks that are kept have cost at a real model."""
    used = [task.result.usage for task in tasks if task.result is not None and task.result.usage]
    return {
        "modelCalls": sum(usage.model_calls for usage in used),
        "inputTokens": sum(usage.input_tokens for usage in used),
        "outputTokens": sum(usage.output_tokens for usage in used),
    }


def _errors(tasks: list[Task]) -> list[dict[str, str]]:
    failed = [task for task in tasks if task.error is not None][:LAST_ERRORS]
    return [
        {"kind": task.kind.value, "code": task.error.code, "at": iso(task.updated_at)}
        for task in failed
        if task.error is not None
    ]
