from __future__ import annotations

import hypothesis.strategies as st
from hypothesis import given, settings
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from qmemd.actors.ring import Gap, Kept, ReplayRing
from qmemd.events import Event, envelope


def event(number: int, size: int = 0) -> Event:
    return envelope("memory_changed", {"x": "x" * size}, timestamp=0, event_id=number)


def filled(count: int, size: int = 8_000, max_bytes: int = 10**9, payload: int = 0) -> ReplayRing:
    ring = ReplayRing("epoch", size=size, max_bytes=max_bytes)
    for _ in range(count):
        ring.append(event(ring.next_id, payload), "sender")
    return ring


def ids(kept: tuple[Kept, ...]) -> list[int | None]:
    return [item.event.event_id for item in kept]


def test_what_is_newer_than_the_cursor_is_replayed() -> None:
    ring = filled(5)
    assert ring.since(3, None) == (None, ring.since(3, "epoch")[1])
    assert ids(ring.since(3, "epoch")[1]) == [4, 5]
    assert ids(ring.since(0, None)[1]) == [1, 2, 3, 4, 5]
    assert ring.since(5, None) == (None, ())


def test_another_epoch_means_everything_again() -> None:
    gap, kept = filled(2).since(1, "before")
    assert gap == Gap("epoch_reset", 1, "epoch_mismatch")
    assert ids(kept) == [1, 2]


def test_a_cursor_from_the_future_is_of_another_epoch_too() -> None:
    gap, kept = filled(2).since(3, None)
    assert gap == Gap("epoch_reset", 1)
    assert ids(kept) == [1, 2]
    assert ReplayRing("e").since(1, None) == (Gap("epoch_reset", 1), ())


def test_what_went_from_the_ring_is_said() -> None:
    ring = filled(10, size=3)
    assert ring.since(6, None) == (Gap("ring_evicted", 8), ring.since(7, None)[1])
    assert ring.since(7, None)[0] is None
    assert ids(ring.since(8, None)[1]) == [9, 10]


def test_bytes_bound_the_ring_as_well() -> None:
    one = len(event(1, 100).body)
    ring = filled(9, max_bytes=3 * one, payload=100)
    assert ids(ring.since(0, None)[1]) == [7, 8, 9]


@given(count=st.integers(0, 30), size=st.integers(1, 10), cursor=st.integers(0, 40))
def test_a_ring_is_the_end_of_a_list(count: int, size: int, cursor: int) -> None:
    everything = list(range(1, count + 1))
    kept = everything[-size:]
    gap, replayed = filled(count, size=size).since(cursor, None)
    if cursor > count:
        assert gap is not None
        assert gap.reason == "epoch_reset"
        assert ids(replayed) == kept
        return
    assert ids(replayed) == [number for number in kept if number > cursor]
    missing = [number for number in everything if number > cursor and number not in kept]
    assert (gap is not None) == bool(missing)
    assert gap is None or gap.earliest == (kept[0] if kept else count + 1)


def test_an_event_that_is_larger_than_the_ring_is_numbered_and_not_kept() -> None:
    ring = filled(2, max_bytes=500)
    ring.append(event(3, 1_000), "sender")
    assert ring.next_id == 4
    assert ring.since(2, None) == (Gap("ring_evicted", 4), ())
    assert ring.since(3, None) == (None, ())


def test_the_sender_is_kept_with_the_event() -> None:
    ring = ReplayRing("e")
    ring.append(event(1), "client_1")
    assert ring.since(0, None)[1] == (Kept(event(1), "client_1"),)


class RingMachine(RuleBasedStateMachine):
    """A ring beside a list of all that was ever put into it."""

    SIZE = 6
    BYTES = 1_200

    def __init__(self) -> None:
        super().__init__()
        self.ring = ReplayRing("now", size=self.SIZE, max_bytes=self.BYTES)
        self.everything: list[Event] = []

    @rule(payload=st.sampled_from([0, 0, 0, 100, 500, 2_000]))
    def append(self, payload: int) -> None:
        made = event(self.ring.next_id, payload)
        self.everything.append(made)
        self.ring.append(made, "sender")

    @rule(cursor=st.integers(0, 25), epoch=st.sampled_from([None, "now", "before"]))
    def ask(self, cursor: int, epoch: str | None) -> None:
        gap, replayed = self.ring.since(cursor, epoch)
        kept = self.kept()
        newest = len(self.everything)
        earliest = newest - len(kept) + 1
        if epoch == "before":
            assert gap == Gap("epoch_reset", earliest, "epoch_mismatch")
        elif cursor > newest:
            assert gap == Gap("epoch_reset", earliest)
        else:
            kept = [one for one in kept if (one.event_id or 0) > cursor]
            whole = kept == self.everything[cursor:]
            assert gap == (None if whole else Gap("ring_evicted", earliest))
        assert [item.event for item in replayed] == kept

    @invariant()
    def counts_on(self) -> None:
        assert self.ring.next_id == len(self.everything) + 1

    def kept(self) -> list[Event]:
        kept = self.everything[-self.SIZE :]
        while sum(len(one.body) for one in kept) > self.BYTES:
            kept = kept[1:]
        return kept


RingMachine.TestCase.settings = settings(max_examples=40, stateful_step_count=25, deadline=None)
TestRing = RingMachine.TestCase
