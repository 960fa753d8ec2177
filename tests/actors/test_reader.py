from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from typing import Any

import pytest

from qmemd.actors.reader import FeedReader
from qmemd.events import Event, envelope


def event(number: int | None, size: int = 0, *, last: bool = False) -> Event:
    data = {"x": "x" * size}
    return envelope("memory_changed", data, timestamp=0, event_id=number, last=last)


class Rig:
    def __init__(
        self, max_queued: int = 16, max_bytes: int = 10**6, first: Sequence[Event] = ()
    ) -> None:
        self.left = 0
        self.reader = FeedReader(
            stream_id="s",
            epoch="e",
            first=first,
            max_queued=max_queued,
            clock=lambda: 7,
            on_close=self._on_close,
            max_bytes=max_bytes,
        )

    def _on_close(self) -> None:
        self.left += 1

    def take_all(self) -> list[Event]:
        taken = []
        while (one := self.reader.take(0)) is not None:
            taken.append(one)
        return taken


def names(events: list[Event]) -> list[int | str]:
    return [event.event_id or event.type for event in events]


def data(event: Event) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(event.body)
    assert "id" not in told
    assert told["_meta"] == {"serverTimestamp": 7}
    found: dict[str, Any] = told["data"]
    return found


def test_events_come_in_order_after_what_comes_first() -> None:
    rig = Rig(first=[event(1), event(2)])
    for number in (3, 4):
        assert rig.reader.offer(event(number))
    assert names(rig.take_all()) == [1, 2, 3, 4]
    assert rig.reader.take(0) is None
    assert not rig.reader.ended


def test_what_comes_first_does_not_count() -> None:
    rig = Rig(first=[event(number) for number in range(1, 101)])
    for number in range(101, 112):
        assert rig.reader.offer(event(number))
    assert names(rig.take_all()) == list(range(1, 112))


def test_a_slow_reader_is_warned_once_until_it_has_caught_up() -> None:
    rig = Rig(16)
    for number in range(1, 15):
        assert rig.reader.offer(event(number))
    taken = [rig.reader.take(0) for _ in range(13)]
    assert names([e for e in taken if e]) == [*range(1, 13), "slow_client_warning"]
    assert taken[-1]
    warning = data(taken[-1])
    assert warning["lastEventId"] == 12
    assert (warning["queueSize"], warning["maxQueued"]) == (12, 16)
    for number in range(15, 26):
        assert rig.reader.offer(event(number))
    assert names(rig.take_all()).count("slow_client_warning") == 1


def test_a_reader_that_stays_half_full_is_not_warned_again() -> None:
    rig = Rig(16)
    for number in range(1, 13):
        rig.reader.offer(event(number))
    for _ in range(5):
        rig.reader.take(0)
    for number in range(13, 18):
        rig.reader.offer(event(number))
    assert names(rig.take_all()).count("slow_client_warning") == 1


def test_a_full_queue_ends_the_stream_and_says_so_last() -> None:
    rig = Rig(16)
    for number in range(1, 17):
        assert rig.reader.offer(event(number))
    assert not rig.reader.offer(event(17))
    assert not rig.reader.offer(event(18))
    taken = rig.take_all()
    assert names(taken) == [
        *range(1, 13),
        "slow_client_warning",
        *range(13, 17),
        "client_evicted",
    ]
    assert taken[-1].last
    told = data(taken[-1])
    assert (told["reason"], told["droppedAfter"]) == ("queue_overflow", 16)
    assert (told["queueSize"], told["maxQueued"]) == (16, 16)
    assert rig.reader.ended


def test_bytes_are_bounded_too() -> None:
    size = len(event(1, 1_000).body)
    rig = Rig(2_048, max_bytes=4 * size)
    offered = [rig.reader.offer(event(number, 1_000)) for number in range(1, 7)]
    assert offered == [True] * 4 + [False] * 2
    taken = rig.take_all()
    assert names(taken) == [1, 2, 3, "slow_client_warning", 4, "client_evicted"]
    told = data(taken[-1])
    assert told["reason"] == "queue_bytes_overflow"
    assert (told["queuedBytes"], told["maxQueuedBytes"]) == (4 * size, 4 * size)
    assert told["eventBytes"] == size


def test_the_last_event_ends_it() -> None:
    rig = Rig()
    assert not rig.reader.offer(event(1, last=True))
    assert not rig.reader.offer(event(2))
    assert names(rig.take_all()) == [1]
    assert rig.reader.ended


def test_ending_from_above_lets_the_rest_be_read() -> None:
    rig = Rig(first=[event(1)])
    rig.reader.offer(event(2))
    rig.reader.end()
    assert not rig.reader.offer(event(3))
    assert names(rig.take_all()) == [1, 2]
    assert rig.reader.ended
    rig.reader.close()
    assert rig.left == 0


def test_leaving_is_told_once_and_drops_the_rest() -> None:
    rig = Rig(first=[event(1)])
    rig.reader.offer(event(2))
    rig.reader.close()
    rig.reader.close()
    assert rig.left == 1
    assert rig.reader.ended
    assert rig.take_all() == []


@pytest.mark.parametrize("end", ["close", "end"])
def test_who_waits_is_woken(end: str) -> None:
    rig = Rig()
    taken: list[Event | None] = []
    waiting = threading.Thread(target=lambda: taken.append(rig.reader.take()))
    waiting.start()
    getattr(rig.reader, end)()
    waiting.join(5)
    assert taken == [None]


def test_an_offer_wakes_who_waits() -> None:
    rig = Rig()
    taken: list[Event | None] = []
    waiting = threading.Thread(target=lambda: taken.append(rig.reader.take(5)))
    waiting.start()
    rig.reader.offer(event(1))
    waiting.join(5)
    assert taken == [event(1)]


def test_the_warning_comes_at_three_quarters_and_again_only_after_catching_up() -> None:
    rig = Rig(16)

    def offer_until(waiting: int) -> None:
        while rig.reader._numbered < waiting:
            assert rig.reader.offer(event(1))

    def warnings_after_taking_down_to(waiting: int) -> int:
        told = []
        while rig.reader._numbered > waiting:
            told.append(rig.reader.take(0))
        return [one.type for one in told if one].count("slow_client_warning")

    offer_until(11)
    assert warnings_after_taking_down_to(0) == 0
    offer_until(12)
    assert warnings_after_taking_down_to(6) == 0
    offer_until(12)
    assert warnings_after_taking_down_to(5) == 1
    offer_until(12)
    assert names(rig.take_all()).count("slow_client_warning") == 1


def test_bytes_warn_and_rearm_as_well() -> None:
    size = len(event(1, 1_000).body)
    rig = Rig(2_048, max_bytes=8 * size)
    for _ in range(2):
        for _ in range(6):
            assert rig.reader.offer(event(1, 1_000))
        taken = rig.take_all()
        assert [one.type for one in taken].count("slow_client_warning") == 1
        assert data(taken[-1])["queuedBytes"] == 6 * size


def test_warnings_take_no_place_of_an_event() -> None:
    rig = Rig(16)
    assert [rig.reader.offer(event(number)) for number in range(1, 18)] == [True] * 16 + [False]


def test_a_reader_that_is_cut_off_still_gets_its_replay() -> None:
    rig = Rig(16, first=[event(1), event(2)])
    for number in range(3, 20):
        rig.reader.offer(event(number))
    taken = rig.take_all()
    assert names(taken)[:3] == [1, 2, 3]
    assert names(taken)[-1] == "client_evicted"
    assert rig.left == 0


def test_closing_what_was_cut_off_tells_nobody_again() -> None:
    rig = Rig(16)
    for number in range(1, 20):
        rig.reader.offer(event(number))
    rig.reader.close()
    assert rig.left == 0
    assert rig.reader.ended
    assert rig.take_all() == []


def test_a_reader_that_left_takes_nothing_more() -> None:
    rig = Rig()
    rig.reader.close()
    assert not rig.reader.offer(event(1))
    assert rig.reader.take() is None


def test_many_who_close_at_once_leave_once() -> None:
    rig = Rig()
    begin = threading.Barrier(4)

    def close() -> None:
        begin.wait(5)
        rig.reader.close()

    threads = [threading.Thread(target=close) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(5)
    assert rig.left == 1
