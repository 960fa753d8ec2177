from __future__ import annotations

import threading

from qmemd.actors.event_bus import EventBusActor
from qmemd.actors.fanout import Fanout
from qmemd.actors.guarded import tell
from qmemd.actors.hub import EventHub
from qmemd.actors.subscription import EventQueue
from qmemd.events import FileChanged, MemoryChanged
from qmemd.kinds import Scope
from qmemd.messages import (
    Publish,
)
from tests.fakes_events import Reader


def event(number: int = 1, originator: str | None = None) -> MemoryChanged:
    return MemoryChanged("workspace_memory_dream", f"dream-{number}", (Scope.USER,), originator)


def test_a_queue_gives_what_was_offered_in_order() -> None:
    queue = EventQueue(2)
    assert queue.offer(event(1))
    assert queue.offer(event(2))
    assert queue.take(0) == event(1)
    assert queue.take(0) == event(2)
    assert queue.take(0) is None


def test_a_full_queue_is_cut_off_and_says_so() -> None:
    queue = EventQueue(1)
    assert queue.offer(event(1))
    assert not queue.offer(event(2))
    assert queue.overflowed
    assert queue.take(0) == event(1)
    assert queue.ended
    assert not queue.offer(event(3))


def test_closing_wakes_a_reader_that_waits() -> None:
    queue = EventQueue()
    taken: list[MemoryChanged | None] = []
    reader = threading.Thread(target=lambda: taken.append(queue.take()))
    reader.start()
    queue.close()
    reader.join(5)
    assert taken == [None]


def test_every_subscriber_gets_every_event_and_a_scoped_one_its_clients_only() -> None:
    fanout, everything, mine = Fanout(), Reader(), Reader()
    fanout.subscribe(everything)
    fanout.subscribe(mine, "client_1")
    for number, originator in enumerate([None, "client_1", "client_2"]):
        fanout.publish(event(number, originator))
    assert [e.originator for e in everything.wait(3)] == [None, "client_1", "client_2"]
    assert [e.originator for e in mine.wait(1)] == ["client_1"]
    fanout.close()


def test_a_callback_that_raises_or_waits_hurts_nobody_else() -> None:
    fanout, good, gate = Fanout(), Reader(), threading.Event()
    broken: list[int] = []

    def breaks(_: MemoryChanged) -> None:
        broken.append(1)
        raise RuntimeError("host code")

    def waits(_: MemoryChanged) -> None:
        gate.wait(5)

    fanout.subscribe(breaks)
    fanout.subscribe(waits)
    fanout.subscribe(good)
    for number in range(3):
        fanout.publish(event(number))
    assert len(good.wait(3)) == 3
    gate.set()
    fanout.close()


def test_bound_methods_of_temporaries_are_held() -> None:
    seen = Reader()

    class Temporary:
        def receive(self, changed: MemoryChanged) -> None:
            seen(changed)

    fanout = Fanout()
    fanout.subscribe(Temporary().receive)
    fanout.publish(event())
    assert len(seen.wait(1)) == 1
    fanout.close()


def test_a_closed_subscription_gets_nothing_more_and_closing_again_is_harmless() -> None:
    fanout, first, second = Fanout(), Reader(), Reader()
    subscription = fanout.subscribe(first)
    fanout.subscribe(second)
    subscription.close()
    subscription.close()
    subscription.join(5)
    fanout.publish(event())
    assert len(second.wait(1)) == 1
    assert first.seen == []
    fanout.close()


def test_what_is_queued_is_still_seen_when_a_subscription_is_closed() -> None:
    fanout, reader, gate = Fanout(), Reader(), threading.Event()

    def slow(changed: MemoryChanged) -> None:
        gate.wait(5)
        reader(changed)

    subscription = fanout.subscribe(slow)
    fanout.publish(event(1))
    fanout.publish(event(2))
    gate.set()
    subscription.close()
    subscription.join(5)
    assert len(reader.seen) == 2


def test_a_subscriber_that_is_too_slow_is_cut_off_without_delaying_the_bus() -> None:
    fanout, gate, good = Fanout(), threading.Event(), Reader()
    fanout.subscribe(lambda _: gate.wait(5), capacity=2)
    fanout.subscribe(good)
    for number in range(10):
        fanout.publish(event(number))
    assert len(good.wait(10)) == 10
    gate.set()
    fanout.close()


def test_the_last_events_are_delivered_within_a_limit_when_everything_is_closed() -> None:
    fanout, reader, gate = Fanout(), Reader(), threading.Event()

    def slow(changed: MemoryChanged) -> None:
        gate.wait(5)
        reader(changed)

    fanout.subscribe(slow)
    for number in range(3):
        fanout.publish(event(number))
    threading.Timer(0.05, gate.set).start()
    fanout.close(timeout=5)
    assert len(reader.seen) == 3
    late = Reader()
    fanout.subscribe(late).join(5)
    fanout.publish(event())
    assert late.seen == []


def test_the_actor_publishes_and_what_comes_after_its_stop_is_dropped() -> None:
    fanout, reader = Fanout(), Reader()
    hub = EventHub(clock=lambda: 0, new_id=lambda: "x", on_left=lambda _: None)
    bus = EventBusActor.start(hub, fanout)
    fanout.subscribe(reader)
    tell(bus, Publish(FileChanged("global", "/q", "append", 1, None)))
    tell(bus, Publish(event()))
    reader.wait(1)
    bus.stop(timeout=5)
    bus.stop(timeout=5)
    tell(bus, Publish(event(2)))
    fanout.close(timeout=5)
    assert reader.seen == [event()]


def test_subscriptions_that_come_and_go_leave_nothing_behind() -> None:
    fanout = Fanout()
    fanout.subscribe(Reader(), "client_steady")
    for number in range(50):
        fanout.subscribe(Reader(), f"client_{number}").close()
    assert len(fanout._subscriptions) == 1
    assert len(fanout._signal.receivers) == 1
    assert len(fanout._signal._by_sender) == 1
    fanout.close(5)
    assert not fanout._signal._by_sender
