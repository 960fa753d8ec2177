from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from qmemd.errors import MemoryFilesError
from qmemd.memory.locks import FileLock
from qmemd.porting.exporting import export
from tests.memory.world import NOW, At, SimulatedCrash, World, add, crash, document, project, user
from tests.porting.places import exported


def test_the_format_as_documented(tmp_path: Path) -> None:
    world = World(tmp_path.resolve())
    world.save(user("sub/a.md"), document("A"))
    world.save(project("b.md"), b"\xef\xbb\xbfB\r\n")
    header, *lines, last = [json.loads(line) for line in exported(world).splitlines()]
    assert header == {
        "format": "qmemd-export",
        "version": 1,
        "createdAt": "2026-07-30T10:11:12.345Z",
        "documents": 2,
    }
    assert [(one["scope"], one["path"], one["text"]) for one in lines] == [
        ("user", "sub/a.md", document("A").decode()),
        ("project", "b.md", "\ufeffB\r\n"),
    ]
    assert lines[0]["modifiedNs"] == world.absolute(user("sub/a.md")).stat().st_mtime_ns
    assert last == {"end": True, "documents": 2}


def test_what_is_no_document_is_told(tmp_path: Path) -> None:
    world = World(tmp_path.resolve())
    world.save(user("good.md"), b"good")
    world.save(user("bad.md"), b"\xff")
    world.save(user("MEMORY.md"), b"- [x](y.md) \xe2\x80\x94 z\n")
    done = export(world.paths, io.BytesIO(), clock=lambda: NOW)
    assert done.documents == 1
    assert [one.reason for one in done.left_out] == [
        "bad.md: The document cannot be read: it is not UTF-8."
    ]


def test_of_no_memory_none_is_made(tmp_path: Path) -> None:
    world = World(tmp_path.resolve())
    assert len(exported(world).splitlines()) == 2
    assert not world.base.exists()


def test_what_a_dead_run_left_open_is_settled_first(tmp_path: Path) -> None:
    world = World(tmp_path.resolve())
    with pytest.raises(SimulatedCrash):
        world.commit(add(user("a.md"), "A"), step=At("history: write closed", crash))
    told: list[tuple[int, int]] = []
    export(world.paths, io.BytesIO(), clock=lambda: NOW, advance=lambda *one: told.append(one))
    assert told == [(1, 1)]
    assert not world.history.has_open()


def test_it_does_not_begin_while_another_process_commits(tmp_path: Path) -> None:
    world = World(tmp_path.resolve())
    world.save(user("a.md"), b"a")
    lock = FileLock(world.paths.user.lock_path)
    assert lock.acquire()
    try:
        with pytest.raises(MemoryFilesError) as refused:
            export(world.paths, io.BytesIO(), clock=lambda: NOW, lock_timeout=0.1)
    finally:
        lock.release()
    assert refused.value.code == "memory_locked"
