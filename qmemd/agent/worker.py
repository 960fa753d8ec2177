"""The one thread that works on memory tasks, one after the other."""

from __future__ import annotations

import contextlib
import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from qmemd.acp.messages import TASK_BEGUN, CallId, Message, Notification, Response
from qmemd.agent.answers import answer_failure
from qmemd.agent.cancellation import Cancellation
from qmemd.agent.params import Order
from qmemd.agent.runner import TaskRunner

MAX_WAITING = 64
"""Tasks that wait here; the daemon sends one at a time."""


@dataclass(frozen=True, slots=True)
class Job:
    """A task on its way through the worker."""

    call_id: CallId
    order: Order
    cancellation: Cancellation = field(default_factory=Cancellation)


class Worker:
    """Runs jobs in their order and answers each exactly once."""

    def __init__(self, runner: TaskRunner, send: Callable[[Message], object]) -> None:
        self._runner = runner
        self._send = send
        self._waiting: queue.Queue[Job | None] = queue.Queue(MAX_WAITING)
        self._jobs: dict[CallId, Job] = {}
        self._lock = threading.Lock()
        self._stopping = False
        self._thread = threading.Thread(target=self._work, name="memory-tasks", daemon=True)

    def start(self) -> None:
        """Starts the thread, which loads the model first."""
        self._thread.start()

    def submit(self, job: Job) -> bool:
        """Queues a job; False when too many wait, or its call id is in use."""
        with self._lock:
            if self._stopping or job.call_id in self._jobs:
                return False
            try:
                self._waiting.put_nowait(job)
            except queue.Full:
                return False
            self._jobs[job.call_id] = job
            return True

    def cancel(self, call_id: CallId) -> None:
        """Asks the job of this call to stop; it answers as cancelled, or done if it was faster."""
        with self._lock:
            job = self._jobs.get(call_id)
        if job is not None:
            job.cancellation.request()

    def stop(self, timeout: float) -> bool:
        """Cancels everything and waits for the thread; False when it did not end in time."""
        with self._lock:
            self._stopping = True
            jobs = list(self._jobs.values())
        for job in jobs:
            job.cancellation.request()
        with contextlib.suppress(queue.Full):  # then the thread looks at `_stopping` by itself
            self._waiting.put_nowait(None)
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def _work(self) -> None:
        self._runner.warm_up()
        while not self._stopping or not self._waiting.empty():
            job = self._waiting.get()
            if job is None:
                return
            self._send(Notification(TASK_BEGUN, {"requestId": job.call_id}))
            answer = self._answer(job)
            with self._lock:
                self._jobs.pop(job.call_id, None)
            self._send(answer)

    def _answer(self, job: Job) -> Response:
        try:
            return Response(job.call_id, self._runner.execute(job.order, job.cancellation))
        except BaseException as error:  # noqa: BLE001 - whatever happens ends this task, not the lane
            return answer_failure(job.call_id, job.order.request.kind, error)
