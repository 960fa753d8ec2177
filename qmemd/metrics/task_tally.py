"""What became of the tasks since the daemon started, counted from their updates."""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import dataclass

from qmemd.events import TaskUpdated
from qmemd.kinds import TaskKind, TaskStatus
from qmemd.metrics.histogram import Histogram

COMPLETED = TaskStatus.COMPLETED.value
"""The outcome of a task that did not fail; else it is the code."""


@dataclass(frozen=True, slots=True)
class Durations:
    """A histogram as it is at one moment."""

    kind: str
    buckets: list[tuple[str, int]]
    seconds: float
    """In all."""


@dataclass(frozen=True, slots=True)
class TaskNumbers:
    """The tally at one moment."""

    ended: dict[tuple[str, str], int]
    """By kind and outcome."""
    queued: list[Durations]
    """How long tasks waited that began to run."""
    ran: list[Durations]
    """How long runs took."""
    model_calls: int
    input_tokens: int
    output_tokens: int


class TaskTally:
    """Fed on one thread, read from any. Bounded by the kinds and the codes that there are."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        # Begun at zero, so that the first of a kind is seen as an increase.
        self._ended = Counter({(kind.value, COMPLETED): 0 for kind in TaskKind})
        self._queued = {kind: Histogram() for kind in TaskKind}
        self._ran = {kind: Histogram() for kind in TaskKind}
        self._used: Counter[str] = Counter()

    def heard(self, update: TaskUpdated) -> None:
        """A task has made a step. Never waits for anything but another glance at the numbers."""
        with self._lock:
            if update.status.terminal:
                self._end(update)
            elif update.status is TaskStatus.RUNNING and update.seconds is not None:
                self._queued[update.kind].observe(update.seconds)

    def numbers(self) -> TaskNumbers:
        """All of it, from one moment."""
        with self._lock:
            return TaskNumbers(
                ended=dict(self._ended),
                queued=[_durations(kind, each) for kind, each in self._queued.items()],
                ran=[_durations(kind, each) for kind, each in self._ran.items()],
                model_calls=self._used["calls"],
                input_tokens=self._used["input"],
                output_tokens=self._used["output"],
            )

    def _end(self, update: TaskUpdated) -> None:
        self._ended[update.kind.value, update.code or COMPLETED] += 1
        if update.before is TaskStatus.RUNNING and update.seconds is not None:
            self._ran[update.kind].observe(update.seconds)
        if (usage := update.usage) is not None:
            self._used["calls"] += usage.model_calls
            self._used["input"] += usage.input_tokens
            self._used["output"] += usage.output_tokens


def _durations(kind: TaskKind, histogram: Histogram) -> Durations:
    return Durations(kind.value, histogram.cumulative(), histogram.sum)
