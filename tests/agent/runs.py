"""A run of no particular task, for what needs one."""

from __future__ import annotations

import time
from collections.abc import Callable

from qmemd.agent.run import Run
from qmemd.kinds import TaskKind


def make_run(
    kind: TaskKind = TaskKind.REMEMBER,
    *,
    seconds: float = 60.0,
    clock: Callable[[], float] = time.monotonic,
) -> Run:
    return Run("task-1", kind, None, "/w", deadline=clock() + seconds, clock=clock)
