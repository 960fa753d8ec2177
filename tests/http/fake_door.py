from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from qmemd.actors.reader import FeedReader
from qmemd.catalog import EntryFilter
from qmemd.context import ContextFiles
from qmemd.errors import RequestError
from qmemd.events import FileChanged
from qmemd.kinds import TaskKind, TaskStatus
from qmemd.messages import SessionOpened
from qmemd.streams import StreamWish
from qmemd.tasks import Dream, Task, TaskFailure, TaskRequest, to_json

NOW = datetime(2030, 1, 2, 3, 4, 5, 678_000, tzinfo=UTC)


@dataclass(frozen=True)
class FakePolled:
    kind: TaskKind
    client_id: str | None
    body: bytes
    ended: bool = False


class FakeChangeLog:
    """Knows one change set, of the client ``known``."""

    def __init__(self) -> None:
        self.pages: list[tuple[str | None, int, str | None]] = []

    def page(self, client_id: str | None, *, limit: int, cursor: str | None) -> dict[str, Any]:
        self.pages.append((client_id, limit, cursor))
        return {"changes": [], "nextCursor": "20300102T030405678Z.c1"}

    def has(self, change_set_id: str, client_id: str | None) -> bool:
        return self.detail(change_set_id, client_id) is not None

    def detail(self, change_set_id: str, client_id: str | None) -> dict[str, Any] | None:
        known = (change_set_id, client_id) == ("c1", "known")
        return {"changeSetId": "c1", "files": []} if known else None


class FakeCatalog:
    """Knows one entry, ``e1``."""

    def __init__(self) -> None:
        self.pages: list[tuple[EntryFilter, str | None, int, int]] = []

    def page(
        self, wanted: EntryFilter, client_id: str | None, *, limit: int, first: int
    ) -> dict[str, Any]:
        self.pages.append((wanted, client_id, limit, first))
        return {"entries": [], "total": 0}

    def detail(self, key: str, client_id: str | None) -> dict[str, Any] | None:
        return {"id": "e1", "seenBy": client_id} if key == "e1" else None


class FakeDoor:
    """Keeps what it was asked; everything that a test wants to differ is an attribute."""

    def __init__(self) -> None:
        self.stopping = False
        self.workspace = "/wörk"
        self.context_files = ContextFiles(
            Path("/nowhere/w"), Path("/nowhere/h"), Path("/nowhere/l")
        )
        self.change_log = FakeChangeLog()
        self.catalog = FakeCatalog()
        self.published: list[FileChanged] = []
        self.counted: list[tuple[str, int]] = []
        self.keys: list[str | None] = []
        self.cancelled: list[str] = []
        self.listed: list[tuple[object, ...]] = []
        self.clients = {"known", "other"}
        self.submitted: list[tuple[TaskRequest, str | None]] = []
        self.opened: list[tuple[str | None, str, str | None]] = []
        self.closed: list[tuple[str, str | None]] = []
        self.detached: list[tuple[str, str | None]] = []
        self.board: dict[str, FakePolled] = {}
        self.wishes: list[StreamWish] = []
        self.readers: list[FeedReader] = []
        self.waited: list[tuple[str, float]] = []
        self.waiting = threading.Semaphore(0)
        """Released once for each poll that has begun to wait."""
        self.may_go_on = threading.Event()
        """Ends all waiting, as the end of the task or of the daemon does."""
        self.refusal: Exception | None = None
        """Raised by whatever is asked next of it."""
        self.poll_threads: set[str] = set()
        self.submitting = threading.Event()
        self.may_submit = threading.Event()
        self.may_submit.set()
        self._numbers = itertools.count(1)

    def submit(
        self, request: TaskRequest, client_id: str | None, idempotency_key: str | None = None
    ) -> Task:
        self.keys.append(idempotency_key)
        self.submitting.set()
        assert self.may_submit.wait(10)
        if self.refusal:
            raise self.refusal
        self.submitted.append((request, client_id))
        task_id = f"{request.kind}-00000000-0000-4000-8000-{next(self._numbers):012}"
        task = Task.queued(task_id, request, client_id, NOW)
        self.board[task_id] = FakePolled(task.kind, client_id, to_json(task.to_wire()))
        return task

    def metrics(self) -> tuple[str, bytes]:
        if self.refusal:
            raise self.refusal
        return "text/plain; version=1.0.0; charset=utf-8", b"qmemd_uptime_seconds 1.0\n"

    def count_request(self, method: str, status: int) -> None:
        self.counted.append((method, status))

    def poll(self, task_id: str) -> FakePolled | None:
        self.poll_threads.add(threading.current_thread().name)
        if self.refusal:
            raise self.refusal
        return self.board.get(task_id)

    def knows_client(self, client_id: str) -> bool:
        return client_id in self.clients

    def open_session(
        self, cwd: str | None, *, thread: bool, client_id: str | None
    ) -> SessionOpened:
        self.opened.append((cwd, "thread" if thread else "single", client_id))
        if self.refusal:
            raise self.refusal
        return SessionOpened("s1", False, "known", "2030-01-02T03:04:05.678Z")

    def status(self) -> dict[str, Any]:
        return {"v": 1, "pid": 7}

    def publish(self, event: FileChanged) -> None:
        self.published.append(event)

    def wait(
        self, task_id: str, seconds: float, on_leave: Callable[[Callable[[], None]], object]
    ) -> None:
        self.waited.append((task_id, seconds))
        on_leave(self.may_go_on.set)
        self.waiting.release()
        assert self.may_go_on.wait(10)

    def subscribe(self, wish: StreamWish) -> FeedReader:
        self.wishes.append(wish)
        if self.refusal:
            raise self.refusal
        reader = FeedReader(
            stream_id=f"stream-{len(self.readers) + 1}",
            epoch="epoch-1",
            first=(),
            max_queued=wish.max_queued,
            clock=lambda: 0,
            on_close=lambda: None,
        )
        self.readers.append(reader)
        return reader

    def heartbeat(self, session_id: str, client_id: str | None) -> int:
        self._check(session_id, client_id)
        return 1893553445678

    def detach(self, session_id: str, client_id: str | None) -> None:
        self._check(session_id, client_id)
        self.detached.append((session_id, client_id))

    def cancel(self, task_id: str) -> Task:
        if self.refusal:
            raise self.refusal
        self.cancelled.append(task_id)
        return Task.queued(task_id, Dream(), None, NOW).finished(
            TaskFailure.of("task_cancelled"), NOW
        )

    def newest(
        self, client_id: str | None, kind: TaskKind | None, status: TaskStatus | None, limit: int
    ) -> list[bytes]:
        self.listed.append((client_id, kind, status, limit))
        return [b'{"taskId":"a"}', b'{"taskId":"b"}']

    def close_session(self, session_id: str, client_id: str | None) -> None:
        self._check(session_id, client_id)
        self.closed.append((session_id, client_id))

    def _check(self, session_id: str, client_id: str | None) -> None:
        if session_id != "s1":
            raise RequestError("session_not_found", extra={"sessionId": session_id})
        if client_id not in (None, "known"):
            raise RequestError("invalid_client_id", extra={"clientId": client_id})
