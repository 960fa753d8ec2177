"""A task runner over real files, with a model that a test has scripted."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from qmemd.agent.cancellation import Cancellation
from qmemd.agent.models.base import Model
from qmemd.agent.params import Order
from qmemd.agent.runner import AgentSettings, TaskRunner
from qmemd.errors import TaskFailedError
from qmemd.memory.history import History
from qmemd.memory.paths import MemoryPaths
from qmemd.memory.secrets import SecretPolicy
from qmemd.tasks import (
    Dream,
    Forget,
    Remember,
    TaskRequest,
)

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


class Workbench:
    """Runs tasks one after the other, each with a fresh script."""

    def __init__(self, paths: MemoryPaths, *, task_limit: float = 60.0) -> None:
        self.paths = paths
        self.environ = {"QWEN_CODE_MEMORY_BASE_DIR": str(paths.base)}
        self.task_limit = task_limit
        self.seconds = 0.0
        self.monotonic: Callable[[], float] = lambda: self.seconds
        self._numbers = itertools.count(1)
        self.cancellation = Cancellation()
        self.secrets = SecretPolicy.REFUSE

    def run(self, request: TaskRequest, model: Model) -> dict[str, Any]:
        runner = TaskRunner(
            AgentSettings(
                str(self.paths.workspace),
                bound=True,
                task_limit=self.task_limit,
                secrets=self.secrets,
            ),
            self.environ,
            make_model=lambda: model,
            clock=lambda: NOW,
            monotonic=self.monotonic,
            new_id=lambda: f"id-{next(self._numbers)}",
        )
        order = Order(request, cwd=None, task_id="task-1", client_id="client-1")
        try:
            return runner.execute(order, self.cancellation)
        finally:
            runner.close()

    def remember(self, model: Model, content: str = "A fact.", **given: Any) -> dict[str, Any]:
        return self.run(Remember(content, **given), model)

    def forget(self, model: Model, query: str = "tea", **given: Any) -> dict[str, Any]:
        return self.run(Forget(query, **given), model)

    def dream(self, model: Model) -> dict[str, Any]:
        return self.run(Dream(), model)

    @contextmanager
    def fails(self, code: str) -> Iterator[None]:
        """The run fails with this code and leaves every file as it was."""
        before = self.files()
        with pytest.raises(TaskFailedError) as caught:
            yield
        assert caught.value.code == code
        assert self.files() == before

    def files(self) -> dict[str, bytes]:
        """The documents on disk: path → content."""
        return {
            str(path): path.read_bytes()
            for root in self.paths.roots
            for path in root.path.rglob("*.md")
            if path.is_file() and path.name != "MEMORY.md"
        }

    def index(self, root: Path) -> str:
        return (root / "MEMORY.md").read_text()

    def meta(self) -> dict[str, Any]:
        loaded: dict[str, Any] = json.loads((self.paths.project_state / "meta.json").read_text())
        return loaded

    @property
    def history(self) -> History:
        return History(self.paths.history)
