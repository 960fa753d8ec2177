"""SIGKILL while a text is being erased: once the task is completed, no file holds it."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import bytes_below
from tests.faults.victim import Victim

pytestmark = [pytest.mark.slow, pytest.mark.timeout(60 * 30)]

ROUNDS = int(os.environ.get("QMEMD_FAULT_ROUNDS", "6"))
"""Kills of the run; a long run sets more."""


@pytest.fixture
def victim(tmp_path: Path) -> Iterator[Victim]:
    victim = Victim(tmp_path.resolve())
    victim.start()
    yield victim
    if victim.process is not None:
        victim.kill("both")


def traces(victim: Victim, word: str) -> list[Path]:
    held = bytes_below(victim.base, victim.state)
    return [path for path, content in held.items() if word.encode() in content]


def test_a_kill_at_any_instant_leaves_nothing_of_an_erased_text(victim: Victim) -> None:
    chance = random.Random(5)  # noqa: S311 — the same instants each time
    for number in range(ROUNDS):
        word = f"zebra{number:03}q"
        remembered = victim.post("remember", {"content": f"The codename is {word} and no other"})
        assert remembered
        victim.ended(remembered)
        assert traces(victim, word)
        task_id = victim.post("forget", {"query": f"codename {word}", "erase": True})
        time.sleep(chance.uniform(0, 0.05))
        victim.kill(chance.choice(["daemon", "both", "child"]))
        if victim.process is None:
            victim.start()
        assert task_id
        task = victim.ended(task_id)
        if task["status"] == "completed":
            assert task["result"]["removedEntries"], task
            assert traces(victim, word) == [], task
        else:
            assert task["error"]["code"] == "agent_crashed"
    assert victim.stop() == 0
    victim.check_files()
    victim.check_processes()
