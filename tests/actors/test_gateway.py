from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pykka
import pytest

from qmemd.actors.board import TaskBoard
from qmemd.actors.door import Door
from qmemd.actors.gateway import GatewayActor
from qmemd.actors.guarded import answer, refuse, tell
from qmemd.actors.sessions import Sessions
from qmemd.catalog import Catalog
from qmemd.context import ContextFiles
from qmemd.errors import RequestError
from qmemd.events import FileChanged
from qmemd.journal.session_store import SessionRecord
from qmemd.memory.change_log import ChangeLog
from qmemd.memory.paths import resolve_paths
from qmemd.memory.secrets import SecretPolicy
from qmemd.messages import (
    Cancel,
    CloseFeed,
    Enqueue,
    FeedWatched,
    OpenFeed,
    OpenSession,
    Ping,
    Publish,
    SessionOpened,
    SessionsLive,
    Subscribe,
)
from qmemd.streams import StreamWish
from qmemd.tasks import Dream, Remember, Task, TaskFailure
from tests.actors.fake_session_store import FakeSessionStore
from tests.actors.fake_timers import FakeTimers
from tests.conftest import FakeClock

NO_CHANGES = ChangeLog(resolve_paths(Path("/nowhere/b"), Path("/nowhere/w")), "/nowhere/w")
NO_ENTRIES = Catalog(resolve_paths(Path("/nowhere/b"), Path("/nowhere/w")))
NO_FILES = ContextFiles(Path("/nowhere"), Path("/nowhere"), Path("/nowhere/lock"))


class FakeServer:
    def __init__(self) -> None:
        self.log: list[str] = []

    def start(self) -> None:
        self.log.append("start")

    def stop(self, timeout: float) -> None:
        self.log.append(f"stop within {timeout:g}")


class Rig:
    """A gateway and a door before it; the lane answers at once, or not at all."""

    def __init__(self, clock: FakeClock, new_id: Callable[[], str], *stored: SessionRecord) -> None:
        self.clock = clock
        self.lane_answers = True
        self.on_enqueue: Callable[[Enqueue], None] = lambda _: None
        self.enqueued: list[Enqueue] = []
        self.bridge: list[Any] = []
        self.bus: list[Any] = []
        self.timers = FakeTimers()
        self.server = FakeServer()
        self.store = FakeSessionStore(*stored)
        self.board = TaskBoard(lambda complete: complete())
        sessions = Sessions("/work", clock=clock, new_id=new_id)
        self.gateway: pykka.ActorRef[GatewayActor] = GatewayActor.start(
            sessions=sessions,
            server=self.server,
            tell_lane=self._lane,
            tell_bridge=self.bridge.append,
            tell_bus=self.bus.append,
            session_store=self.store,
            start_timer=self.timers.start,
        )
        self.door = Door(
            workspace="/work",
            board=self.board,
            sessions=sessions,
            context_files=NO_FILES,
            change_log=lambda: NO_CHANGES,
            catalog=lambda: NO_ENTRIES,
            status=dict,
            metrics=lambda: ("text/plain", b""),
            count_request=lambda _method, _status: None,
            tell_gateway=lambda message: tell(self.gateway, message),
            tell_bus=self._tell_bus,
            timeout=5,
        )
        self.door.open()

    def _tell_bus(self, message: Any) -> None:
        self.bus.append(message)
        if isinstance(message, Subscribe):
            refuse(message.reply, RequestError("subscriber_limit_exceeded"))

    def settle(self) -> None:
        """Returns when the gateway has handled everything so far."""
        reply: Future[None] = Future()
        tell(self.gateway, Ping(reply))
        reply.result(5)

    def _lane(self, message: Enqueue | Cancel) -> None:
        if isinstance(message, Enqueue):
            self.enqueued.append(message)
            self.on_enqueue(message)
        if self.lane_answers:
            answer(message.reply, Task.queued("dream-1", Dream(), None, self.clock()))


@pytest.fixture
def rig(clock: FakeClock, new_id: Callable[[], str]) -> Iterator[Rig]:
    rig = Rig(clock, new_id)
    yield rig
    rig.gateway.stop(timeout=5)


def test_a_request_goes_down_to_the_lane_with_the_future_of_whoever_asked(rig: Rig) -> None:
    task = rig.door.submit(Dream(), None)
    assert task.task_id == "dream-1"
    assert rig.enqueued[0].request == Dream()


def test_an_unknown_client_is_refused_before_the_lane_hears_of_it(rig: Rig) -> None:
    with pytest.raises(RequestError) as refused:
        rig.door.submit(Remember("x"), "client_unknown")
    assert refused.value.code == "invalid_client_id"
    assert refused.value.extra == {"clientId": "client_unknown"}
    assert rig.enqueued == []


def test_a_session_makes_a_client_known_and_the_bridge_hears_how_many_live(rig: Rig) -> None:
    opened = rig.door.open_session(None, thread=False, client_id=None)
    assert rig.door.knows_client(opened.client_id)
    rig.door.submit(Dream(), opened.client_id)
    rig.door.close_session(opened.session_id, opened.client_id)
    assert not rig.door.knows_client(opened.client_id)
    assert rig.bridge == [SessionsLive(0), SessionsLive(1), SessionsLive(0)]


def test_once_stopping_everything_new_is_refused(rig: Rig) -> None:
    rig.door.stop_admitting(5)
    assert rig.door.stopping
    for refused in (
        lambda: rig.door.submit(Dream(), None),
        lambda: rig.door.open_session(None, thread=False, client_id=None),
    ):
        with pytest.raises(RequestError) as error:
            refused()
        assert (error.value.code, error.value.status) == ("daemon_stopping", 503)


def test_no_answer_in_time_is_an_answer_too_and_gives_the_question_up(rig: Rig) -> None:
    rig.lane_answers = False
    rig.door._timeout = 0.01
    with pytest.raises(RequestError) as busy:
        rig.door.submit(Dream(), None)
    assert (busy.value.code, busy.value.status) == ("daemon_busy", 503)
    assert rig.enqueued[0].reply.cancelled()


def test_an_answer_that_is_just_being_given_counts(rig: Rig) -> None:
    rig.lane_answers = False
    rig.door._timeout = 0.01
    task = Task.queued("dream-1", Dream(), None, rig.clock())

    def late(message: Enqueue) -> None:
        message.reply.set_running_or_notify_cancel()
        threading.Timer(0.1, message.reply.set_result, [task]).start()

    rig.on_enqueue = late
    assert rig.door.submit(Dream(), None) == task


class ReaderThatCloses:
    epoch = stream_id = "x"

    def __init__(self) -> None:
        self.closed = threading.Event()

    def close(self) -> None:
        self.closed.set()


def test_an_answer_that_was_begun_and_never_comes_is_waited_for_no_longer(rig: Rig) -> None:
    asked: list[Subscribe] = []

    def begin(message: Subscribe) -> None:
        message.reply.set_running_or_notify_cancel()
        asked.append(message)

    door = Door(
        workspace="/work",
        board=rig.board,
        sessions=Sessions("/work", clock=rig.clock, new_id=lambda: "x"),
        context_files=NO_FILES,
        change_log=lambda: NO_CHANGES,
        catalog=lambda: NO_ENTRIES,
        status=dict,
        metrics=lambda: ("text/plain", b""),
        count_request=lambda _method, _status: None,
        tell_gateway=lambda _: None,
        tell_bus=begin,
        timeout=0.01,
        last_moment=0.01,
    )
    door.open()
    with pytest.raises(RequestError) as busy:
        door.subscribe(StreamWish())
    assert busy.value.code == "daemon_busy"
    reader = ReaderThatCloses()
    asked[0].reply.set_result(reader)
    assert reader.closed.is_set(), "nobody would ever close it"


def test_a_session_is_not_made_for_somebody_who_gave_up(rig: Rig) -> None:
    reply: Future[SessionOpened] = Future()
    reply.cancel()
    tell(rig.gateway, OpenSession(None, thread=True, client_id=None, reply=reply))
    rig.door.stop_admitting(5)
    assert rig.bridge == [SessionsLive(0)]
    assert rig.bus == []


def test_a_gateway_that_does_not_answer_holds_nobody_who_stops(rig: Rig) -> None:
    door = Door(
        workspace="/work",
        board=rig.board,
        sessions=Sessions("/work", clock=rig.clock, new_id=lambda: "x"),
        context_files=NO_FILES,
        change_log=lambda: NO_CHANGES,
        catalog=lambda: NO_ENTRIES,
        status=dict,
        metrics=lambda: ("text/plain", b""),
        count_request=lambda _method, _status: None,
        tell_gateway=lambda _: None,
        tell_bus=lambda _: None,
    )
    door.open()
    door.stop_admitting(0.01)
    assert door.stopping


def test_before_it_is_opened_the_door_is_shut(rig: Rig) -> None:
    door = Door(
        workspace="/work",
        board=rig.board,
        sessions=Sessions("/work", clock=rig.clock, new_id=lambda: "x"),
        context_files=NO_FILES,
        change_log=lambda: NO_CHANGES,
        catalog=lambda: NO_ENTRIES,
        status=dict,
        metrics=lambda: ("text/plain", b""),
        count_request=lambda _method, _status: None,
        tell_gateway=lambda _: None,
        tell_bus=lambda _: None,
    )
    with pytest.raises(RequestError, match="shutting down"):
        door.submit(Dream(), None)


def test_a_secret_is_found_before_any_actor_hears_of_it(rig: Rig) -> None:
    rig.door.submit(Remember("the token is ghp_" + "a1B2" * 9), None)
    rig.door.submit(Remember("tea"), None)
    assert [message.secret for message in rig.enqueued] == ["GitHub token", None]


@pytest.mark.parametrize(
    ("policy", "content", "secret"),
    [
        (SecretPolicy.MASK, "the token is [redacted]", None),
        (SecretPolicy.ALLOW, "the token is ghp_" + "a1B2" * 9, None),
    ],
)
def test_a_secret_may_be_masked_or_allowed(
    rig: Rig, policy: SecretPolicy, content: str, secret: str | None
) -> None:
    rig.door._secrets = policy
    rig.door.submit(Remember("the token is ghp_" + "a1B2" * 9), None)
    assert rig.enqueued[0].request == Remember(content)
    assert rig.enqueued[0].secret == secret


def test_a_cancel_goes_down_to_the_lane(rig: Rig) -> None:
    assert rig.door.cancel("dream-1").task_id == "dream-1"


def test_a_stopped_gateway_refuses_at_once(rig: Rig) -> None:
    rig.gateway.stop(timeout=5)
    with pytest.raises(RequestError) as refused:
        rig.door.submit(Dream(), None)
    assert refused.value.code == "daemon_stopping"


def test_a_poll_reads_the_board_and_enters_no_mailbox(rig: Rig) -> None:
    task = Task.queued("dream-9", Dream(), "client_1", rig.clock())
    rig.board.post(task)
    rig.gateway.stop(timeout=5)
    polled = rig.door.poll("dream-9")
    assert polled
    assert (polled.kind, polled.client_id) == ("dream", "client_1")
    assert rig.door.poll("dream-8") is None


def test_the_server_lives_as_long_as_the_gateway(rig: Rig) -> None:
    rig.gateway.stop(timeout=5)
    assert rig.server.log == ["start", "stop within 1"]


def test_a_session_has_a_feed_for_as_long_as_it_lives(rig: Rig) -> None:
    opened = rig.door.open_session(None, thread=False, client_id=None)
    rig.door.open_session(None, thread=False, client_id=None)
    rig.door.close_session(opened.session_id, opened.client_id)
    feed = OpenFeed(opened.session_id)
    assert rig.bus == [feed, feed, CloseFeed(opened.session_id, "client_close", opened.client_id)]


def test_a_heartbeat_is_answered_with_its_time(rig: Rig) -> None:
    opened = rig.door.open_session(None, thread=False, client_id=None)
    rig.clock.advance(seconds=1)
    beat = rig.door.heartbeat(opened.session_id, opened.client_id)
    assert beat == int(rig.clock().timestamp() * 1000)
    for session_id, client_id, code in (
        ("unknown", None, "session_not_found"),
        (opened.session_id, "client_x", "invalid_client_id"),
    ):
        with pytest.raises(RequestError) as refused:
            rig.door.heartbeat(session_id, client_id)
        assert refused.value.code == code


def test_the_last_client_that_detaches_closes_the_session(rig: Rig) -> None:
    one = rig.door.open_session(None, thread=False, client_id=None)
    two = rig.door.open_session(None, thread=False, client_id=None)
    rig.door.detach(one.session_id, None)
    rig.door.detach(one.session_id, one.client_id)
    assert not rig.door.knows_client(one.client_id)
    assert rig.door.knows_client(two.client_id)
    rig.door.detach(one.session_id, two.client_id)
    assert rig.bus[-1] == CloseFeed(one.session_id, "last_client_detached", two.client_id)
    assert rig.bridge[-1] == SessionsLive(0)


def test_sessions_that_nobody_uses_are_closed_by_the_clock(rig: Rig) -> None:
    idle = rig.door.open_session(None, thread=True, client_id=None)
    read = rig.door.open_session(None, thread=True, client_id=None)
    tell(rig.gateway, FeedWatched(read.session_id, 1))
    tell(rig.gateway, FeedWatched("unknown", 1))
    rig.settle()
    rig.clock.advance(seconds=30 * 60)
    assert [timer.seconds for timer in rig.timers.started] == [60]
    rig.timers.run_all()
    rig.settle()
    closed = [message for message in rig.bus if isinstance(message, CloseFeed)]
    assert closed == [CloseFeed(idle.session_id, "idle_timeout", None)]
    assert rig.bridge[-1] == SessionsLive(1)
    assert [timer.seconds for timer in rig.timers.started] == [60]


def test_the_clock_stops_with_the_gateway(rig: Rig) -> None:
    rig.gateway.stop(timeout=5)
    assert [timer.cancelled for timer in rig.timers.started] == [True]
    rig.timers.run_all()


def test_who_wants_to_read_is_answered_by_the_bus(rig: Rig) -> None:
    with pytest.raises(RequestError) as full:
        rig.door.subscribe(StreamWish(session_id="s"))
    assert full.value.code == "subscriber_limit_exceeded"
    rig.door.stop_admitting(5)
    with pytest.raises(RequestError) as stopping:
        rig.door.subscribe(StreamWish())
    assert stopping.value.code == "daemon_stopping"


def test_what_a_client_wrote_to_a_context_file_is_published(rig: Rig) -> None:
    event = FileChanged("global", "/home/QWEN.md", "append", 1, None)
    rig.door.publish(event)
    assert rig.bus == [Publish(event)]


def test_waiting_ends_with_the_task_the_time_or_the_client(rig: Rig) -> None:
    task = Task.queued("dream-9", Dream(), None, rig.clock())
    rig.board.post(task)
    rig.door.wait("dream-9", 0.001, lambda _: None)
    rig.door.wait("dream-9", 60, lambda leave: leave())
    rig.door.wait("dream-9", 60, lambda _: rig.board.post(_ended(rig, task)))
    rig.door.wait("dream-9", 60, lambda _: None)


def test_who_leaves_without_a_right_to_is_refused_and_nothing_is_told(rig: Rig) -> None:
    opened = rig.door.open_session(None, thread=False, client_id=None)
    for session_id, client_id, code in (
        ("unknown", None, "session_not_found"),
        (opened.session_id, "client_x", "invalid_client_id"),
    ):
        for leave in (rig.door.detach, rig.door.close_session):
            with pytest.raises(RequestError) as refused:
                leave(session_id, client_id)
            assert refused.value.code == code
    assert rig.bus == [OpenFeed(opened.session_id)]
    assert rig.door.knows_client(opened.client_id)


def test_an_anonymous_closing_names_nobody(rig: Rig) -> None:
    opened = rig.door.open_session(None, thread=False, client_id=None)
    rig.door.close_session(opened.session_id, None)
    assert rig.bus[-1] == CloseFeed(opened.session_id, "client_close", None)


def test_the_clock_goes_on_while_nothing_new_is_admitted(rig: Rig) -> None:
    opened = rig.door.open_session(None, thread=False, client_id=None)
    rig.door.stop_admitting(5)
    rig.clock.advance(minutes=30)
    rig.timers.run_all()
    rig.settle()
    assert rig.bus[-1] == CloseFeed(opened.session_id, "idle_timeout", None)
    assert len(rig.timers.started) == 1


def test_a_session_whose_last_reader_left_is_given_its_time(rig: Rig) -> None:
    opened = rig.door.open_session(None, thread=False, client_id=None)
    for readers in (1, 2, 1):
        tell(rig.gateway, FeedWatched(opened.session_id, readers))
    rig.settle()
    rig.clock.advance(minutes=45)
    tell(rig.gateway, FeedWatched(opened.session_id, 0))
    rig.settle()
    rig.timers.run_all()
    rig.settle()
    assert rig.door.knows_client(opened.client_id)
    rig.clock.advance(minutes=30)
    rig.timers.run_all()
    rig.settle()
    assert not rig.door.knows_client(opened.client_id)


def test_sessions_of_an_earlier_daemon_have_feeds_from_the_start(
    clock: FakeClock, new_id: Callable[[], str]
) -> None:
    record = SessionRecord("s1", clock(), True, ("client_1",))
    rig = Rig(clock, new_id, record)
    rig.settle()
    assert rig.bus == [OpenFeed("s1")]
    assert rig.bridge == [SessionsLive(1)]
    assert rig.door.knows_client("client_1")
    rig.gateway.stop(timeout=5)
    assert rig.store.records == {"s1": record}


def test_on_a_full_disk_sessions_neither_begin_nor_end_and_their_streams_go_on(rig: Rig) -> None:
    opened = rig.door.open_session(None, thread=False, client_id=None)
    rig.clock.advance(minutes=30)
    rig.store.full = True
    for attempt in (
        lambda: rig.door.close_session(opened.session_id, None),
        lambda: rig.door.detach(opened.session_id, opened.client_id),
        lambda: rig.door.open_session(None, thread=True, client_id=None),
    ):
        with pytest.raises(RequestError) as failed:
            attempt()
        assert failed.value.code == "internal_error"
    rig.timers.run_all()
    rig.settle()
    assert rig.bus == [OpenFeed(opened.session_id)]
    assert rig.door.knows_client(opened.client_id)
    rig.store.full = False
    rig.timers.run_all()
    rig.settle()
    assert rig.bus[-1] == CloseFeed(opened.session_id, "idle_timeout", None)
    assert rig.bridge[-1] == SessionsLive(0)


def test_the_clock_stops_as_well_when_the_actor_fails(
    clock: FakeClock, new_id: Callable[[], str]
) -> None:
    timers, server = FakeTimers(), FakeServer()
    gateway = GatewayActor(
        sessions=Sessions("/work", clock=clock, new_id=new_id),
        server=server,
        tell_lane=lambda _: None,
        tell_bridge=lambda _: None,
        tell_bus=lambda _: None,
        start_timer=timers.start,
    )
    gateway.on_start()
    gateway.on_failure(RuntimeError, RuntimeError("x"), None)
    assert [timer.cancelled for timer in timers.started] == [True]
    assert server.log == ["start", "stop within 1"]


def test_a_server_that_does_not_start_leaves_no_clock_behind(
    clock: FakeClock, new_id: Callable[[], str]
) -> None:
    class BrokenServer(FakeServer):
        def start(self) -> None:
            raise OSError("no socket")

    timers, server = FakeTimers(), BrokenServer()
    gateway = GatewayActor(
        sessions=Sessions("/work", clock=clock, new_id=new_id),
        server=server,
        tell_lane=lambda _: None,
        tell_bridge=lambda _: None,
        tell_bus=lambda _: None,
        start_timer=timers.start,
    )
    with pytest.raises(OSError, match="no socket"):
        gateway.on_start()
    assert timers.started == []
    assert server.log == ["stop within 1"]


def _ended(rig: Rig, task: Task) -> Task:
    return task.finished(TaskFailure.of("task_cancelled"), rig.clock())
