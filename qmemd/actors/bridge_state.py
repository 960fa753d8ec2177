"""The bridge without its actor: the task that it runs, and when its child is wanted.

Each message changes the state; `advance` then does what the new state asks for: start a child,
send the task that waits, watch an idle child.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import Future

from qmemd.actors.bridge_limits import BridgeLimits
from qmemd.actors.bridge_run import Run
from qmemd.actors.child_events import (
    Alarm,
    ChildExited,
    ReplyArrived,
    TimerTick,
)
from qmemd.actors.child_keeper import Child, ChildKeeper
from qmemd.actors.guarded import answer
from qmemd.actors.outcomes import crash_of, outcome_of
from qmemd.actors.timers import Timers
from qmemd.messages import (
    ChildPhase,
    ChildState,
    RunTask,
    StopChild,
    TaskFinished,
)
from qmemd.results import TaskResult
from qmemd.tasks import Task, TaskFailure

log = logging.getLogger(__name__)

NO_CHANGES = "This agent offers no previews, no change sets, and no erasing."


class BridgeState:
    """Used by one thread. ``lane`` gets ``TaskFinished`` and ``AvailabilityChanged``."""

    def __init__(
        self,
        *,
        start_child: Callable[[int, float], Child],
        lane: Callable[[object], None],
        timers: Timers,
        workspace: str,
        task_timeout: float,
        idle_timeout: float | None,
        limits: BridgeLimits,
        clock: Callable[[], float],
    ) -> None:
        self._lane = lane
        self._timers = timers
        self._task_timeout = task_timeout
        self._idle_timeout = idle_timeout
        self._limits = limits
        self._keeper = ChildKeeper(
            start_child=start_child,
            tell=self._tell,
            timers=timers,
            workspace=workspace,
            limits=limits,
            clock=clock,
        )
        self._run: Run | None = None
        self._child_wanted = False
        """A child is to be started although no task waits for it."""
        self._sessions = 0
        self._closing = False
        self._stopped: list[Future[None]] = []
        """Who waits for the last child to be gone."""

    def want_child(self) -> None:
        """A child is started ahead of the first task, unless idle ones are stopped at once."""
        self._child_wanted = self._keeper.phase is ChildPhase.NONE and self._idle_timeout != 0

    def run_task(self, message: RunTask) -> None:
        task = message.task
        if self._closing:
            self._report(task, TaskFailure.of("daemon_restarted"))
        elif self._run is not None:
            self._report(task, TaskFailure.of(f"{task.kind}_failed", "another task is in flight"))
        else:
            self._timers.cancel(Alarm.IDLE)
            self._run = Run(task, message.workspace)

    def cancel_task(self, task_id: str) -> None:
        run = self._run
        if run is None or run.task.task_id != task_id or run.cancelled or run.verdict:
            return
        if run.call is None:
            self._finish(TaskFailure.of("task_cancelled"))
            return
        run.cancelled = True
        self._keeper.cancel(run.call)
        self._timers.set(Alarm.CANCEL, self._limits.cancel_grace)

    def sessions_live(self, count: int) -> None:
        self._sessions = count

    def refresh_availability(self) -> None:
        self._keeper.ask_again()

    def stop_child(self, message: StopChild) -> None:
        self._closing = True
        self._stopped.append(message.reply)
        if self._run is not None and self._run.call is None:
            self._finish(TaskFailure.of("daemon_restarted"))
        self._keeper.end(message.grace)

    def reply_arrived(self, message: ReplyArrived) -> None:
        if message.generation != self._keeper.generation:
            return
        run = self._run
        if run is not None and run.call == message.call:
            self._task_answered(run, outcome_of(run.task.kind, message.response))
        else:
            self._keeper.answered(message)

    def child_exited(self, message: ChildExited) -> None:
        if message.generation != self._keeper.generation:
            return
        failure = self._keeper.exited(message)
        run = self._run
        if run is None:
            return
        verdict = message.settled or self._verdict(run)
        if run.call is not None and (message.begun or verdict is not None):
            self._finish(verdict or crash_of(failure or message.exit.sentence))
            return
        # It was never sent, or not begun: the next child gets it.
        run.call = None
        self._timers.cancel(Alarm.TASK)
        if failure is not None:
            run.failed_starts += 1
            if run.failed_starts >= self._limits.failed_starts:
                self._finish(crash_of(failure))

    def tick(self, tick: TimerTick) -> None:
        if not self._timers.take(tick):
            return
        run = self._run
        match tick.alarm:
            case Alarm.HANDSHAKE:
                self._keeper.handshake_late()
            case Alarm.AVAILABILITY:
                self._keeper.availability_late()
            case Alarm.IDLE if self._idle:
                self._keeper.end(self._limits.stop_grace)
            case Alarm.TASK if run is not None:
                self._condemn(run, TaskFailure.of(f"{run.task.kind}_timeout"))
            case Alarm.CANCEL if run is not None:
                self._condemn(run, TaskFailure.of("task_cancelled"))

    def advance(self) -> None:
        """Does what the state asks for. Called after each message."""
        phase, run = self._keeper.phase, self._run
        if phase is ChildPhase.NONE and self._closing:
            self._settle_stopped()
        elif phase is ChildPhase.NONE and (run is not None or self._child_wanted):
            self._child_wanted = False
            self._keeper.start()
        elif phase is ChildPhase.LIVE and run is not None and not self._keeper.can(run):
            # Another agent must not do for good what was to be looked at first.
            self._finish(TaskFailure.of(f"{run.task.kind}_failed", NO_CHANGES))
        elif phase is ChildPhase.LIVE and run is not None and run.call is None:
            run.call = self._keeper.send(run)
            if run.call is not None:  # else its exit is on the way and says what follows
                self._timers.set(Alarm.TASK, self._task_timeout)
        self._watch_idle()

    def broke(self, message: object) -> None:
        """Handling this message raised: the task must not hang.

        A child that has the task, and is in an unknown state, goes first.
        """
        run = self._run
        if isinstance(message, RunTask) and (run is None or run.task != message.task):
            self._report(message.task, TaskFailure.of(f"{message.task.kind}_failed"))
        if run is None:
            return
        failure = TaskFailure.of(f"{run.task.kind}_failed", "the daemon failed; its log says why")
        answered = isinstance(message, ReplyArrived) and message.call == run.call
        if run.call is None or self._keeper.child is None or answered:
            self._finish(failure)
        else:
            self._condemn(run, failure)

    def release(self) -> None:
        """Ends everything, without waiting for it."""
        self._closing = True
        self._timers.cancel_all()
        self._keeper.end(grace=0)
        self._timers.cancel_all()
        self._settle_stopped()

    def snapshot(self) -> ChildState:
        child = self._keeper.child
        return ChildState(
            generation=self._keeper.generation,
            phase=self._keeper.phase,
            pid=child.pid if child else None,
            availability=self._keeper.availability.answer,
            task_id=self._run.task.task_id if self._run else None,
            failures_in_a_row=self._keeper.backoff.failures,
            idle_timer_runs=self._timers.runs(Alarm.IDLE),
            stderr_tail_bytes=child.stderr_tail_bytes if child else 0,
        )

    @property
    def _idle(self) -> bool:
        live = self._keeper.phase is ChildPhase.LIVE
        return live and self._run is None and self._sessions == 0 and not self._closing

    def _watch_idle(self) -> None:
        if not self._idle or self._idle_timeout is None:
            self._timers.cancel(Alarm.IDLE)
        elif self._idle_timeout == 0:
            self._keeper.end(self._limits.stop_grace)
        elif not self._timers.runs(Alarm.IDLE):
            self._timers.set(Alarm.IDLE, self._idle_timeout)

    def _task_answered(self, run: Run, outcome: TaskResult | TaskFailure) -> None:
        self._keeper.backoff.succeeded()  # a child that answers, whatever it says, is well
        if isinstance(outcome, TaskFailure) and run.cancelled:
            outcome = TaskFailure.of("task_cancelled")
        self._finish(outcome)
        if isinstance(outcome, TaskFailure) and outcome.code == "managed_memory_unavailable":
            self._keeper.ask()

    def _condemn(self, run: Run, verdict: TaskFailure) -> None:
        """Kills the child under the task; ``verdict`` is told when it is gone."""
        if run.call is not None and self._keeper.give_up(run.call):
            run.verdict = TaskFailure.of("task_cancelled") if run.cancelled else verdict
            self._keeper.end(grace=0)

    def _verdict(self, run: Run) -> TaskFailure | None:
        if run.verdict is not None:
            return run.verdict
        if run.cancelled:
            return TaskFailure.of("task_cancelled")
        return TaskFailure.of("daemon_restarted") if self._closing else None

    def _finish(self, outcome: TaskResult | TaskFailure) -> None:
        run, self._run = self._run, None
        self._timers.cancel(Alarm.TASK)
        self._timers.cancel(Alarm.CANCEL)
        if run is not None:
            self._report(run.task, outcome)

    def _report(self, task: Task, outcome: TaskResult | TaskFailure) -> None:
        self._tell(TaskFinished(task.task_id, self._keeper.generation, outcome))

    def _settle_stopped(self) -> None:
        for reply in self._stopped:
            answer(reply, None)
        self._stopped.clear()

    def _tell(self, message: object) -> None:
        try:
            self._lane(message)
        except Exception:
            level = logging.DEBUG if self._closing else logging.ERROR
            name = type(message).__name__
            log.log(level, "the lane could not be told of %s", name, exc_info=True)
