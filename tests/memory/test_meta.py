from __future__ import annotations

import json
import logging
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


@pytest.mark.parametrize("junk", [b"", b"{", b"[1]", b"\xff\xfe", b"[" * 100_000])
def test_junk_counts_as_nothing(paths: MemoryPaths, junk: bytes) -> None:
    paths.project_state.mkdir(parents=True)
    (paths.project_state / "meta.json").write_bytes(junk)
    assert read_meta(paths.project_state) == {}
    assert update_meta(paths, NOW, a=1)
    assert read_meta(paths.project_state)["a"] == 1


def test_a_failure_is_logged_and_nothing_else(
    paths: MemoryPaths, caplog: pytest.LogCaptureFixture
) -> None:
    (paths.project_state / "meta.json").mkdir(parents=True)
    with caplog.at_level(logging.WARNING):
        assert not update_meta(paths, NOW, lastDreamStatus="noop")
    assert "meta.json" in caplog.text
