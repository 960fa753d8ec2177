from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from typing import Any

import pykka
import pytest

from qmemd.actors.event_bus import EventBusActor
from qmemd.actors.fanout import Fanout
from qmemd.actors.guarded import tell
from qmemd.actors.hub import EventHub
from qmemd.errors import RequestError
from qmemd.events import FileChanged, TaskUpdated
from qmemd.messages import CloseFeed, FeedWatched, OpenFeed, Ping, Publish, Subscribe, Unsubscribe
from qmemd.streams import Reader, StreamWish
from tests.actors.happenings import changed, seen, updated
from tests.fakes_events import Reader as Callback


class Bus:
    """The actor over a hub, whose readers tell it when they leave, as they do in a daemon."""

    def __init__(self, on_task: Callable[[TaskUpdated], object] = lambda _: None) -> None:
        self.watched: list[FeedWatched] = []
        self.no_more_ids = False
        self._numbers = itertools.count(1)
        self.hub = EventHub(
            clock=lambda: 1_000,
            new_id=self._new_id,
            on_left=self.tell,
            on_watched=self.watched.append,
        )
        self.fanout = Fanout()
        self.ref: pykka.ActorRef[EventBusActor] = EventBusActor.start(
            self.hub, self.fanout, on_task
        )
        self.tell(OpenFeed("s1"))

    def _new_id(self) -> str:
        if self.no_more_ids:
            raise RuntimeError("no more ids")
        return f"id-{next(self._numbers)}"

    def tell(self, message: Any) -> None:
        tell(self.ref, message)

    def read(self, **wish: Any) -> Reader:
        reply: Future[Reader] = Future()
        self.tell(Subscribe(StreamWish(**wish), reply))
        return reply.result(5)

    def settle(self) -> None:
        """Returns when the bus has handled everything so far."""
        reply: Future[None] = Future()
        self.tell(Ping(reply))
        reply.result(5)


@pytest.fixture
def bus() -> Iterator[Bus]:
    bus = Bus()
    yield bus
    bus.ref.stop(timeout=5)
    bus.fanout.close(5)


def test_the_actor_makes_readers_and_publishes(bus: Bus) -> None:
    bus.tell(OpenFeed("s3"))
    reader = bus.read(session_id="s3")
    bus.tell(Publish(changed("a")))
    bus.tell(CloseFeed("s3", "idle_timeout", None))
    kinds = []
    while (event := reader.take(5)) is not None:
        kinds.append(event.type)
    assert kinds == ["memory_changed", "session_closed"]
    with pytest.raises(RequestError) as gone:
        bus.read(session_id="s3")
    assert (gone.value.status, gone.value.code) == (404, "session_not_found")


def test_nobody_who_gave_up_gets_a_reader(bus: Bus) -> None:
    reply: Future[Reader] = Future()
    reply.cancel()
    bus.tell(Subscribe(StreamWish(session_id="s1"), reply))
    bus.settle()
    assert bus.hub.streams == 0
    assert bus.watched == []


def test_a_reader_that_closes_is_gone_and_others_are_not(bus: Bus) -> None:
    left, stays = bus.read(session_id="s1"), bus.read(session_id="s1")
    left.close()
    left.close()
    bus.tell(Unsubscribe("unknown"))
    bus.tell(Publish(changed("a")))
    bus.settle()
    assert seen(left) == []
    assert seen(stays) == [("memory_changed", 1, "a")]
    assert [w.readers for w in bus.watched] == [1, 2, 1]


def test_hosts_hear_of_changes_of_the_memory_and_of_nothing_else(bus: Bus) -> None:
    callback, reader = Callback(), bus.read()
    bus.fanout.subscribe(callback)
    for event in (updated("a"), FileChanged("global", "/q", "append", 1, None), changed("b")):
        bus.tell(Publish(event))
    assert callback.wait(1) == [changed("b")]
    bus.settle()
    assert [event_id for _, event_id, _ in seen(reader)] == [1, 2, 3]


def test_a_failure_is_answered_and_the_bus_goes_on(bus: Bus) -> None:
    bus.no_more_ids = True
    with pytest.raises(RequestError) as failed:
        bus.read()
    assert failed.value.code == "internal_error"
    bus.no_more_ids = False
    bus.tell("what it does not take")
    reader = bus.read()
    bus.tell(Publish(changed("a")))
    bus.settle()
    assert [event_id for _, event_id, _ in seen(reader)] == [1]


def test_the_bus_waits_for_no_reader(bus: Bus) -> None:
    slow = [bus.read(max_queued=16) for _ in range(20)]
    good = bus.read(max_queued=2_048)
    for number in range(500):
        bus.tell(Publish(changed(str(number))))
    bus.settle()
    assert bus.hub.streams == 1
    assert len([1 for _, event_id, _ in seen(good) if event_id]) == 500
    assert {seen(reader)[-1][0] for reader in slow} == {"client_evicted"}


def test_a_bus_that_stopped_refuses_to_make_readers(bus: Bus) -> None:
    reader = bus.read()
    bus.ref.stop(timeout=5)
    with pytest.raises(RequestError) as stopped:
        bus.read()
    assert stopped.value.code == "daemon_stopping"
    reader.close()


def test_who_comes_back_with_its_last_id_misses_nothing_and_gets_nothing_twice(bus: Bus) -> None:
    total = 2_000
    steady = bus.read(max_queued=2_048)
    found: dict[str, list[int]] = {}

    def come_and_go(name: str, at_once: int) -> None:
        numbers = found[name] = []
        while len(numbers) < total and time.monotonic() < deadline:
            reader = bus.read(
                last_event_id=numbers[-1] if numbers else 0, epoch=steady.epoch, max_queued=16
            )
            for _ in range(at_once):
                event = reader.take(0.01)
                if event is None:
                    break
                if event.event_id is not None:
                    numbers.append(event.event_id)
            reader.close()

    deadline = time.monotonic() + 10
    names = {str(size): size for size in (90, 150, 210, 400)}
    threads = [threading.Thread(target=come_and_go, args=item) for item in names.items()]
    for thread in threads:
        thread.start()
    for number in range(total):
        bus.tell(Publish(changed(str(number))))
    for thread in threads:
        thread.join(20)
    bus.settle()
    for numbers in (*found.values(), [i for _, i, _ in seen(steady) if i]):
        assert numbers == list(range(1, total + 1))
    assert bus.hub.streams == 1


def test_steps_of_tasks_are_told_after_they_were_fanned_out_and_may_break() -> None:
    told: list[str] = []

    def on_task(update: TaskUpdated) -> None:
        told.append(update.task_id)
        raise RuntimeError("a counter broke")

    bus = Bus(on_task)
    reader = bus.read()
    for event in (updated("t1"), changed("t1"), updated("t2")):
        bus.tell(Publish(event))
    bus.settle()
    assert told == ["t1", "t2"]
    assert [task for _, _, task in seen(reader)] == ["t1", "t1", "t2"]
