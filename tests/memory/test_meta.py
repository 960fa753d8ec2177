from __future__ import annotations

import json
import logging
import os
import threading
from datetime import UTC, datetime
from pathlib import Path

import pytest

from qmemd.memory.meta import read_meta, update_meta
from qmemd.memory.paths import MemoryPaths, resolve_paths

NOW = datetime(2026, 7, 30, 12, 0, 0, 5000, tzinfo=UTC)
LATER = datetime(2026, 7, 31, tzinfo=UTC)


@pytest.fixture
def paths(tmp_path: Path) -> MemoryPaths:
    return resolve_paths(tmp_path / "base", tmp_path / "ws")


def test_a_first_update_makes_a_whole_file(paths: MemoryPaths) -> None:
    assert update_meta(paths, NOW, lastDreamAt=NOW, lastDreamTouchedTopics=["user"])
    assert json.loads((paths.project_state / "meta.json").read_text()) == {
        "version": 1,
        "createdAt": "2026-07-30T12:00:00.005Z",
        "updatedAt": "2026-07-30T12:00:00.005Z",
        "lastDreamAt": "2026-07-30T12:00:00.005Z",
        "lastDreamTouchedTopics": ["user"],
    }


def test_a_later_update_keeps_all_other_keys(paths: MemoryPaths) -> None:
    update_meta(paths, NOW, unknown={"a": 1}, lastDreamStatus="noop")
    update_meta(paths, LATER, lastDreamStatus="updated")
    meta = read_meta(paths.project_state)
    assert meta["unknown"] == {"a": 1}
    assert meta["lastDreamStatus"] == "updated"
    assert meta["createdAt"] == "2026-07-30T12:00:00.005Z"
    assert meta["updatedAt"] == "2026-07-31T00:00:00.000Z"


@pytest.mark.parametrize(
    "junk",
    [
        b"",
        b'{"version":1,"keep":"me",',
        b"[1]",
        b"\xff\xfe",
        b"[" * 100_000,
        b" " * (1 << 20) + b"{}",
    ],
)
def test_junk_counts_as_nothing_and_is_set_aside(paths: MemoryPaths, junk: bytes) -> None:
    paths.project_state.mkdir(parents=True)
    meta = paths.project_state / "meta.json"
    for number in ("", "-2"):
        meta.write_bytes(junk)
        assert read_meta(paths.project_state) == {}
        assert update_meta(paths, NOW, a=1)
        assert read_meta(paths.project_state)["a"] == 1
        assert (paths.project_state / f"meta.json.unreadable{number}").read_bytes() == junk


def test_what_is_no_file_holds_nobody_up_and_is_set_aside(
    paths: MemoryPaths, tmp_path: Path
) -> None:
    paths.project_state.mkdir(parents=True)
    meta = paths.project_state / "meta.json"
    outside = tmp_path / "outside.json"
    outside.write_text('{"theirs": 1}')

    odd = [
        lambda: os.mkfifo(meta),
        lambda: meta.symlink_to(outside),
        lambda: meta.symlink_to("meta.json"),
    ]
    for make in odd:
        meta.unlink(missing_ok=True)
        make()
        assert read_meta(paths.project_state) == {}
        assert update_meta(paths, NOW, a=1)
        assert read_meta(paths.project_state)["a"] == 1
        assert not meta.is_symlink()
    assert outside.read_text() == '{"theirs": 1}'
    assert len(list(paths.project_state.glob("meta.json.unreadable*"))) == len(odd)


def test_half_a_character_that_another_program_wrote_is_kept(paths: MemoryPaths) -> None:
    paths.project_state.mkdir(parents=True)
    (paths.project_state / "meta.json").write_text('{"theirs": "\\ud800"}')
    assert update_meta(paths, NOW, a=1)
    assert read_meta(paths.project_state)["theirs"] == "\ud800"


def test_what_a_dead_writer_left_is_swept(paths: MemoryPaths) -> None:
    paths.project_state.mkdir(parents=True)
    (paths.project_state / ".qmemd-0123456789abcdef.tmp").write_text("{")
    update_meta(paths, NOW, a=1)
    names = sorted(path.name for path in paths.project_state.iterdir())
    assert names == [".qmemd-meta.lock", "meta.json"]


def test_updates_at_the_same_time_do_not_lose_each_other(paths: MemoryPaths) -> None:
    start = threading.Barrier(8)

    def work(number: int) -> None:
        start.wait(10)
        update_meta(paths, NOW, **{f"key{number}": number})

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert {f"key{number}" for number in range(8)} <= read_meta(paths.project_state).keys()


def test_a_failure_is_logged_and_nothing_else(
    paths: MemoryPaths, caplog: pytest.LogCaptureFixture
) -> None:
    (paths.project_state / "meta.json").mkdir(parents=True)
    with caplog.at_level(logging.WARNING):
        assert not update_meta(paths, NOW, lastDreamStatus="noop")
    assert "meta.json" in caplog.text
