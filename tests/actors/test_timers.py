from __future__ import annotations

import queue
import threading

from qmemd.actors.child_events import (
    Alarm,
    TimerTick,
)
from qmemd.actors.timers import Timers
from tests.actors.fake_timers import FakeTimers


def test_a_timer_ticks_once_and_the_tick_counts_once() -> None:
    ticks: queue.Queue[TimerTick] = queue.Queue()
    timers = Timers(ticks.put)
    timers.set(Alarm.IDLE, 0.001)
    tick = ticks.get(timeout=5)
    assert timers.runs(Alarm.IDLE)
    assert timers.take(tick)
    assert not timers.take(tick)
    assert not timers.runs(Alarm.IDLE)


def test_ticks_of_cancelled_and_restarted_timers_are_stale() -> None:
    fake = FakeTimers()
    timers = Timers(fake.ticks.append, fake.start)
    timers.set(Alarm.IDLE, 1)
    timers.set(Alarm.TASK, 1)
    timers.set(Alarm.IDLE, 1)
    fake.run_all()
    stale, task, current = fake.ticks
    timers.cancel(Alarm.TASK)
    assert [timers.take(tick) for tick in (stale, task, current)] == [False, False, True]


def test_cancelling_ends_the_thread() -> None:
    timers = Timers(lambda _: None)
    for alarm in Alarm:
        timers.set(alarm, 60)
    waiting = [thread for thread in threading.enumerate() if thread.name == "qmemd-timer"]
    assert len(waiting) == len(Alarm)
    assert all(thread.daemon for thread in waiting)
    timers.cancel_all()
    for thread in waiting:
        thread.join(5)
        assert not thread.is_alive()
