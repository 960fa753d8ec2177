from __future__ import annotations

import threading

import pytest

from qmemd.actors.feed import Feed
from qmemd.actors.reader import FeedReader
from qmemd.actors.ring import RING_SIZE
from qmemd.events import MEMORY_CHANGED, TASK_UPDATED, FileChanged, SessionClosed
from tests.actors.happenings import changed, seen, taken, updated


class Rig:
    def __init__(self) -> None:
        self.counts: list[int] = []
        self.now = 0
        self.feed = Feed("epoch", self.clock, self.counts.append)
        self.left: list[str] = []

    def clock(self) -> int:
        return self.now

    def read(
        self,
        name: str,
        cursor: int | None = None,
        epoch: str | None = None,
        max_queued: int = 256,
        **senders: str,
    ) -> FeedReader:
        return self.feed.subscribe(
            name,
            senders=senders,
            cursor=cursor,
            epoch=epoch,
            opening=(),
            max_queued=max_queued,
            on_close=lambda: self.left.append(name),
        )

    def publish(self, count: int, originator: str | None = None) -> None:
        for number in range(count):
            self.feed.publish(changed(str(number), originator))


@pytest.fixture
def rig() -> Rig:
    return Rig()


def test_without_a_cursor_nothing_is_replayed_and_nothing_said_of_it(rig: Rig) -> None:
    rig.publish(2)
    reader = rig.read("a")
    assert taken(reader) == []
    rig.publish(1)
    assert [e["id"] for e in taken(reader)] == [3]


def test_every_frame_carries_the_time_at_which_it_was_made(rig: Rig) -> None:
    rig.now = 5
    rig.publish(1)
    rig.now = 9
    event, complete = taken(rig.read("a", 0))
    assert event["_meta"] == {"serverTimestamp": 5}
    assert complete["_meta"] == {"serverTimestamp": 9}


def test_the_replay_counts_what_the_reader_listens_to(rig: Rig) -> None:
    for client in ("client_1", "client_2", None):
        rig.publish(2, client)
        rig.feed.publish(updated("t", client))
    reader = rig.read("a", 1, memory_changed="client_1", task_updated="client_2")
    events = taken(reader)
    assert [(e.get("id"), e["type"]) for e in events] == [
        (2, MEMORY_CHANGED),
        (6, TASK_UPDATED),
        (None, "replay_complete"),
    ]
    assert events[-1]["data"] == {
        "replayedCount": 2,
        "lastReplayedEventId": 6,
        "lastEventId": 6,
    }


def test_a_reader_who_missed_nothing_is_told_no_ids(rig: Rig) -> None:
    rig.publish(3)
    [complete] = taken(rig.read("a", 3, "epoch"))
    assert complete["data"] == {"replayedCount": 0}
    assert "id" not in complete


def test_a_cursor_from_the_future_begins_anew_without_a_detail(rig: Rig) -> None:
    rig.publish(1)
    resync, event, _ = taken(rig.read("a", 2))
    assert resync["data"] == {
        "reason": "epoch_reset",
        "lastDeliveredId": 2,
        "earliestAvailableId": 1,
    }
    assert event["id"] == 1


def test_a_ring_that_is_full_of_events_says_what_it_lost(rig: Rig) -> None:
    rig.publish(RING_SIZE + 5)
    resync, first, *_, complete = taken(rig.read("a", 3, max_queued=16))
    assert resync["data"] == {
        "reason": "ring_evicted",
        "lastDeliveredId": 3,
        "earliestAvailableId": 6,
    }
    assert first["id"] == 6
    assert complete["data"]["replayedCount"] == RING_SIZE
    assert taken(rig.read("b", 5))[0]["id"] == 6


def test_a_ring_that_is_full_of_bytes_says_so_and_its_replay_passes_any_queue(rig: Rig) -> None:
    mebibyte = "x" * 2**20
    for _ in range(10):
        rig.feed.publish(FileChanged("global", mebibyte, "replace", 1, None))
    events = taken(rig.read("a", 0, max_queued=16))
    assert events[0]["data"]["reason"] == "ring_evicted"
    assert events[0]["data"]["earliestAvailableId"] == 4
    assert [e.get("id") for e in events] == [None, 4, 5, 6, 7, 8, 9, 10, None]


def test_what_is_new_comes_after_the_replay_in_order(rig: Rig) -> None:
    rig.publish(2)
    reader = rig.read("a", 0)
    rig.publish(2)
    assert [e.get("id") for e in taken(reader)] == [1, 2, None, 3, 4]


def test_the_number_of_readers_is_told_at_each_change(rig: Rig) -> None:
    rig.read("a")
    slow = rig.read("b", max_queued=16)
    assert rig.feed.remove("a")
    assert not rig.feed.remove("a")
    rig.publish(17)
    assert rig.counts == [1, 2, 1, 0]
    assert taken(slow)[-1]["type"] == "client_evicted"
    assert rig.left == []


def test_several_may_be_cut_off_by_the_same_event(rig: Rig) -> None:
    slow = [rig.read(str(number), max_queued=16) for number in range(5)]
    good = rig.read("good")
    rig.publish(17)
    assert rig.feed.readers == 1
    for reader in slow:
        assert [e["type"] for e in taken(reader)].count("client_evicted") == 1
        assert reader.ended
    assert [e["id"] for e in taken(good)] == list(range(1, 18))


def test_the_last_event_ends_all_who_read_and_ending_again_is_harmless(rig: Rig) -> None:
    readers = [rig.read("a"), rig.read("b", memory_changed="client_1")]
    rig.feed.publish(SessionClosed("s", "client_close", None), last=True)
    assert rig.feed.readers == 0
    rig.feed.end()
    for reader in readers:
        assert [e[0] for e in seen(reader)] == ["session_closed"]
        assert reader.ended


def test_a_reader_that_fails_costs_the_others_nothing(
    rig: Rig, caplog: pytest.LogCaptureFixture
) -> None:
    broken, good = rig.read("broken", max_queued=16), rig.read("good")

    def no_clock() -> int:
        raise RuntimeError("no time")

    broken._clock = no_clock  # the reader's own; it is asked when it has to be warned
    rig.publish(13)
    assert [e["id"] for e in taken(good)] == list(range(1, 14))
    assert "a reader of memory_changed failed" in caplog.text


def test_readers_who_come_and_go_leave_nothing_behind(rig: Rig) -> None:
    rig.read("steady", memory_changed="client_steady")
    for number in range(100):
        client = f"client_{number}"
        rig.read(client, memory_changed=client, task_updated=client)
        rig.feed.remove(client)
    for signal in rig.feed._signals.values():
        assert len(signal.receivers) == 1
        assert len(signal._by_sender) == 1
        assert len(signal._by_receiver) == 1


def test_readers_may_close_while_the_feed_publishes(rig: Rig) -> None:
    readers = [rig.read(str(number), max_queued=2_048) for number in range(50)]
    steady = rig.read("steady", max_queued=2_048)
    begin = threading.Barrier(2)

    def close_all() -> None:
        begin.wait(5)
        for reader in readers:
            reader.close()

    closing = threading.Thread(target=close_all)
    closing.start()
    begin.wait(5)
    rig.publish(300)
    closing.join(5)
    rig.publish(1)
    assert rig.feed.readers == 1
    assert len(rig.left) == 50
    assert [e["id"] for e in taken(steady) if "id" in e] == list(range(1, 302))
    assert all(reader.take(0) is None for reader in readers)
