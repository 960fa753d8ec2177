from __future__ import annotations

import itertools
import threading
from datetime import UTC, datetime
from typing import Any

from qmemd.errors import RequestError
from qmemd.http.ports import Polled
from qmemd.tasks import Task, TaskRequest, to_json

NOW = datetime(2030, 1, 2, 3, 4, 5, 678_000, tzinfo=UTC)


class FakeDoor:
    """Keeps what it was asked; everything that a test wants to differ is an attribute."""

    def __init__(self) -> None:
        self.stopping = False
        self.clients = {"known", "other"}
        self.submitted: list[tuple[TaskRequest, str | None]] = []
        self.opened: list[tuple[str | None, str, str | None]] = []
        self.closed: list[tuple[str, str | None]] = []
        self.board: dict[str, Polled] = {}
        self.refusal: Exception | None = None
        """Raised by whatever is asked next of it."""
        self.poll_threads: set[str] = set()
        self.submitting = threading.Event()
        self.may_submit = threading.Event()
        self.may_submit.set()
        self._numbers = itertools.count(1)

    def submit(self, request: TaskRequest, client_id: str | None) -> Task:
        self.submitting.set()
        assert self.may_submit.wait(10)
        if self.refusal:
            raise self.refusal
        self.submitted.append((request, client_id))
        task_id = f"{request.kind}-00000000-0000-4000-8000-{next(self._numbers):012}"
        task = Task.queued(task_id, request, client_id, NOW)
        self.board[task_id] = Polled(task.kind, client_id, to_json(task.to_wire()))
        return task

    def poll(self, task_id: str) -> Polled | None:
        self.poll_threads.add(threading.current_thread().name)
        if self.refusal:
            raise self.refusal
        return self.board.get(task_id)

    def knows_client(self, client_id: str) -> bool:
        return client_id in self.clients

    def open_session(self, cwd: str | None, scope: str, client_id: str | None) -> dict[str, Any]:
        self.opened.append((cwd, scope, client_id))
        if self.refusal:
            raise self.refusal
        return {"sessionId": "s1", "workspaceCwd": "/w", "attached": False, "clientId": "known"}

    def close_session(self, session_id: str, client_id: str | None) -> None:
        if session_id != "s1":
            raise RequestError("session_not_found", extra={"sessionId": session_id})
        if client_id not in (None, "known"):
            raise RequestError("invalid_client_id", extra={"clientId": client_id})
        self.closed.append((session_id, client_id))

    def capabilities(self) -> dict[str, Any]:
        return {"v": 1, "features": ["health"], "workspaceCwd": "/wörk"}
