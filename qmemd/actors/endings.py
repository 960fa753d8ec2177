"""The end of a task: in the journal before it is told, or owed to it; what is erased with it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection
from dataclasses import replace
from datetime import datetime

from qmemd.actors.board import TaskBoard
from qmemd.actors.news import TaskNews
from qmemd.journal import Claim, ClaimLostError, Journal
from qmemd.logs.fields import task_fields
from qmemd.results import ForgetResult, TaskResult
from qmemd.tasks import Task, TaskFailure

log = logging.getLogger(__name__)

Outcome = TaskResult | TaskFailure


class Endings:
    """Ends the tasks of one workspace, whatever the journal says to it.

    ``on_stuck`` is called when the journal did not do what it was asked, which is then to be
    asked again; ``on_erased`` is told of texts that the journal does not hold any more.
    """

    def __init__(
        self,
        workspace: str,
        journal: Journal,
        board: TaskBoard,
        news: TaskNews,
        *,
        clock: Callable[[], datetime],
        on_stuck: Callable[[], object],
        on_erased: Callable[[tuple[str, ...]], object],
    ) -> None:
        self._workspace = workspace
        self._journal = journal
        self._board = board
        self._news = news
        self._clock = clock
        self._on_stuck = on_stuck
        self._on_erased = on_erased
        self._owed: list[tuple[Claim, Outcome]] = []
        """Ends that the journal has not taken yet; at most one, since nothing is claimed then."""
        self._to_erase: dict[str, None] = {}
        """Texts that the journal has not been rid of yet."""

    def end(self, task_id: str, outcome: Outcome, claim: Claim | None) -> Task:
        """Ends a task. Raises what the journal raises."""
        task = self._finish(task_id, outcome, claim)
        self._news.ended(task)
        return task

    def end_or_owe(self, outcome: Outcome, claim: Claim) -> None:
        """Ends a task. If the journal does not take it now, those who poll are told all the same.

        Its claim would keep the lane shut until the lease ends, so the journal is asked again
        before the next task is claimed.
        """
        task_id, extra = claim.task.task_id, task_fields(claim.task)
        try:
            self.end(task_id, outcome, claim)
        except Exception:
            log.exception("the journal does not take the end of %s", task_id, extra=extra)
            self._owed.append((claim, outcome))
            posted = self._board.get(task_id)
            task = claim.task if posted is None else posted.task
            self._news.ended(task.finished(outcome, self._clock()))

    def pay(self) -> bool:
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

    def erase_soon(self, texts: Collection[str]) -> None:
        """Texts for the next ``erase``."""
        self._to_erase.update(dict.fromkeys(texts))

    def erase(self) -> None:
        """Takes them out of all that is kept of earlier tasks; tried again if it fails."""
        if not self._to_erase:
            return
        gone = tuple(self._to_erase)
        try:
            self._journal.erase(gone)
        except Exception:
            log.exception("what was to be erased may still stand in the journal")
            self._on_stuck()
            return
        self._to_erase.clear()
        self._on_erased(gone)  # first: what is posted as completed has left nothing behind
        # All, since an earlier attempt may have cleaned some of them already.
        for task in reversed(self._journal.list(self._workspace)):
            if task.status.terminal:
                self._board.post(task)

    def _finish(self, task_id: str, outcome: Outcome, claim: Claim | None) -> Task:
        if isinstance(outcome, ForgetResult) and outcome.erased_texts:
            self.erase_soon(outcome.erased_texts)  # also when the journal refuses the end
            outcome = replace(outcome, erased_texts=())
        task = self._journal.finish(task_id, outcome, claim)
        self.erase()
        return task
