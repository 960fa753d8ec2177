"""One child from its start to its known exit.

A generation owns its process, its open calls and the thread that waits for the exit, and touches
nothing of another one. What happens is told; nobody here waits for the actor.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Any

from qmemd._version import __version__
from qmemd.acp.connection import Call, PendingCalls, notification
from qmemd.acp.framing import encode
from qmemd.acp.messages import (
    CHANGES,
    INITIALIZE,
    TASK_BEGUN,
    TELLS_BEGUN,
    Message,
    Request,
    Response,
    initialize_params,
    method_not_found,
)
from qmemd.acp.process import ChildProcess, ExitInfo, SpawnConfig
from qmemd.actors.child_events import (
    ChildExited,
    ReplyArrived,
)
from qmemd.actors.child_log import ChildLog
from qmemd.errors import MemoryFilesError
from qmemd.logs.fields import task_fields
from qmemd.results import TaskResult
from qmemd.tasks import Task

log = logging.getLogger(__name__)

Settle = Callable[[Task], TaskResult | None]
"""Settles what the child left of an unanswered task; its result if that was applied."""

SETTLE_PATIENCE = 120.0
"""Seconds for which settling is tried again, while the locks are held or the disk refuses."""
SETTLE_PAUSE = 0.5
"""Seconds between two tries, on top of the locks' own waiting."""


class Generation:
    """Starts a child in the background and tells ``ReplyArrived`` and, last, ``ChildExited``."""

    def __init__(
        self,
        number: int,
        spawn: SpawnConfig,
        *,
        settle: Settle,
        tell: Callable[[ReplyArrived | ChildExited], None],
        settle_pause: float = SETTLE_PAUSE,
    ) -> None:
        self.number = number
        self._settle = settle
        self._tell = tell
        self._log = ChildLog(time.monotonic, self._log_fields)
        self._process = ChildProcess(spawn, self._received, self._log.feed)
        self._lock = threading.Lock()
        """Guards the calls, so that an answer is either taken or dropped, never both."""
        self._calls = PendingCalls()
        self._task: tuple[Task, Call] | None = None
        """The one that was sent and is not answered, given up or not."""
        self._tells_begun = False
        self.makes_changes = False
        """Whether it said that it previews, applies, reverts and erases."""
        self._begun = True
        self._over = False
        self._settle_pause = settle_pause
        self._stopping = threading.Event()
        """Set once nobody wants to know any more how a task ended."""
        self._unwanted = threading.Event()
        """Set once the child is to end, also while it is only about to be started."""

    @property
    def pid(self) -> int | None:
        return self._process.pid

    @property
    def stderr_tail_bytes(self) -> int:
        return self._process.stderr_tail_bytes

    def start(self, delay: float) -> None:
        """Starts the child ``delay`` seconds from now; returns at once."""
        threading.Thread(
            target=self._live, args=(delay,), name=f"qmemd-child-{self.number}", daemon=True
        ).start()

    def call(self, method: str, params: Any, task: Task | None = None) -> Call | None:
        """Sends a request. None when the child cannot be reached, and so never got it."""
        with self._lock:
            if self._over:
                return None
            call, line = self._calls.start(method, params)
            if not self._process.send(line):
                self._calls.abandon(call)
                return None
            if task is not None:
                self._task = (task, call)
                self._begun = not self._tells_begun
            return call

    def notify(self, method: str, params: Any) -> None:
        """Sends a message that wants no answer."""
        self._process.send(notification(method, params))

    def give_up(self, call: Call) -> bool:
        """Drops the answer if it still comes. False when it came: it is on its way as a message.

        A task of this call still counts as unanswered.
        """
        with self._lock:
            return self._calls.abandon(call)

    def stop(self, grace: float) -> None:
        """Ends the child in stages of ``grace`` seconds; returns at once."""
        self._stopping.set()
        self._unwanted.set()
        self._process.stop(grace)

    def kill(self) -> None:
        """Kills the child and its process group."""
        self._unwanted.set()
        self._process.kill()

    def _live(self, delay: float) -> None:
        exit_info = ExitInfo(None, "", "stopped before its start")
        try:
            if not self._unwanted.wait(delay):
                exit_info = self._run()
        except Exception as error:
            log.exception("child %d could not be supervised", self.number)
            exit_info = ExitInfo(None, "", type(error).__name__)
        finally:
            self._end(exit_info)

    def _run(self) -> ExitInfo:
        try:
            self._process.spawn()
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else None
            return ExitInfo(None, "", reason or type(error).__name__)
        if self._unwanted.is_set():  # it may have come too early to find a process
            self._process.kill()
        self.call(INITIALIZE, initialize_params(__version__))
        return self._process.wait()

    def _received(self, message: Message) -> None:
        if isinstance(message, Request):
            self._process.send(encode(method_not_found(message.id, message.method)))
        elif isinstance(message, Response):
            with self._lock:
                call = self._calls.resolve(message)
                if call is None:
                    return
                if self._task is not None and self._task[1] == call:
                    self._task = None
                if call.method == INITIALIZE:
                    self._tells_begun = _says(message.result, TELLS_BEGUN)
                    self.makes_changes = _says(message.result, CHANGES)
            self._tell(ReplyArrived(self.number, call, message))

        elif message.method == TASK_BEGUN:
            begun = message.params.get("requestId") if isinstance(message.params, dict) else None
            with self._lock:
                if self._task is not None and self._task[1].id == begun:
                    self._begun = True

    def _log_fields(self) -> dict[str, Any]:
        """Which task the child is at, as far as is known."""
        with self._lock:
            return task_fields(self._task[0]) if self._task else {}

    def _end(self, exit_info: ExitInfo) -> None:
        with self._lock:
            self._over = True
            self._calls.fail_all()
            task = self._task[0] if self._task else None
        settled = None if task is None else self._settled(task)
        self._tell(ChildExited(self.number, exit_info, settled, self._begun))

    def _settled(self, task: Task) -> TaskResult | None:
        """What the child did of it. Others may hold the locks for a while.

        To say that it failed before that is known would be wrong if it was committed.
        """
        extra = task_fields(task)
        deadline = time.monotonic() + SETTLE_PATIENCE
        while True:
            try:
                return self._settle(task)
            except (OSError, MemoryFilesError) as error:
                log.warning("what %s left is not settled yet: %s", task.task_id, error, extra=extra)
                if self._stopping.wait(self._settle_pause) or time.monotonic() > deadline:
                    return None
            except BaseException:
                log.exception("what %s left could not be settled", task.task_id, extra=extra)
                return None


def _says(result: Any, key: str) -> bool:
    meta = result.get("_meta") if isinstance(result, dict) else None
    return isinstance(meta, dict) and meta.get(key) is True
