from __future__ import annotations

import itertools
from typing import Any

import pytest

from qmemd.actors.hub import EventHub
from qmemd.actors.reader import FeedReader
from qmemd.errors import RequestError
from qmemd.events import FileChanged
from qmemd.messages import FeedWatched, Unsubscribe
from qmemd.streams import StreamWish
from tests.actors.happenings import changed, seen, taken, updated


class Rig:
    def __init__(self, max_streams: int = 256) -> None:
        self.left: list[Unsubscribe] = []
        self.watched: list[FeedWatched] = []
        numbers = itertools.count(1)
        self.hub = EventHub(
            clock=lambda: 1_000,
            new_id=lambda: f"id-{next(numbers)}",
            on_left=self.left.append,
            on_watched=self.watched.append,
            max_streams=max_streams,
        )

    def read(self, **wish: Any) -> FeedReader:
        return self.hub.subscribe(StreamWish(**wish))


@pytest.fixture
def rig() -> Rig:
    rig = Rig()
    rig.hub.open_session("s1")
    rig.hub.open_session("s2")
    return rig


def test_a_change_reaches_all_sessions_and_the_workspace_each_with_ids_of_its_own(
    rig: Rig,
) -> None:
    readers = [rig.read(session_id="s1"), rig.read(session_id="s2"), rig.read()]
    rig.hub.publish(updated("a"))
    rig.hub.publish(changed("a", "client_1"))
    assert seen(readers[0]) == seen(readers[1]) == [("memory_changed", 1, "a")]
    assert seen(readers[2]) == [("task_updated", 1, "a"), ("memory_changed", 2, "a")]


def test_the_envelope_names_who_caused_it(rig: Rig) -> None:
    reader = rig.read(session_id="s1")
    rig.hub.publish(changed("a", "client_1"))
    rig.hub.publish(FileChanged("workspace", "/w/QWEN.md", "append", 9, None))
    first, second = taken(reader)
    assert first == {
        "id": 1,
        "v": 1,
        "type": "memory_changed",
        "data": {
            "scope": "managed",
            "source": "workspace_memory_dream",
            "taskId": "a",
            "touchedScopes": ["user"],
        },
        "originatorClientId": "client_1",
        "_meta": {"serverTimestamp": 1_000},
    }
    assert "originatorClientId" not in second
    assert second["data"] == {
        "scope": "workspace",
        "filePath": "/w/QWEN.md",
        "mode": "append",
        "bytesWritten": 9,
    }


def test_updates_of_tasks_are_for_those_who_may_see_them(rig: Rig) -> None:
    anonymous, mine = rig.read(), rig.read(client_id="client_1")
    only_mine = rig.read(client_id="client_1", originator="client_1")
    for client in (None, "client_1", "client_2"):
        rig.hub.publish(updated(f"of {client}", client))
        rig.hub.publish(changed(f"of {client}", client))
    changes = [
        ("memory_changed", 2, "of None"),
        ("memory_changed", 4, "of client_1"),
        ("memory_changed", 6, "of client_2"),
    ]
    assert seen(anonymous) == [("task_updated", 1, "of None"), *changes]
    assert seen(mine) == [changes[0], ("task_updated", 3, "of client_1"), *changes[1:]]
    assert seen(only_mine) == [("task_updated", 3, "of client_1"), changes[1]]
    again = rig.read(client_id="client_1", originator="client_1", last_event_id=0)
    assert [e[1] for e in seen(again)] == [3, 4, None]


def test_a_reader_that_comes_back(rig: Rig) -> None:
    epoch = rig.read(session_id="s1").epoch
    for number in range(1, 4):
        rig.hub.publish(changed(str(number)))
    reader = rig.read(session_id="s1", last_event_id=1, epoch=epoch, max_queued=16)
    rig.hub.publish(changed("4"))
    events = taken(reader)
    assert [e.get("id", e["type"]) for e in events] == [2, 3, "replay_complete", 4]
    assert events[2]["data"] == {"replayedCount": 2, "lastReplayedEventId": 3, "lastEventId": 3}


def test_a_replay_may_be_longer_than_the_queue(rig: Rig) -> None:
    for number in range(1_000):
        rig.hub.publish(changed(str(number)))
    reader = rig.read(session_id="s1", last_event_id=0, max_queued=16)
    assert len(taken(reader)) == 1_001


def test_a_reader_of_another_epoch_is_told_to_start_anew(rig: Rig) -> None:
    rig.hub.publish(changed("a"))
    resync, event, complete = taken(rig.read(session_id="s1", last_event_id=9, epoch="old"))
    assert resync["type"] == "state_resync_required"
    assert resync["data"] == {
        "reason": "epoch_reset",
        "lastDeliveredId": 9,
        "earliestAvailableId": 1,
        "detail": "epoch_mismatch",
    }
    assert "id" not in resync
    assert event["id"] == 1
    assert complete["data"]["replayedCount"] == 1


def test_the_snapshot_of_a_session_comes_before_everything(rig: Rig) -> None:
    snapshot, complete = taken(rig.read(session_id="s1", snapshot=True, last_event_id=0))
    assert snapshot["type"] == "session_snapshot"
    assert snapshot["data"]["sessionId"] == "s1"
    assert complete["data"] == {"replayedCount": 0}


def test_the_number_of_readers_is_told_however_they_go(rig: Rig) -> None:
    first, second = rig.read(session_id="s1"), rig.read(session_id="s1", max_queued=16)
    assert rig.hub.streams == 2
    first.close()
    first.close()
    assert rig.left == [Unsubscribe(first.stream_id)]
    rig.hub.remove(first.stream_id)
    rig.hub.remove(first.stream_id)
    for number in range(20):
        rig.hub.publish(changed(str(number)))
    assert taken(second)[-1]["type"] == "client_evicted"
    assert rig.hub.streams == 0
    assert [(w.session_id, w.readers) for w in rig.watched] == [
        ("s1", 1),
        ("s1", 2),
        ("s1", 1),
        ("s1", 0),
    ]


def test_a_slow_reader_costs_the_others_nothing(rig: Rig) -> None:
    rig.read(session_id="s1", max_queued=16)
    good = rig.read(session_id="s1")
    for number in range(200):
        rig.hub.publish(changed(str(number)))
    assert [e["id"] for e in taken(good) if "id" in e] == list(range(1, 201))


def test_closing_a_session_is_its_last_event(rig: Rig) -> None:
    reader, other = rig.read(session_id="s1"), rig.read(session_id="s2")
    rig.hub.close_session("s1", "client_close", "client_1")
    rig.hub.close_session("s1", "client_close", "client_1")
    [closed] = taken(reader)
    assert (closed["id"], closed["type"]) == (1, "session_closed")
    assert closed["data"] == {
        "sessionId": "s1",
        "reason": "client_close",
        "closedBy": "client_1",
    }
    assert reader.ended
    assert not other.ended
    with pytest.raises(RequestError) as gone:
        rig.read(session_id="s1")
    assert (gone.value.code, gone.value.extra) == ("session_not_found", {"sessionId": "s1"})


def test_there_is_a_limit_of_readers_in_all() -> None:
    rig = Rig(max_streams=2)
    rig.hub.open_session("s1")
    rig.read()
    reader = rig.read(session_id="s1")
    for session_id in (None, "s1"):
        with pytest.raises(RequestError) as full:
            rig.read(session_id=session_id)
        assert (full.value.code, full.value.extra) == ("subscriber_limit_exceeded", {"limit": 2})
    rig.hub.remove(reader.stream_id)
    rig.read(session_id="s1")


@pytest.mark.parametrize("sessions_end", [True, False])
def test_closing_the_hub_ends_everything(rig: Rig, sessions_end: bool) -> None:
    readers = [rig.read(session_id="s1"), rig.read()]
    rig.hub.publish(changed("a"))
    rig.hub.close(sessions_end=sessions_end)
    rig.hub.close(sessions_end=sessions_end)
    told = [e["type"] for e in taken(readers[0])]
    assert told == ["memory_changed", *["session_closed"] * sessions_end]
    assert [e["type"] for e in taken(readers[1])] == ["memory_changed"]
    assert all(reader.ended for reader in readers)
    assert rig.hub.streams == 0


def test_session_feeds_hear_of_no_tasks_and_of_nothing_from_before_they_were_opened(
    rig: Rig,
) -> None:
    rig.hub.publish(changed("before"))
    rig.hub.open_session("s3")
    rig.hub.publish(updated("a"))
    rig.hub.publish(changed("a"))
    assert seen(rig.read(session_id="s3", last_event_id=0))[:-1] == [("memory_changed", 1, "a")]


def test_opening_a_session_again_keeps_its_feed(rig: Rig) -> None:
    reader = rig.read(session_id="s1")
    rig.hub.open_session("s1")
    rig.hub.publish(changed("a"))
    assert rig.read(session_id="s1").epoch == reader.epoch
    assert seen(reader) == [("memory_changed", 1, "a")]


def test_every_feed_has_an_epoch_of_its_own(rig: Rig) -> None:
    epochs = {rig.read(session_id=session_id).epoch for session_id in (None, "s1", "s2")}
    assert len(epochs) == 3


def test_a_stranger_hears_of_changes_but_of_nobodys_tasks(rig: Rig) -> None:
    stranger = rig.read(client_id="client_9", originator="client_8")
    for client in (None, "client_1"):
        rig.hub.publish(updated("a", client))
        rig.hub.publish(changed("a", client))
    assert seen(stranger) == []
    rig.hub.publish(changed("b", "client_8"))
    assert seen(stranger) == [("memory_changed", 5, "b")]


def test_places_come_free_however_a_reader_went() -> None:
    rig = Rig(max_streams=1)
    rig.hub.open_session("s1")
    slow = rig.read(max_queued=16)
    for number in range(17):
        rig.hub.publish(changed(str(number)))
    assert taken(slow)[-1]["type"] == "client_evicted"
    rig.read(session_id="s1")
    rig.hub.close_session("s1", "idle_timeout", None)
    gone = rig.read()
    gone.close()
    with pytest.raises(RequestError) as full:
        rig.read()
    assert (full.value.status, full.value.code) == (429, "subscriber_limit_exceeded")
    rig.hub.publish(changed("x"))
    rig.read()


def test_a_session_that_is_closed_tells_the_last_count_too(rig: Rig) -> None:
    rig.read(session_id="s1")
    rig.read(session_id="s1")
    rig.hub.close_session("s1", "client_close", None)
    assert [w.readers for w in rig.watched] == [1, 2, 1, 0]
    assert rig.hub.streams == 0


def test_a_reader_that_is_full_gets_the_cutting_off_and_no_closing(rig: Rig) -> None:
    reader = rig.read(session_id="s1", max_queued=16)
    for number in range(16):
        rig.hub.publish(changed(str(number)))
    rig.hub.close_session("s1", "client_close", None)
    assert taken(reader)[-1]["type"] == "client_evicted"
    assert reader.ended
