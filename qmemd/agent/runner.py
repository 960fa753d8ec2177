"""Runs one memory task from its order to its result."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from qmemd.agent.cancellation import Cancellation
from qmemd.agent.change import change
from qmemd.agent.dream import dream
from qmemd.agent.forget import forget
from qmemd.agent.models.base import Model
from qmemd.agent.params import InvalidParamsError, Order
from qmemd.agent.remember import remember
from qmemd.agent.run import Run
from qmemd.agent.workspace import WorkspaceMemory, locate
from qmemd.errors import MemoryFilesError, QmemdError, TaskFailedError
from qmemd.kinds import TaskKind
from qmemd.memory.history import History
from qmemd.memory.late_writes import LateWrites
from qmemd.memory.paths import MemoryPaths
from qmemd.memory.scan import Scanner
from qmemd.memory.secrets import SecretPolicy
from qmemd.tasks import Change, Forget, Remember

_log = logging.getLogger(__name__)

MAX_PLACES = 16
"""Histories that are known to have been swept."""
MAX_ATTEMPTS = 3
"""Runs of a task whose files others keep changing."""


@dataclass(frozen=True, slots=True)
class AgentSettings:
    """What the child was started with."""

    workspace: str
    """Absolute path."""
    bound: bool
    """The workspace was named: tasks for another one are refused. False: theirs counts."""
    task_limit: float
    """Seconds that a task may take."""
    secrets: SecretPolicy = SecretPolicy.REFUSE
    """What becomes of texts that hold one."""


class TaskRunner:
    """Owns the model and what is known of the files. One task at a time."""

    def __init__(
        self,
        settings: AgentSettings,
        environ: Mapping[str, str],
        *,
        make_model: Callable[[], Model],
        clock: Callable[[], datetime],
        monotonic: Callable[[], float],
        new_id: Callable[[], str],
    ) -> None:
        self._settings = settings
        self._environ = environ
        self._make_model = make_model
        self._clock = clock
        self._monotonic = monotonic
        self._new_id = new_id
        self._scanner = Scanner()
        self._late = LateWrites()
        self._histories: dict[Path, History] = {}
        """By their place; a child that is bound to no workspace may see several."""

    def warm_up(self) -> None:
        """Loads the model ahead of the first task; a failure is told by that task."""
        try:
            _ = self._model
        except Exception as error:  # noqa: BLE001 - the first task meets it again and reports it
            _log.warning("the model is not ready: %s", type(error).__name__)

    def available(self, order_cwd: str | None) -> bool:
        """Whether there is a place for managed memory."""
        try:
            self._locate(order_cwd)
        except TaskFailedError:
            return False
        return True

    def check_workspace(self, cwd: str | None) -> None:
        """Refuses an order for a workspace that this child was not started for.

        Raises:
            InvalidParamsError: it names another one.
        """
        if cwd is None or not self._settings.bound or cwd == self._settings.workspace:
            return
        if os.path.realpath(cwd) != os.path.realpath(self._settings.workspace):
            raise InvalidParamsError("`cwd` is not the workspace of this agent")

    def execute(self, order: Order, cancellation: Cancellation) -> dict[str, Any]:
        """The task's result on the wire.

        Raises:
            QmemdError: the task failed and changed nothing.
        """
        kind = order.request.kind
        deadline = self._monotonic() + self._settings.task_limit
        paths = self._locate(order.cwd)
        run = Run(
            task_id=order.task_id or f"{kind.value}-{self._new_id()}",
            kind=kind,
            client_id=order.client_id,
            workspace=str(paths.workspace),
            deadline=deadline,
            clock=self._monotonic,
            cancellation=cancellation,
        )
        memory = self._memory(paths)
        run.check()
        for _ in range(MAX_ATTEMPTS - 1):
            try:
                return run.usage.noted_in(self._attempt(order, run, memory))
            except (TaskFailedError, MemoryFilesError) as error:
                if error.code != "change_conflict" or kind is TaskKind.CHANGE:
                    raise
                _log.info("another program changed a file meanwhile; the run starts again")
                run.check()
        return run.usage.noted_in(self._attempt(order, run, memory))

    def close(self) -> None:
        """The end: a last look at what editors may still have written."""
        try:
            if self._late.noticed():
                self._memory(self._locate(None)).look_again()
        except (QmemdError, OSError) as error:
            _log.warning("what was written late is not kept: %s", type(error).__name__)
        finally:
            self._late.close()

    def _memory(self, paths: MemoryPaths) -> WorkspaceMemory:
        return WorkspaceMemory(
            paths,
            self._scanner,
            secrets=self._settings.secrets,
            clock=self._clock,
            new_id=self._new_id,
            late=self._late,
            history=self._history(paths.history),
        )

    def _history(self, place: Path) -> History:
        if len(self._histories) >= MAX_PLACES:
            self._histories.clear()
        return self._histories.setdefault(place, History(place))

    def _attempt(self, order: Order, run: Run, memory: WorkspaceMemory) -> dict[str, Any]:
        request = order.request
        if isinstance(request, Change):
            return change(request, run, memory)
        try:
            model = self._model
        except QmemdError as error:
            raise run.failed(error.message) from error
        if isinstance(request, Remember):
            return remember(request, run, model, memory, self._clock)
        if isinstance(request, Forget):
            return forget(request, run, model, memory)
        return dream(request, run, model, memory, self._clock)

    @cached_property
    def _model(self) -> Model:
        return self._make_model()

    def _locate(self, cwd: str | None) -> MemoryPaths:
        return locate(cwd or self._settings.workspace, self._environ)
