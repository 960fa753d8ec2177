"""The lane without its actor: which task runs, who waits for admission, what follows an end.

Serial execution follows from this state (one claim in flight), not from blocking, so that polls,
new tasks and cancels stay fast while an agent works for minutes.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Collection
from concurrent.futures import Future
from datetime import datetime, timedelta
from typing import Any

from qmemd.actors.board import TaskBoard
from qmemd.actors.endings import Endings
from qmemd.actors.guarded import answer, refuse
from qmemd.actors.news import Publish, TaskNews
from qmemd.errors import RequestError
from qmemd.journal import Capacity, Claim, IdempotencyKey, Journal, fingerprint
from qmemd.logs.fields import fields, task_fields
from qmemd.messages import (
    Availability,
    Cancel,
    CancelTask,
    Enqueue,
    RefreshAvailability,
    RunTask,
    TaskFinished,
)
from qmemd.results import TaskResult
from qmemd.tasks import (
    MAX_PENDING,
    Task,
    TaskFailure,
    TaskRequest,
    to_json,
)

log = logging.getLogger(__name__)

MAX_HELD = MAX_PENDING
"""Requests that may wait for the child's answer to the availability question."""
MAX_ATTEMPTS = 3
"""Runs of one task that ended with their daemon, before it fails ``daemon_restarted``: it is
run again twice."""


class LaneState:
    """Takes tasks in, runs them one at a time, first in first out over all kinds.

    ``tell_bridge`` gets ``RunTask`` and ``RefreshAvailability``; ``publish`` gets what changed.
    Neither may wait. ``on_erased`` is told of texts that the journal does not hold any more.
    """

    def __init__(
        self,
        *,
        workspace: str,
        holder: str,
        journal: Journal,
        board: TaskBoard,
        tell_bridge: Callable[[Any], None],
        publish: Publish,
        clock: Callable[[], datetime],
        new_id: Callable[[], str],
        lease: timedelta,
        capacity: Capacity | None = None,
        on_erased: Callable[[tuple[str, ...]], object] = lambda _: None,
    ) -> None:
        self._workspace = workspace
        self._holder = holder
        self._journal = journal
        self._board = board
        self._tell_bridge = tell_bridge
        self._clock = clock
        self._new_id = new_id
        self._lease = lease
        self._capacity = capacity or Capacity()
        self._availability = Availability.NO_CHILD
        self._held: deque[Enqueue] = deque()
        self._in_flight: Claim | None = None
        self._draining: list[Future[None]] | None = None
        """None while the lane works; else those who wait until nothing is in flight."""
        self._abandoned = False
        self.on_stuck: Callable[[], object] = lambda: None
        """Called when the journal did not do what it was asked: to be followed by ``advance``."""
        self._news = TaskNews(board, publish)
        self._endings = Endings(
            workspace,
            journal,
            board,
            self._news,
            clock=clock,
            on_stuck=self._stuck,
            on_erased=on_erased,
        )

    def recover(
        self, applied: Callable[[str], TaskResult | None], to_erase: Collection[str] = ()
    ) -> None:
        """Takes over what an earlier holder left: called once, before ``advance``.

        ``applied`` says by task id what the history knows: a task whose change set was applied
        completes from there; one that ran too often fails. ``to_erase`` are texts that an earlier
        holder had not got rid of.
        """
        self._endings.erase_soon(to_erase)
        for task in self._journal.recover(self._workspace):
            if task.status.terminal:
                self._board.post(task)  # old news
            elif (result := applied(task.task_id)) is not None:
                self._endings.end(task.task_id, result, None)
            elif task.request is None:  # its text was never kept
                self._endings.end(task.task_id, TaskFailure.of("secret_detected"), None)
            elif task.attempts >= MAX_ATTEMPTS:
                self._endings.end(task.task_id, TaskFailure.of("daemon_restarted"), None)
            else:
                self._board.post(task)  # it was accepted before, and now it is queued again
                self._news.post(task)

    def enqueue(self, message: Enqueue) -> None:
        """Answers ``message.reply`` now, or once the child has said whether it can."""
        if self._draining is not None:
            raise RequestError("daemon_stopping")
        if self._availability is Availability.ASKING:
            if len(self._held) >= MAX_HELD:
                raise RequestError("remember_queue_full")
            self._held.append(message)
            return
        if self._availability in (Availability.FAILED, Availability.UNAVAILABLE):
            self._tell_bridge(RefreshAvailability())  # it may have been mended meanwhile
            failed = self._availability is Availability.FAILED
            raise RequestError(
                f"{message.request.kind}_failed" if failed else "managed_memory_unavailable"
            )
        self._accept(message)

    def cancel(self, message: Cancel) -> None:
        """Ends a queued task at once; a running one is the bridge's to end.

        Raises:
            RequestError: ``task_finished``, or that the record is gone by now.
        """
        task = self._journal.get(message.task_id)
        if task is None:
            raise RequestError(f"{message.task_id.partition('-')[0]}_task_not_found")
        posted = self._board.get(message.task_id)  # it knows of ends that the journal does not yet
        if task.status.terminal or (posted is not None and posted.ended):
            raise RequestError("task_finished")
        if self._in_flight is not None and self._in_flight.task.task_id == task.task_id:
            self._tell_bridge(CancelTask(task.task_id))
        else:
            task = self._endings.end(task.task_id, TaskFailure.of("task_cancelled"), None)
        answer(message.reply, task)

    def take_held(self, availability: Availability) -> tuple[Enqueue, ...]:
        """The bridge knows more: returns what waited for it, to be enqueued again."""
        self._availability = availability
        if availability is Availability.ASKING:
            return ()
        held = tuple(self._held)
        self._held.clear()
        return held

    def finished(self, message: TaskFinished) -> None:
        """A run ended; a late or repeated word about another task is ignored."""
        claim = self._in_flight
        if claim is None or claim.task.task_id != message.task_id:
            log.info(
                "ignored the end of %s, which is not in flight",
                message.task_id,
                extra=fields(message.task_id),
            )
            return
        self._in_flight = None
        if self._abandoned and isinstance(message.outcome, TaskFailure):
            self._news.post(self._journal.release(claim))
        else:
            self._endings.end_or_owe(message.outcome, claim)
        self.advance()

    def fail_in_flight(self) -> None:
        """Something of ours broke while handling the running task: nobody may wait for ever."""
        claim, self._in_flight = self._in_flight, None
        if claim is not None:
            failure = TaskFailure.of(f"{claim.task.kind}_failed", "the daemon failed; see its log")
            self._endings.end_or_owe(failure, claim)
        self.advance()

    def drain(self, reply: Future[None]) -> None:
        """Starts nothing more; answers when nothing is in flight."""
        self._draining = self._draining or []
        self._draining.append(reply)
        for held in self.take_held(Availability.NO_CHILD):
            refuse(held.reply, RequestError("daemon_stopping"))
        self.advance()

    def abandon(self) -> None:
        """The run in flight is about to lose its child: unless applied, it is queued again."""
        self._abandoned = True

    def _stuck(self) -> None:
        self.on_stuck()  # which is set once there is an actor

    def _accept(self, message: Enqueue) -> None:
        if message.reply.cancelled() or not message.reply.set_running_or_notify_cancel():
            return  # whoever asked has gone; accepting now would surprise
        request = message.request
        task_id = f"{request.kind}-{self._new_id()}"
        task = Task.queued(task_id, request, message.client_id, self._clock())
        if message.secret:
            task = task.without_text()
        accepted = self._journal.accept(
            self._workspace, task, self._capacity, _key(self._workspace, message)
        )
        self._board.drop(accepted.evicted)
        if not accepted.replayed:
            self._news.post(accepted.task)
        answer(message.reply, accepted.task)
        if message.secret and not accepted.replayed:
            try:
                self._endings.end(task_id, TaskFailure.of("secret_detected", message.secret), None)
            except Exception:  # it ends so all the same, once it is its turn
                log.exception("the journal does not take the end of %s", task_id)
        self.advance()

    def advance(self) -> None:
        """Runs the next task, if nothing is in flight."""
        if self._in_flight is not None:
            return
        if self._draining is not None:
            for reply in self._draining:
                answer(reply, None)
            return
        if not self._endings.pay():
            self.on_stuck()
            return
        self._endings.erase()
        try:
            claim = self._journal.claim(self._workspace, self._holder, self._lease)
        except Exception:
            log.exception("the journal gives no task to run")
            self.on_stuck()
            return
        if claim is None:
            return
        if claim.task.request is None:  # its text was never kept
            self._endings.end_or_owe(TaskFailure.of("secret_detected"), claim)
            self.advance()
            return
        self._in_flight = claim
        try:
            task = self._journal.start(claim)
            self._news.post(task)
            self._tell_bridge(RunTask(task, self._workspace))
        except Exception:
            task_id, extra = claim.task.task_id, task_fields(claim.task)
            log.exception("%s could not be started", task_id, extra=extra)
            self.fail_in_flight()


def _key(workspace: str, message: Enqueue) -> IdempotencyKey | None:
    if message.idempotency_key is None:
        return None
    request: TaskRequest = message.request
    return IdempotencyKey(
        key=to_json([workspace, message.client_id, request.kind, message.idempotency_key]).decode(),
        fingerprint=fingerprint(request.to_wire()),
    )
