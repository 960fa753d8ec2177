from __future__ import annotations

from qmemd.events import TaskUpdated
from qmemd.kinds import TaskKind, TaskStatus
from qmemd.metrics.task_tally import TaskTally
from qmemd.results import Usage

QUEUED, RUNNING = TaskStatus.QUEUED, TaskStatus.RUNNING
COMPLETED, FAILED = TaskStatus.COMPLETED, TaskStatus.FAILED


def step(
    before: TaskStatus | None,
    now: TaskStatus,
    seconds: float | None = None,
    code: str | None = None,
    usage: Usage | None = None,
) -> TaskUpdated:
    return TaskUpdated(
        *("dream-1", TaskKind.DREAM, now, None),
        before=before,
        seconds=seconds,
        code=code,
        usage=usage,
    )


def observed(tally: TaskTally) -> tuple[tuple[int, float], tuple[int, float]]:
    """Count and sum of the waiting and the running of dreams."""
    numbers = tally.numbers()
    [waited] = [each for each in numbers.queued if each.kind == "dream"]
    [ran] = [each for each in numbers.ran if each.kind == "dream"]
    return (waited.buckets[-1][1], waited.seconds), (ran.buckets[-1][1], ran.seconds)


def test_a_whole_life_is_counted_once() -> None:
    tally = TaskTally()
    tally.heard(step(None, QUEUED))
    tally.heard(step(QUEUED, RUNNING, 0.25))
    tally.heard(step(RUNNING, COMPLETED, 1.5, usage=Usage(2, 30, 4)))
    numbers = tally.numbers()
    assert numbers.ended["dream", "completed"] == 1
    assert sum(numbers.ended.values()) == 1
    assert observed(tally) == ((1, 0.25), (1, 1.5))
    assert (numbers.model_calls, numbers.input_tokens, numbers.output_tokens) == (2, 30, 4)


def test_failures_are_counted_by_their_code_and_waiting_is_no_run() -> None:
    tally = TaskTally()
    tally.heard(step(QUEUED, FAILED, 9, "task_cancelled"))
    tally.heard(step(None, FAILED, None, "daemon_restarted"))
    assert observed(tally) == ((0, 0), (0, 0))
    ended = {key: count for key, count in tally.numbers().ended.items() if count}
    assert ended == {("dream", "task_cancelled"): 1, ("dream", "daemon_restarted"): 1}


def test_a_run_that_was_given_back_waits_again_and_has_not_ended() -> None:
    tally = TaskTally()
    tally.heard(step(QUEUED, RUNNING, 1))
    tally.heard(step(RUNNING, QUEUED, 5))
    tally.heard(step(QUEUED, RUNNING, 2))
    assert observed(tally) == ((2, 3.0), (0, 0))
    assert not any(tally.numbers().ended.values())


def test_every_kind_begins_at_zero() -> None:
    assert TaskTally().numbers().ended == {(kind.value, "completed"): 0 for kind in TaskKind}
