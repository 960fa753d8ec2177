"""One workspace's lane, bridge, bus and board, made and stopped as one."""

from __future__ import annotations

import logging
import os
import uuid
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pykka

from qmemd.acp.launch import child_argv, child_environment
from qmemd.acp.process import SpawnConfig
from qmemd.actors.board import TaskBoard
from qmemd.actors.bridge import BridgeActor
from qmemd.actors.completions import Completions
from qmemd.actors.event_bus import EventBusActor, Fanout
from qmemd.actors.guarded import tell
from qmemd.actors.lane import LaneActor
from qmemd.actors.lane_state import LaneState
from qmemd.actors.orphan import kill_child, note_child, take_child_lock
from qmemd.errors import SettingsError
from qmemd.journal import InMemoryJournal, Journal
from qmemd.memory.commit import Committer
from qmemd.memory.history import History
from qmemd.memory.locks import FileLock, read_holder
from qmemd.memory.paths import claim_slug
from qmemd.memory.scan import Scanner
from qmemd.messages import (
    Abandon,
    Drain,
    Flush,
    Ping,
    Publish,
    Resume,
    StartChild,
    StopChild,
)
from qmemd.results import TaskResult, result_from_wire
from qmemd.settings import Settings
from qmemd.tasks import Task

log = logging.getLogger(__name__)

PING_TIMEOUT = 5.0
DRAIN_TIMEOUT = 1.5
"""Seconds that the running task gets when the daemon stops."""
CHILD_GRACE = 0.5
"""Seconds between the stages of ending the child."""
CHILD_TIMEOUT = 2.0
"""Seconds until an ending child is given up on."""
STARTING_TIME = timedelta(seconds=120)
"""What a task may wait for a child, on top of its own time, while its claim holds."""


class Workspace:
    """Everything that serves one workspace. Not restartable: make a new one."""

    def __init__(
        self,
        settings: Settings,
        *,
        journal: Journal | None = None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        new_id: Callable[[], str] = lambda: str(uuid.uuid4()),
    ) -> None:
        self._settings = settings
        self._clock = clock
        self._new_id = new_id
        self._journal = journal or InMemoryJournal(clock)
        self._memory = settings.memory
        self._committer = Committer(
            self._memory,
            History(self._memory.history),
            scanner=Scanner(),
            clock=clock,
            new_id=new_id,
        )
        self._completions = Completions()
        self._closing = ExitStack()
        self._child: tuple[int, float] | None = None
        """Process id and start time of the last child."""
        self.board = TaskBoard(self._completions.put)
        self.fanout = Fanout()
        self._bus: pykka.ActorRef[EventBusActor]
        self._bridge: pykka.ActorRef[BridgeActor]
        self._lane: pykka.ActorRef[LaneActor]

    @property
    def path(self) -> str:
        """The workspace directory, as it is named on the wire."""
        return str(self._settings.workspace)

    def start(self) -> None:
        """Takes the workspace, settles what an earlier holder left, and starts the actors.

        Raises:
            SettingsError: another daemon serves this workspace, or a directory cannot be used.
        """
        with ExitStack() as closing:
            lane_lock = _lane_lock(self._memory.project_state / ".qmemd-lane.lock", self.path)
            closing.callback(lane_lock.release)
            child_lock = take_child_lock(self._memory.project_state / ".qmemd-child.lock")
            closing.callback(child_lock.release)
            claim_slug(self._memory)
            closing.callback(self._journal.close)
            self._completions.start()
            closing.callback(self._completions.stop, 1.0)
            self._start_actors(closing, child_lock)
            self._closing = closing.pop_all()

    def stop(self) -> None:
        """Ends everything in the reverse order of ``start``. Idempotent; takes under four seconds.

        The running task gets a short grace. What does not end in it is queued again, unless what
        it wrote was applied; then it completes.
        """
        closing, self._closing = self._closing, ExitStack()
        closing.close()

    def tell_lane(self, message: Any) -> None:
        """Down, from the gateway; up, from the bridge."""
        tell(self._lane, message)

    def tell_bridge(self, message: Any) -> None:
        """Down, from the gateway and the lane."""
        tell(self._bridge, message)

    def _start_actors(self, closing: ExitStack, child_lock: FileLock) -> None:
        settings = self._settings
        lane = LaneState(
            workspace=self.path,
            holder=f"{os.getpid()}",
            journal=self._journal,
            board=self.board,
            tell_bridge=self.tell_bridge,
            publish=lambda event: tell(self._bus, Publish(event)),
            clock=self._clock,
            new_id=self._new_id,
            lease=timedelta(seconds=settings.task_timeout) + STARTING_TIME,
        )
        self._bus = EventBusActor.start(self.fanout)
        closing.callback(stop_actor, self._bus)
        lane.recover(self._applied)
        self._lane = LaneActor.start(lane)
        closing.callback(stop_actor, self._lane)
        self._bridge = BridgeActor.start(
            lane=self.tell_lane,
            settle=self._settle,
            spawn=self._spawn_config(child_lock),
            workspace=self.path,
            task_timeout=settings.task_timeout,
            idle_timeout=settings.idle_timeout,
        )
        closing.callback(stop_actor, self._bridge)
        closing.callback(self._wind_down)
        for actor in (self._bus, self._lane, self._bridge):
            ping(actor)
        self.tell_bridge(StartChild())
        self.tell_lane(Resume())

    def _wind_down(self) -> None:
        """Lets the running task end, then the child; hands out what was published."""
        if not _asked(lambda reply: self.tell_lane(Drain(reply)), DRAIN_TIMEOUT):
            self.tell_lane(Abandon())
        if not _asked(lambda reply: self.tell_bridge(StopChild(CHILD_GRACE, reply)), CHILD_TIMEOUT):
            log.error("the agent process did not end in time")
        _asked(lambda reply: self.tell_lane(Drain(reply)), 0.5)
        _asked(lambda reply: tell(self._bus, Flush(reply)), 0.5)
        self.board.close()

    def abort(self) -> None:
        """Kills the child at once, from any thread, for a process that is about to exit hard."""
        if self._child is not None:
            kill_child(*self._child)

    def _spawned(self, child_lock: FileLock, pid: int, started: float) -> None:
        self._child = (pid, started)
        note_child(child_lock, pid, started)

    def _settle(self, task: Task) -> TaskResult | None:
        """Called by the thread that saw a child die, before its task's end is told."""
        return self._applied(task.task_id)

    def _applied(self, task_id: str) -> TaskResult | None:
        """The result of a task whose change set was applied, whatever became of its run."""
        change_set = self._committer.settle_task(task_id)
        if change_set is None:
            return None
        return result_from_wire(change_set.kind, change_set.result)

    def _spawn_config(self, child_lock: FileLock) -> SpawnConfig:
        settings = self._settings
        return SpawnConfig(
            argv=tuple(
                child_argv(
                    settings.agent_command,
                    workspace=self.path,
                    model=settings.model,
                    task_timeout=settings.task_timeout,
                )
            ),
            env=child_environment(settings.environ, settings.child_variables),
            cwd=self.path,
            pass_fds=(child_lock.fileno(),),
            on_spawn=partial(self._spawned, child_lock),
        )


def ping(actor: pykka.ActorRef[Any]) -> None:
    """Raises RuntimeError unless the actor is there: a failing ``on_start`` is silent."""
    if not _asked(lambda reply: tell(actor, Ping(reply)), PING_TIMEOUT):
        raise RuntimeError(f"{actor} did not start")


def stop_actor(actor: pykka.ActorRef[Any]) -> None:
    """Stops an actor after what is in its mailbox now; never raises, waits two seconds at most."""
    try:
        actor.stop(timeout=2.0)
    except pykka.Timeout:
        log.error("%s did not stop in time", actor)  # noqa: TRY400 — the trace says nothing more


def _asked(ask: Callable[[Future[None]], None], timeout: float) -> bool:
    """Whether an answer came in time."""
    reply: Future[None] = Future()
    ask(reply)
    try:
        reply.result(timeout)
    except TimeoutError:
        return False
    return True


def _lane_lock(path: Path, workspace: str) -> FileLock:
    lock = FileLock(path)
    if not lock.acquire():
        holder = read_holder(path) or {}
        raise SettingsError(
            f"another daemon (process {holder.get('pid', 'unknown')}) serves the workspace "
            f"{workspace}; stop it or name another one with --workspace"
        )
    lock.write_holder({"pid": os.getpid()})
    return lock
