"""The lane without its actor: which task runs, who waits for admission, what follows an end.

Serial execution follows from this state (one claim in flight), not from blocking, so that polls,
new tasks and cancels stay fast while an agent works for minutes.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Collection
from concurrent.futures import Future
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from qmemd.actors.board import TaskBoard
from qmemd.actors.guarded import answer, refuse
from qmemd.actors.task_updates import log_update, update_of
from qmemd.errors import RequestError
from qmemd.events import MemoryChanged, TaskUpdated
from qmemd.journal import Capacity, Claim, ClaimLostError, IdempotencyKey, Journal, fingerprint
from qmemd.kinds import TaskStatus
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
from qmemd.results import ForgetResult, TaskResult
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
        publish: Callable[[MemoryChanged | TaskUpdated], None],
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
        self._publish = publish
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
        self._owed: list[tuple[Claim, TaskResult | TaskFailure]] = []
        """Ends that the journal has not taken yet; at most one, since nothing is claimed then."""
        self.on_stuck: Callable[[], object] = lambda: None
        """Called when the journal did not do what it was asked: to be followed by ``advance``."""
        self._on_erased = on_erased
        self._to_erase: dict[str, None] = {}
        """Texts that the journal has not been rid of yet."""

    def recover(
        self, applied: Callable[[str], TaskResult | None], to_erase: Collection[str] = ()
    ) -> None:
        """Takes over what an earlier holder left: called once, before ``advance``.

        ``applied`` says by task id what the history knows: a task whose change set was applied
        completes from there; one that ran too often fails. ``to_erase`` are texts that an earlier
        holder had not got rid of.
        """
        self._to_erase.update(dict.fromkeys(to_erase))
        for task in self._journal.recover(self._workspace):
            if task.status.terminal:
                self._board.post(task)  # old news
            elif (result := applied(task.task_id)) is not None:
                self._end(task.task_id, result, None)
            elif task.request is None:  # its text was never kept
                self._end(task.task_id, TaskFailure.of("secret_detected"), None)
            elif task.attempts >= MAX_ATTEMPTS:
                self._end(task.task_id, TaskFailure.of("daemon_restarted"), None)
            else:
                self._board.post(task)  # it was accepted before, and now it is queued again
                self._post(task)

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
            task = self._end(task.task_id, TaskFailure.of("task_cancelled"), None)
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
            self._post(self._journal.release(claim))
        else:
            self._end_or_owe(message.outcome, claim)
        self.advance()

    def fail_in_flight(self) -> None:
        """Something of ours broke while handling the running task: nobody may wait for ever."""
        claim, self._in_flight = self._in_flight, None
        if claim is not None:
            failure = TaskFailure.of(f"{claim.task.kind}_failed", "the daemon failed; see its log")
            self._end_or_owe(failure, claim)
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
            self._post(accepted.task)
        answer(message.reply, accepted.task)
        if message.secret and not accepted.replayed:
            try:
                self._end(task_id, TaskFailure.of("secret_detected", message.secret), None)
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
        if not self._pay():
            self.on_stuck()
            return
        self._erase()
        try:
            claim = self._journal.claim(self._workspace, self._holder, self._lease)
        except Exception:
            log.exception("the journal gives no task to run")
            self.on_stuck()
            return
        if claim is None:
            return
        if claim.task.request is None:  # its text was never kept
            self._end_or_owe(TaskFailure.of("secret_detected"), claim)
            self.advance()
            return
        self._in_flight = claim
        try:
            task = self._journal.start(claim)
            self._post(task)
            self._tell_bridge(RunTask(task, self._workspace))
        except Exception:
            task_id, extra = claim.task.task_id, task_fields(claim.task)
            log.exception("%s could not be started", task_id, extra=extra)
            self.fail_in_flight()

    def _end_or_owe(self, outcome: TaskResult | TaskFailure, claim: Claim) -> None:
        """Ends a task. If the journal does not take it now, those who poll are told all the same.

        Its claim would keep the lane shut until the lease ends, so the journal is asked again
        before the next task is claimed.
        """
        task_id, extra = claim.task.task_id, task_fields(claim.task)
        try:
            self._end(task_id, outcome, claim)
        except Exception:
            log.exception("the journal does not take the end of %s", task_id, extra=extra)
            self._owed.append((claim, outcome))
            posted = self._board.get(claim.task.task_id)
            task = claim.task if posted is None else posted.task
            self._tell_end(task.finished(outcome, self._clock()))

    def _pay(self) -> bool:
        """Whether the journal knows by now of every end."""
        while self._owed:
            claim, outcome = self._owed[0]
            task_id, extra = claim.task.task_id, task_fields(claim.task)
            try:
                self._finish(task_id, outcome, claim)
            except (ClaimLostError, KeyError, ValueError):
                log.warning("the journal knows another end of %s", task_id, extra=extra)
            except Exception:
                log.exception("the journal still does not take the end of %s", task_id, extra=extra)
                return False
            del self._owed[0]
        return True

    def _end(self, task_id: str, outcome: TaskResult | TaskFailure, claim: Claim | None) -> Task:
        task = self._finish(task_id, outcome, claim)
        self._tell_end(task)
        return task

    def _finish(self, task_id: str, outcome: TaskResult | TaskFailure, claim: Claim | None) -> Task:
        if isinstance(outcome, ForgetResult) and outcome.erased_texts:
            self._to_erase.update(dict.fromkeys(outcome.erased_texts))
            outcome = replace(outcome, erased_texts=())
        task = self._journal.finish(task_id, outcome, claim)
        self._erase()
        return task

    def _erase(self) -> None:
        """Takes texts out of everything that is kept of earlier tasks; tried again if it fails."""
        if not self._to_erase:
            return
        texts = tuple(self._to_erase)
        try:
            self._journal.erase(texts)
        except Exception:
            log.exception("what was to be erased may still stand in the journal")
            self.on_stuck()
            return
        self._to_erase.clear()
        self._on_erased(texts)  # first: what is posted as completed has left nothing behind
        # All, since an earlier attempt may have cleaned some of them already.
        for task in reversed(self._journal.list(self._workspace)):
            if task.status.terminal:
                self._board.post(task)

    def _tell_end(self, task: Task) -> None:
        self._post(task)
        if (
            task.status is TaskStatus.COMPLETED
            and task.result is not None
            and _changed(task.result)
        ):
            self._tell_listeners(
                MemoryChanged(
                    source=f"workspace_memory_{task.kind}",
                    task_id=task.task_id,
                    touched_scopes=task.result.touched_scopes,
                    originator=task.client_id,
                )
            )

    def _post(self, task: Task) -> None:
        """The task has another state now: the board shows it; listeners and the log are told."""
        posted = self._board.get(task.task_id)
        update = update_of(posted.task if posted else None, task)
        self._board.post(task)
        log_update(update)
        self._tell_listeners(update)

    def _tell_listeners(self, event: MemoryChanged | TaskUpdated) -> None:
        try:
            self._publish(event)
        except Exception:  # no listener's trouble is a task's
            extra = fields(event.task_id, client_id=event.originator)
            log.exception("could not publish %s of %s", event.type, event.task_id, extra=extra)


def _changed(result: TaskResult) -> bool:
    """Whether documents really changed: an index alone touches no scope."""
    return bool(result.touched_scopes)


def _key(workspace: str, message: Enqueue) -> IdempotencyKey | None:
    if message.idempotency_key is None:
        return None
    request: TaskRequest = message.request
    return IdempotencyKey(
        key=to_json([workspace, message.client_id, request.kind, message.idempotency_key]).decode(),
        fingerprint=fingerprint(request.to_wire()),
    )
