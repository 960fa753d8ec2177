"""The facts of an import: each is a task of the daemon, one at a time."""

from __future__ import annotations

import time
from collections.abc import Callable
from http import HTTPStatus
from typing import Protocol

from qmemd.cli.context import is_missing
from qmemd.cli.interruption import Interruption, held_back
from qmemd.cli.running import cancel
from qmemd.client import ClientError, RequestRefusedError, TaskHandle
from qmemd.kinds import Scope
from qmemd.porting.remembering import NotRememberedError, Remembered
from qmemd.results import RememberResult
from qmemd.tasks import Task

SHORTEST_PAUSE = 1.0
"""Seconds before a daemon is asked again that has no room for a task."""


class Rememberer(Protocol):
    """What is needed of a client."""

    def remember(self, text: str, *, scope: Scope | None = None) -> TaskHandle: ...


class Filing:
    """Remembers facts. ``connect`` is called when the first one comes."""

    def __init__(
        self,
        connect: Callable[[], Rememberer],
        interruption: Interruption,
        *,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._connect = connect
        self._interruption = interruption
        self._sleep = sleep
        self._client: Rememberer | None = None
        self.daemon_missing = False
        """Whether there was a fact, and no daemon to ask."""

    def remember(self, text: str, scope: Scope | None) -> Remembered:
        """Returns when the task has ended.

        Raises:
            NotRememberedError: it was not stored.
        """
        accepted: list[TaskHandle] = []
        try:
            with self._interruption.waiting():
                self._post(text, scope, accepted)
                task = accepted[0].wait()
        except KeyboardInterrupt:
            if not accepted:
                raise NotRememberedError("It was interrupted.", others_too=True) from None
            task = cancel(accepted[0])
        except ClientError as error:
            self.daemon_missing = is_missing(error)
            raise NotRememberedError(error.message, others_too=self.daemon_missing) from error
        return _outcome(task)

    def _post(self, text: str, scope: Scope | None, accepted: list[TaskHandle]) -> None:
        """Adds the task once it is accepted, however long others keep the queue full."""
        if self._client is None:
            self._client = self._connect()
        while not accepted:
            try:
                with held_back():
                    accepted.append(self._client.remember(text, scope=scope))
            except RequestRefusedError as refusal:
                if refusal.status != HTTPStatus.TOO_MANY_REQUESTS:
                    raise
                self._sleep(max(refusal.retry_after, SHORTEST_PAUSE))


def _outcome(task: Task) -> Remembered:
    if isinstance(task.result, RememberResult):
        return Remembered(task.result.summary, task.result.change_set_id)
    if task.error is None:
        raise NotRememberedError("It was interrupted, and may be stored yet.")
    raise NotRememberedError(task.error.details or task.error.message)
