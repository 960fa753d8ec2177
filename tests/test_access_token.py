from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest

from qmemd.access_token import clean_token, kept_token, read_token
from qmemd.errors import SettingsError


def write(path: Path, text: str | bytes, mode: int = 0o600) -> Path:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    path.chmod(mode)
    return path


def test_a_token_file_is_read_without_its_line_end(tmp_path: Path) -> None:
    assert read_token(write(tmp_path / "t", "tok\n")) == "tok"


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o644])
def test_a_file_that_others_can_read_is_refused(tmp_path: Path, mode: int) -> None:
    with pytest.raises(SettingsError, match="chmod 600"):
        read_token(write(tmp_path / "t", "tok", mode))


def test_a_link_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "t", "tok")
    (tmp_path / "link").symlink_to(tmp_path / "t")
    with pytest.raises(SettingsError, match="is a link"):
        read_token(tmp_path / "link")


def test_a_missing_file_a_directory_and_a_pipe_are_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe", 0o600)
    for name in ("missing", "", "pipe"):
        with pytest.raises(SettingsError, match="token file"):
            read_token(tmp_path / name)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_file_of_somebody_else_is_refused(tmp_path: Path) -> None:
    os.chown(write(tmp_path / "t", "tok"), 12345, 12345)
    with pytest.raises(SettingsError, match="another user"):
        read_token(tmp_path / "t")


@pytest.mark.parametrize("content", ["", " \n", "a b", b"\xff\xfe", "x" * 5000])
def test_what_is_no_token_is_refused_and_not_shown(tmp_path: Path, content: str | bytes) -> None:
    with pytest.raises(SettingsError) as refused:
        read_token(write(tmp_path / "t", content))
    assert "xxxx" not in str(refused.value)
    assert "a b" not in str(refused.value)


def test_a_token_is_made_once_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "state" / "token"
    token = kept_token(path)
    assert len(token) >= 43
    assert kept_token(path) == token
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert [entry.name for entry in path.parent.iterdir()] == ["token"]


def test_those_who_start_at_once_agree_on_one(tmp_path: Path) -> None:
    tokens: list[str] = []
    threads = [
        threading.Thread(target=lambda: tokens.append(kept_token(tmp_path / "token")))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(tokens) == 8
    assert len(set(tokens)) == 1


def test_a_kept_token_that_others_could_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="open to other users"):
        kept_token(write(tmp_path / "token", "tok", 0o644))


def test_control_letters_are_refused() -> None:
    for text in ("a\x00b", "a\x7fb", "a\tb"):
        with pytest.raises(SettingsError):
            clean_token(text, "--token")
