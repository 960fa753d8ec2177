"""SIGKILL at random instants: nothing accepted is lost, and nothing is half done."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.victim import Victim

pytestmark = [pytest.mark.slow, pytest.mark.timeout(60 * 30)]

ROUNDS = int(os.environ.get("QMEMD_FAULT_ROUNDS", "6"))
"""Kills of each run; a long run sets more."""


@pytest.fixture
def victim(tmp_path: Path) -> Iterator[Victim]:
    victim = Victim(tmp_path.resolve())
    yield victim
    if victim.process is not None:
        victim.kill("both")


def fact(number: int) -> str:
    return f"The machine number {number} is called host-{number:04}"


@pytest.mark.parametrize("who", ["daemon", "child", "both"])
@pytest.mark.parametrize("seed", [1])
def test_a_kill_at_any_instant_loses_no_accepted_task(victim: Victim, who: str, seed: int) -> None:
    chance = random.Random(f"{who} {seed}")  # noqa: S311 — the same instants each time
    accepted: dict[str, int] = {}
    number = 0
    victim.start()
    for _ in range(ROUNDS):
        for _ in range(chance.randint(1, 5)):
            number += 1
            if task_id := victim.post("remember", {"content": fact(number)}):
                accepted[task_id] = number
        time.sleep(chance.uniform(0, 0.06))
        victim.kill(who)
        if victim.process is None:
            victim.start()
    for task_id, told in accepted.items():
        task = victim.ended(task_id)
        texts = [text for text in victim.documents().values() if f"host-{told:04}" in text]
        if task["status"] == "completed":
            assert len(texts) == 1, (task, texts)
            assert task["result"]["filesTouched"], task
        else:
            assert task["error"]["code"] in ("agent_crashed", "daemon_restarted"), task
            assert texts == [], task
    for told in range(1, number + 1):
        texts = [text for text in victim.documents().values() if f"host-{told:04}" in text]
        assert len(texts) <= 1, texts
    assert len(accepted) > ROUNDS
    assert victim.stop() == 0
    victim.check_files()
    victim.check_processes()


def test_an_orphan_commits_nothing_while_the_next_daemon_works(victim: Victim) -> None:
    tasks = []
    for number in range(1, 7):
        victim.start()
        if number % 2:  # so that none is killed three times, after which it may fail
            for task_id in tasks:
                assert task_id
                assert victim.ended(task_id)["status"] == "completed"
        tasks.append(victim.post("remember", {"content": fact(number)}))
        victim.kill("daemon")
    victim.start()
    for number, task_id in enumerate(tasks, 1):
        assert task_id
        assert victim.ended(task_id)["status"] == "completed"
        assert sum(f"host-{number:04}" in text for text in victim.documents().values()) == 1
    assert victim.stop() == 0
    victim.check_files()
    victim.check_processes()


def test_stopping_with_a_full_queue_keeps_all_of_it(victim: Victim) -> None:
    victim.start()
    tasks = [victim.post("remember", {"content": fact(number)}) for number in range(1, 17)]
    assert victim.stop() == 0
    victim.check_processes()
    victim.check_files()
    victim.start()
    for task_id in tasks:
        assert task_id
        assert victim.ended(task_id)["status"] == "completed"
    assert len(victim.documents()) == 16
    assert victim.stop() == 0
    victim.check_files()
