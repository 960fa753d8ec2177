from __future__ import annotations

import stat
from dataclasses import replace
from pathlib import Path

import pytest

from qmemd.kinds import TaskKind
from qmemd.memory.changes import ChangeSet
from qmemd.memory.owed import OwedErasures
from tests.memory.world import World, add, run_of, user


@pytest.fixture
def owed(tmp_path: Path) -> OwedErasures:
    return OwedErasures(tmp_path.resolve() / "owed")


def erasing(tmp_path: Path, task: str, *texts: str, workspace: str = "/work/app") -> ChangeSet:
    world = World(tmp_path.resolve() / task)
    done = world.commit(add(user("a.md"), "Tea"), run=run_of(task, TaskKind.FORGET))
    return replace(done, erases=texts, workspace=workspace)


def test_a_note_stays_until_all_of_it_is_paid(owed: OwedErasures, tmp_path: Path) -> None:
    owed.note(erasing(tmp_path, "forget-1", "tea", "milk"))
    owed.note(erasing(tmp_path, "forget-2", "milk"))
    assert owed.of_task("forget-1") == ("tea", "milk")
    assert owed.of_workspace("/work/app") == ("tea", "milk")
    owed.paid("/work/app", ["milk"])
    assert owed.of_workspace("/work/app") == ("tea", "milk")
    assert owed.of_task("forget-2") == ()
    owed.paid("/work/app", ["milk", "tea", "more"])
    assert owed.of_workspace("/work/app") == ()
    assert list(owed.directory.iterdir()) == []


def test_other_workspaces_pay_for_themselves(owed: OwedErasures, tmp_path: Path) -> None:
    owed.note(erasing(tmp_path, "forget-1", "tea", workspace="/other"))
    owed.paid("/work/app", ["tea"])
    assert owed.of_workspace("/other") == ("tea",)
    assert owed.of_workspace("/work/app") == ()


def test_only_its_owner_can_read_a_note(owed: OwedErasures, tmp_path: Path) -> None:
    owed.note(erasing(tmp_path, "forget-1", "tea"))
    [note] = owed.directory.iterdir()
    assert stat.S_IMODE(note.stat().st_mode) == 0o600


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b"\xff", b'{"workspace":"w","texts":7}'])
def test_what_is_no_note_owes_nothing(owed: OwedErasures, content: bytes) -> None:
    owed.directory.mkdir()
    (owed.directory / "forget-1.json").write_bytes(content)
    assert owed.of_task("forget-1") == ()
    assert owed.of_workspace("w") == ()
    owed.paid("w", ["tea"])


def test_where_nothing_was_erased_there_is_no_directory(owed: OwedErasures) -> None:
    assert owed.of_workspace("w") == ()
    owed.paid("w", [])
    assert not owed.directory.exists()
