"""A memory of its own, and the agent's room around a model, without a daemon or a child."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from qmemd.agent.cancellation import Cancellation
from qmemd.agent.models.base import Model
from qmemd.agent.params import Order
from qmemd.agent.runner import AgentSettings, TaskRunner
from qmemd.errors import QmemdError
from qmemd.kinds import Scope, Topic
from qmemd.memory.documents import render
from qmemd.memory.paths import resolve_paths
from qmemd.tasks import TaskRequest

TASK_LIMIT = 295.0
"""Seconds."""


class Room:
    """Runs tasks on files below one directory."""

    def __init__(self, directory: Path, model: Callable[[], Model]) -> None:
        workspace = directory / "workspace"
        workspace.mkdir(parents=True)
        self.paths = resolve_paths(directory / "base", workspace)
        environ: Mapping[str, str] = {"QWEN_CODE_MEMORY_BASE_DIR": str(self.paths.base)}
        numbers = itertools.count(1)
        self._runner = TaskRunner(
            AgentSettings(str(workspace), bound=True, task_limit=TASK_LIMIT),
            environ,
            make_model=model,
            clock=lambda: datetime.now(UTC),
            monotonic=time.monotonic,
            new_id=lambda: f"evaluation-{next(numbers)}",
        )

    def run(self, request: TaskRequest) -> dict[str, Any] | None:
        """The result on the wire; None when the task failed."""
        order = Order(request, cwd=None, task_id=None, client_id=None)
        try:
            return self._runner.execute(order, Cancellation())
        except QmemdError:
            return None

    def put(self, scope: Scope, name: str, topic: Topic, text: str) -> Path:
        """A document that holds this text."""
        path = self.paths.root(scope).path / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        title = " ".join(text.split())
        path.write_bytes(render(title[:60], title[:120], topic, text))
        return path

    def documents(self) -> dict[Path, bytes]:
        """What is on disk, without the indexes."""
        return {
            path: path.read_bytes()
            for root in self.paths.roots
            for path in root.path.rglob("*.md")
            if path.name != "MEMORY.md"
        }
