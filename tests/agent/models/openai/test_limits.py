from __future__ import annotations

import json
import logging
import threading
from datetime import timedelta
from pathlib import Path

import pytest

from qmemd.agent.limits import Limits
from qmemd.agent.models.openai.day_tokens import DayTokens
from qmemd.memory.locks import FileLock
from tests.agent.models.openai.conftest import KEY, SECRET_FACT, MakeBench
from tests.conftest import FakeClock
from tests.fakes.endpoint import fails, says


def test_a_task_has_so_many_calls(at: MakeBench) -> None:
    bench = at(says("Done."))
    bench.limits = Limits(model_calls=2)
    run = bench.run()
    bench.respond(run=run)
    bench.respond(run=run)
    assert "its 2 model calls (--max-model-calls)" in bench.failure(run)
    assert len(bench.endpoint.asked) == 2
    bench.respond()


def test_what_was_not_answered_is_no_call(at: MakeBench) -> None:
    bench = at(fails(500), fails(500), says("Done."))
    bench.limits = Limits(model_calls=1)
    assert bench.respond().text == "Done."


def test_a_day_has_so_many_tokens(at: MakeBench) -> None:
    bench = at(says("Done."))
    bench.limits = Limits(tokens_a_day=121)
    bench.respond()
    bench.respond()
    assert "The 121 tokens of this day (UTC) are used up" in bench.failure()
    assert len(bench.endpoint.asked) == 2
    bench.now += timedelta(days=1)
    bench.respond()
    noted = json.loads((bench.base / "qmemd" / "usage.json").read_text())
    assert noted == {"day": "2026-03-02", "inputTokens": 100, "outputTokens": 20}


@pytest.mark.parametrize(
    "junk",
    [
        b"",
        b"{",
        b"\xff",
        b"[]",
        b"null",
        b'{"day": "2026-03-01", "inputTokens": "9", "outputTokens": -3}',
        b'{"day": "2026-03-01", "inputTokens": 1e400, "outputTokens": true}',
        b'{"day": 3}',
        b'{"day": "2025-03-01", "inputTokens": 500, "outputTokens": 500}',
        b"[" * 50_000,
        b" " * 100_000,
    ],
)
def test_junk_in_the_file_counts_as_nothing(tmp_path: Path, clock: FakeClock, junk: bytes) -> None:
    path = tmp_path / "qmemd" / "usage.json"
    path.parent.mkdir()
    path.write_bytes(junk)
    tokens = DayTokens(path, clock)
    assert tokens.spent() == 0
    tokens.add(3, 4)
    assert tokens.spent() == 7
    assert path.stat().st_mode & 0o777 == 0o644  # a file that was there keeps its mode


def test_the_file_is_for_its_owner_and_its_directory_is_made(
    tmp_path: Path, clock: FakeClock
) -> None:
    path = tmp_path / "a" / "qmemd" / "usage.json"
    DayTokens(path, clock).add(1, 2)
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_several_writers_lose_nothing(tmp_path: Path, clock: FakeClock) -> None:
    path = tmp_path / "usage.json"
    writers = [
        threading.Thread(target=lambda: [DayTokens(path, clock).add(1, 1) for _ in range(10)])
        for _ in range(4)
    ]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert DayTokens(path, clock).spent() == 80


def test_a_file_that_cannot_be_written_is_no_failure(
    at: MakeBench, caplog: pytest.LogCaptureFixture
) -> None:
    bench = at(says("Done."))
    (bench.base / "qmemd").write_text("in the way")
    assert bench.respond().text == "Done."
    assert "could not be noted" in caplog.text


def test_a_link_is_not_followed(tmp_path: Path, clock: FakeClock) -> None:
    target = tmp_path / "target"
    target.write_text("mine")
    path = tmp_path / "usage.json"
    path.symlink_to(target)
    tokens = DayTokens(path, clock)
    assert tokens.spent() == 0
    tokens.add(1, 1)
    assert target.read_text() == "mine"


def test_the_lock_is_let_go(tmp_path: Path, clock: FakeClock) -> None:
    DayTokens(tmp_path / "usage.json", clock).add(1, 1)
    with FileLock(tmp_path / ".qmemd-usage.lock"):
        pass


def test_the_log_tells_the_cost_and_no_content(
    at: MakeBench, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    at(says("Geese it is.")).respond()
    assert "100 tokens in, 20 out" in caplog.text
    for hidden in (KEY, SECRET_FACT, "Geese"):
        assert hidden not in caplog.text
