"""The task board: one writer, the lane; many readers, who never enter a mailbox."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

from qmemd.errors import RequestError
from qmemd.kinds import TaskKind
from qmemd.tasks import Task, to_json


@dataclass(frozen=True, slots=True)
class Posted:
    """One task as it is now."""

    task: Task
    body: bytes
    """The JSON of a poll, rendered once per change."""

    @property
    def kind(self) -> TaskKind:
        return self.task.kind

    @property
    def client_id(self) -> str | None:
        """Whose task it is; None means that only anonymous requests see it."""
        return self.task.client_id

    @property
    def ended(self) -> bool:
        """Whether it is terminal."""
        return self.task.status.terminal


class TaskBoard:
    """Immutable snapshots by task id, and futures for those who wait for an end.

    Futures are settled through ``complete``, each on a thread of its own: what a host hangs on
    its future runs there, may wait even for another future, and never holds the lane.
    """

    def __init__(self, complete: Callable[[Callable[[], None]], None]) -> None:
        self._posted: dict[str, Posted] = {}
        self._waiting: dict[str, list[Future[Task]]] = {}
        self._alarms: dict[str, set[threading.Event]] = {}
        self._lock = threading.Lock()
        self._complete = complete
        self._closed = False

    def post(self, task: Task) -> None:
        """The lane's: publishes a new snapshot."""
        posted = Posted(task, to_json(task.to_wire()))
        with self._lock:
            self._posted[task.task_id] = posted
            ended = task.status.terminal
            waiting = self._waiting.pop(task.task_id, ()) if ended else ()
            for alarm in self._alarms.get(task.task_id, ()) if ended else ():
                alarm.set()
        for future in waiting:
            self._complete(partial(future.set_result, task))

    def drop(self, task_ids: Iterable[str]) -> None:
        """The lane's: these records are not kept any more."""
        with self._lock:
            for task_id in task_ids:
                self._posted.pop(task_id, None)

    def get(self, task_id: str) -> Posted | None:
        """The present snapshot; a look-up in a dict, from any thread."""
        return self._posted.get(task_id)

    def newest(self, wanted: Callable[[Task], bool], limit: int) -> list[Posted]:
        """The newest ones first, at most ``limit``; from any thread."""
        with self._lock:
            newest_first = list(reversed(self._posted.values()))
        return list(itertools.islice((p for p in newest_first if wanted(p.task)), limit))

    def unfinished(self) -> list[str]:
        """Ids of the tasks that have not ended; from any thread."""
        with self._lock:
            return [key for key, posted in self._posted.items() if not posted.task.status.terminal]

    def watch(self, task_id: str) -> Future[Task]:
        """A future of the terminal snapshot. Raises KeyError for an unknown id."""
        future: Future[Task] = Future()
        future.set_running_or_notify_cancel()
        with self._lock:
            task = self._posted[task_id].task
            if task.status.terminal:
                future.set_result(task)
            elif self._closed:
                future.set_exception(RequestError("daemon_stopping"))
            else:
                self._waiting.setdefault(task_id, []).append(future)
        return future

    @contextmanager
    def alarm(self, task_id: str) -> Iterator[threading.Event]:
        """An event that is set once the task has ended, or the board is closed.

        It is set at once when there is nothing to wait for; others may set it too.
        """
        alarm = threading.Event()
        with self._lock:
            posted = self._posted.get(task_id)
            if posted is None or posted.ended or self._closed:
                alarm.set()
            else:
                self._alarms.setdefault(task_id, set()).add(alarm)
        try:
            yield alarm
        finally:
            with self._lock:
                alarms = self._alarms.get(task_id, set())
                alarms.discard(alarm)
                if not alarms:
                    self._alarms.pop(task_id, None)

    def close(self) -> None:
        """Fails the futures that are still open with ``daemon_stopping``."""
        with self._lock:
            self._closed = True
            waiting = [future for futures in self._waiting.values() for future in futures]
            self._waiting.clear()
            for alarms in self._alarms.values():
                for alarm in alarms:
                    alarm.set()
        for future in waiting:
            self._complete(partial(future.set_exception, RequestError("daemon_stopping")))
