from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from qmemd.announcement import (
    Announcement,
    announce,
    announcement_path,
    read_announcement,
    withdraw,
)

ME = Announcement("http://127.0.0.1:1", "s3cret", 42, "/work")


def test_what_is_announced_can_be_read_by_its_owner_alone(tmp_path: Path) -> None:
    path = announcement_path(tmp_path / "state", Path("/work"))
    announce(path, ME)
    assert read_announcement(path) == ME
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert "s3cret" not in repr(ME)


def test_each_workspace_has_a_file_of_its_own(tmp_path: Path) -> None:
    names = {announcement_path(tmp_path, Path(name)).name for name in ("/a", "/b", "/a b/ü")}
    assert len(names) == 3


def test_only_ones_own_is_withdrawn(tmp_path: Path) -> None:
    path = announcement_path(tmp_path, Path("/work"))
    withdraw(path, 42)
    announce(path, ME)
    withdraw(path, 43)
    assert read_announcement(path) == ME
    withdraw(path, 42)
    assert read_announcement(path) is None


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff",
        b"[" * 60_000,
        json.dumps({"url": "u", "token": "t", "pid": "1", "workspace": "w"}).encode(),
        json.dumps({"url": "u", "token": "t", "pid": True, "workspace": "w"}).encode(),
        json.dumps({"url": "u", "token": "t", "pid": -1, "workspace": "w"}).encode(),
        json.dumps({"url": "u", "token": "", "pid": 1, "workspace": "w"}).encode(),
        json.dumps({"url": ["u"], "token": "t", "pid": 1, "workspace": "w"}).encode(),
    ],
)
def test_junk_is_nothing(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(content)
    path.chmod(0o600)
    assert read_announcement(path) is None


@pytest.mark.parametrize("pid", [0, 10**30])
def test_a_pid_that_is_none(tmp_path: Path, pid: int) -> None:
    path = announcement_path(tmp_path, Path("/work"))
    announce(path, Announcement("http://127.0.0.1:1", "t", pid, "/work"))
    assert read_announcement(path) is None


def test_what_others_could_have_written_is_not_believed(tmp_path: Path) -> None:
    path = announcement_path(tmp_path, Path("/work"))
    announce(path, ME)
    link = path.with_name("link")
    link.symlink_to(path)
    assert read_announcement(link) is None
    path.chmod(0o620)
    assert read_announcement(path) is None


def test_what_is_no_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe", 0o600)
    assert read_announcement(tmp_path / "pipe") is None
    assert read_announcement(tmp_path) is None


def test_a_name_that_is_not_utf_8_has_a_file_too(tmp_path: Path) -> None:
    assert announcement_path(tmp_path, Path(os.fsdecode(b"/w\xff"))).suffix == ".json"
