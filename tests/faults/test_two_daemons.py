"""Two daemons with one home: their commits do not interleave, and editors lose nothing."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from tests.faults.victim import Victim

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]


def test_what_two_daemons_write_is_all_there(tmp_path: Path) -> None:
    root = tmp_path.resolve()
    (root / "one").mkdir()
    (root / "two").mkdir()
    base = str(root / "base")
    daemons = [Victim(root / name, QWEN_CODE_MEMORY_BASE_DIR=base) for name in ("one", "two")]
    for daemon in daemons:
        daemon.base = root / "base"
        daemon.start()
    failures: list[object] = []

    def work(name: str, daemon: Victim) -> None:
        for number in range(15):
            body = {"content": f"{name} fact {number} is {name}-{number:03}", "scope": "user"}
            task_id = daemon.post("remember", body)
            task = daemon.ended(task_id) if task_id else None
            if task is None or task["status"] != "completed":
                failures.append(task)

    threads = [
        threading.Thread(target=work, args=(name, daemon))
        for name, daemon in zip(("alpha", "beta"), daemons, strict=True)
    ]
    for thread in threads:
        thread.start()
    by_hand = root / "base" / "memories" / "by-hand.md"
    for number in range(40):
        by_hand.parent.mkdir(parents=True, exist_ok=True)
        by_hand.write_text(
            f"---\nname: By hand\ndescription: {number}\ntype: user\n---\n\nEdited.\n"
        )
    for thread in threads:
        thread.join(100)
    assert failures == []
    dream = daemons[0].post("dream", {})
    assert dream
    assert daemons[0].ended(dream)["status"] == "completed"
    for daemon in daemons:
        assert daemon.stop() == 0
        daemon.check_processes()
    texts = list(daemons[0].documents().values())
    told = [f"{name}-{number:03}" for name in ("alpha", "beta") for number in range(15)]
    assert [sum(fact in text for text in texts) for fact in told] == [1] * 30
    assert "description: 39" in by_hand.read_text()
    daemons[0].check_files()
