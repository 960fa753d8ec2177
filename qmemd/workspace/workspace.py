"""One workspace's lane, bridge, bus and board, made and stopped as one."""

from __future__ import annotations

import logging
import math
import os
import time
import uuid
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pykka

from qmemd.actors.board import TaskBoard
from qmemd.actors.bridge import BridgeActor
from qmemd.actors.event_bus import EventBusActor
from qmemd.actors.fanout import Fanout
from qmemd.actors.guarded import tell
from qmemd.actors.hub import MAX_STREAMS, EventHub
from qmemd.actors.lane import LaneActor
from qmemd.actors.lane_state import LaneState
from qmemd.actors.life import in_background, ping, stop_actor
from qmemd.actors.orphan import kill_child, note_child, take_child_lock
from qmemd.catalog import Catalog
from qmemd.errors import MemoryFilesError, RequestError, SettingsError
from qmemd.events import TaskUpdated
from qmemd.journal import Journal
from qmemd.journal.session_store import NoSessionStore, SessionStore
from qmemd.memory.change_log import ChangeLog
from qmemd.memory.commit import Committer
from qmemd.memory.history import History
from qmemd.memory.locks import FileLock, read_holder
from qmemd.memory.paths import MemoryPaths, claim_slug
from qmemd.memory.scan import Scanner
from qmemd.messages import (
    Abandon,
    ChildState,
    Drain,
    FeedWatched,
    GetChildState,
    Publish,
    Resume,
    StartChild,
    StopChild,
)
from qmemd.settings import Settings
from qmemd.workspace.erasing import Erasing
from qmemd.workspace.housekeeping import Housekeeping
from qmemd.workspace.journals import JournalFiles
from qmemd.workspace.settling import Settling
from qmemd.workspace.spawning import spawn_config

log = logging.getLogger(__name__)

DRAIN_TIMEOUT = 1.5
"""Seconds that the running task gets when the daemon stops."""
CHILD_GRACE = 0.5
"""Seconds between the stages of ending the child."""
CHILD_TIMEOUT = 1.7
"""Seconds until an ending child is given up on, and killed with the bridge."""
ACTOR_TIMEOUT = 0.5
LAST_EVENTS = 0.5
"""Seconds that subscribers get for what was published last."""
STOP_TIMEOUT = 4.3
"""Seconds for all of it."""
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
        on_watched: Callable[[FeedWatched], object] = lambda _: None,
        on_task: Callable[[TaskUpdated], object] = lambda _: None,
        max_streams: int = MAX_STREAMS,
    ) -> None:
        self._settings = settings
        self._clock = clock
        self.max_streams = max_streams
        self._new_id = new_id
        self._on_task = on_task
        self._journal_given = journal
        self._journal: Journal
        self._journals = JournalFiles(settings.state_dir)
        self.session_store: SessionStore = NoSessionStore()
        """Where sessions survive. Known once it was started."""
        self._use(settings.memory)
        self._closing = ExitStack()
        self._deadline = math.inf
        """When stopping has to be over; monotonic."""
        self._child: tuple[int, float] | None = None
        """Process id and start time of the last child."""
        self.board = TaskBoard(lambda work: in_background(work, "qmemd-future"))
        self.fanout = Fanout()
        self._hub = EventHub(
            clock=lambda: int(clock().timestamp() * 1000),
            new_id=new_id,
            on_left=self.tell_bus,
            on_watched=on_watched,
            max_streams=max_streams,
        )
        self._bus: pykka.ActorRef[EventBusActor]
        self._bridge: pykka.ActorRef[BridgeActor]
        self._lane: pykka.ActorRef[LaneActor]

    @property
    def path(self) -> str:
        """The workspace directory, as it is named on the wire."""
        return str(self._settings.workspace)

    @property
    def streams(self) -> int:
        """How many event streams are open."""
        return self._hub.streams

    def child_state(self) -> ChildState | None:
        """How the agent process is; None when the bridge does not say in time."""
        reply: Future[ChildState] = Future()
        self.tell_bridge(GetChildState(reply))
        try:
            return reply.result(ACTOR_TIMEOUT)
        except (TimeoutError, RequestError):
            return None

    def start(self) -> None:
        """Takes the workspace, settles what an earlier holder left, and starts the actors.

        Raises:
            SettingsError: another daemon serves this workspace, or a directory cannot be used.
        """
        try:
            with ExitStack() as closing:
                child_lock = self._take(closing)
                self._settling.settle_all()
                if self._journal_given is not None:
                    self._journal = self._journal_given
                else:
                    kind = self._settings.journal
                    self._journal = self._journals.open(kind, self.path, self._clock)
                    closing.callback(self._journal.close)  # a host's may serve others too
                self.session_store = self._journal.sessions
                self._start_actors(closing, child_lock)
                housekeeping = Housekeeping(self._history, self._is_unfinished, self._clock)
                closing.callback(housekeeping.end)
                in_background(housekeeping.run, "qmemd-housekeeping")
                self._closing = closing.pop_all()
        except OSError as error:
            raise SettingsError(
                f"the memory directory {self._memory.base} cannot be used: {error.strerror}"
            ) from error
        except MemoryFilesError as error:
            raise SettingsError(
                f"the memory directory {self._memory.base} cannot be used: {error.message}"
            ) from error

    def stop(self) -> None:
        """Ends everything in the reverse order of ``start``. Idempotent; takes under five seconds.

        The running task gets a short grace. What does not end in it is queued again, unless what
        it wrote was applied; then it completes.
        """
        closing, self._closing = self._closing, ExitStack()
        self._deadline = time.monotonic() + STOP_TIMEOUT
        closing.close()

    def tell_lane(self, message: Any) -> None:
        """Down, from the gateway; up, from the bridge."""
        tell(self._lane, message)

    def tell_bridge(self, message: Any) -> None:
        """Down, from the gateway and the lane."""
        tell(self._bridge, message)

    def tell_bus(self, message: Any) -> None:
        """Up, from the lane; down, from those who want to read."""
        tell(self._bus, message)

    def _start_actors(self, closing: ExitStack, child_lock: FileLock) -> None:
        settings = self._settings
        lane = LaneState(
            workspace=self.path,
            holder=str(os.getpid()),
            journal=self._journal,
            board=self.board,
            tell_bridge=self.tell_bridge,
            publish=lambda event: self.tell_bus(Publish(event)),
            clock=self._clock,
            new_id=self._new_id,
            lease=timedelta(seconds=settings.task_timeout) + STARTING_TIME,
            on_erased=Erasing(self.path, self._journals, self._history.owed).elsewhere,
        )
        closing.callback(lambda: self.fanout.close(self._at_most(LAST_EVENTS)))
        sessions_end = not self.session_store.survives
        closing.callback(lambda: self._hub.close(sessions_end=sessions_end))
        self._bus = EventBusActor.start(self._hub, self.fanout, self._on_task)
        closing.callback(self._stop_actor, self._bus)
        lane.recover(self._settling.applied, self._history.owed.of_workspace(self.path))
        self._lane = LaneActor.start(lane)
        closing.callback(self._stop_actor, self._lane)
        self._bridge = BridgeActor.start(
            lane=self.tell_lane,
            settle=lambda task: self._settling.applied(task.task_id),
            spawn=spawn_config(
                settings,
                pass_fds=(child_lock.fileno(),),
                on_spawn=partial(self._spawned, child_lock),
            ),
            workspace=self.path,
            task_timeout=settings.task_timeout,
            idle_timeout=settings.idle_timeout,
        )
        closing.callback(self._stop_actor, self._bridge)
        closing.callback(self._wind_down)
        for actor in (self._bus, self._lane, self._bridge):
            ping(actor)
        self.tell_bridge(StartChild())
        self.tell_lane(Resume())

    def _wind_down(self) -> None:
        """Lets the running task end, then the child."""
        if not _asked(lambda reply: self.tell_lane(Drain(reply)), DRAIN_TIMEOUT):
            self.tell_lane(Abandon())
        stop_child = self._at_most(CHILD_TIMEOUT)
        if not _asked(lambda reply: self.tell_bridge(StopChild(CHILD_GRACE, reply)), stop_child):
            log.error("the agent process did not end in time and is killed")
        if unfinished := self.board.unfinished():
            level, outlook = (
                (logging.INFO, "run at the next start")
                if self.session_store.survives
                else (logging.WARNING, "were not run")
            )
            log.log(
                level, "%d accepted tasks %s: %s", len(unfinished), outlook, ", ".join(unfinished)
            )
        self.board.close()

    def _stop_actor(self, actor: pykka.ActorRef[Any]) -> None:
        stop_actor(actor, self._at_most(ACTOR_TIMEOUT))

    def _at_most(self, seconds: float) -> float:
        """So long, or what is left of the time for stopping."""
        return max(0.05, min(seconds, self._deadline - time.monotonic()))

    def _take(self, closing: ExitStack) -> FileLock:
        """The locks that make this the workspace's only daemon; the child's own one."""
        if not claim_slug(self._memory):  # its directory's name is another workspace's
            self._use(self._settings.memory)
            if not claim_slug(self._memory):
                raise SettingsError(f"no memory directory below {self._memory.base} is free")
        state = self._memory.project_state
        lane_lock = FileLock(state / ".qmemd-lane.lock")
        if not lane_lock.acquire():
            holder = read_holder(lane_lock.path) or {}
            raise SettingsError(
                f"another daemon (process {holder.get('pid', 'unknown')}, workspace "
                f"{holder.get('workspace', 'unknown')}) keeps the memory of this project; "
                "stop it or name another workspace with --workspace"
            )
        closing.callback(lane_lock.release)
        lane_lock.write_holder({"pid": os.getpid(), "workspace": self.path})
        child_lock = take_child_lock(state / ".qmemd-child.lock")
        closing.callback(child_lock.release)
        return child_lock

    def _use(self, memory: MemoryPaths) -> None:
        self._memory = memory
        self._history = History(memory.history)
        self.change_log = ChangeLog(memory, self.path)
        """What tasks did to the documents."""
        self.catalog = Catalog(memory)
        """What is remembered."""
        committer = Committer(
            memory, self._history, scanner=Scanner(), clock=self._clock, new_id=self._new_id
        )
        self._settling = Settling(committer, self._history)

    def _is_unfinished(self, workspace: str, task_id: str) -> bool:
        """Whether a task may still be run, here or by the next daemon of another workspace."""
        if workspace == self.path:
            return task_id in self.board.unfinished()
        from qmemd.journal.elsewhere import has_pending  # noqa: PLC0415 — few histories get so old

        return has_pending(self._journals.of(workspace), task_id)

    def abort(self) -> None:
        """Kills the child at once, from any thread, for a process that is about to exit hard."""
        if self._child is not None:
            kill_child(*self._child)

    def _spawned(self, child_lock: FileLock, pid: int, started: float) -> None:
        self._child = (pid, started)
        note_child(child_lock, pid, started)


def _asked(ask: Callable[[Future[None]], None], timeout: float) -> bool:
    """Whether an answer came in time."""
    reply: Future[None] = Future()
    ask(reply)
    try:
        reply.result(timeout)
    except (TimeoutError, RequestError):  # late, or its actor has died
        return False
    return True
