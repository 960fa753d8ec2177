from __future__ import annotations

import stat
from pathlib import Path

import pytest

from qmemd.porting.target import export_file


def test_it_gets_its_name_at_the_end_and_is_its_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    with export_file(path, replace=False) as file:
        file.write(b"x")
        assert not path.exists()
    assert path.read_bytes() == b"x"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("replace", [True, False])
def test_what_fails_leaves_what_was_there(tmp_path: Path, replace: bool) -> None:
    path = tmp_path / "e.jsonl"
    if replace:
        path.write_bytes(b"old")
    with pytest.raises(OSError, match="full"), export_file(path, replace=replace):
        raise OSError("full")
    assert [one.read_bytes() for one in tmp_path.iterdir()] == ([b"old"] if replace else [])


def test_a_file_that_is_there_is_replaced_only_when_that_is_wanted(tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    path.write_bytes(b"old")
    with pytest.raises(FileExistsError), export_file(path, replace=False):
        pass
    assert path.read_bytes() == b"old"
    with export_file(path, replace=True) as file:
        file.write(b"new")
    assert path.read_bytes() == b"new"


def test_one_that_appears_meanwhile_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    with pytest.raises(FileExistsError), export_file(path, replace=False):
        path.write_bytes(b"theirs")
    assert path.read_bytes() == b"theirs"
    assert list(tmp_path.iterdir()) == [path]
