from __future__ import annotations

import hashlib
import logging
import os
import socket
import time
from pathlib import Path

import pytest

from qmemd.kinds import Scope, Topic
from qmemd.memory.documents import MAX_DOCUMENT_BYTES, render
from qmemd.memory.paths import Root
from qmemd.memory.scan import MAX_DEPTH, Scan, Scanner

HOUR = 3_600 * 10**9


@pytest.fixture
def root(tmp_path: Path) -> Root:
    path = tmp_path.resolve() / "memories"
    path.mkdir()
    return Root(Scope.USER, path)


def write(root: Root, relative: str, body: str = "body", age: int = 0) -> Path:
    path = root.path / relative
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(render(f"Name of {relative}", "d", Topic.USER, body))
    moment = 1_700_000_000 * 10**9 - age
    os.utime(path, ns=(moment, moment))
    return path


def paths(scan: Scan) -> list[str]:
    return [found.path for found in scan.documents]


def test_documents_at_any_depth_newest_first_then_by_path(root: Root) -> None:
    write(root, "old.md", age=2)
    write(root, "b.md", age=1)
    write(root, "deep/er/a.md", age=1)
    write(root, "pinned/new.md")
    scan = Scanner().scan(root)
    assert paths(scan) == ["pinned/new.md", "b.md", "deep/er/a.md", "old.md"]
    assert scan.complete
    assert scan.problems == ()
    assert [found.pinned for found in scan.documents] == [True, False, False, False]


def test_what_is_known_of_a_document(root: Root) -> None:
    path = write(root, "deep/a.md", "fact")
    data = path.read_bytes()
    (found,) = Scanner().scan(root).documents
    assert found.scope is Scope.USER
    assert found.absolute == path
    assert found.document.name == "Name of deep/a.md"
    assert [entry.entry_id for entry in found.entries] == ["user:deep/a.md"]
    assert found.size == len(data)
    assert found.sha256 == hashlib.sha256(data).hexdigest()
    assert found.mtime_ns == path.stat().st_mtime_ns


def test_what_is_no_document_is_not_read(root: Root) -> None:
    write(root, "a.md")
    for name in ("MEMORY.md", ".qmemd-1a2b.tmp", ".qmemd-old/x.md", ".Qmemd-x.md", "x.txt", "x.MD"):
        write(root, name)
    (root.path / "directory.md").mkdir()
    scan = Scanner().scan(root)
    assert paths(scan) == ["a.md"]
    assert scan.problems == ()


def test_a_missing_root_is_empty(tmp_path: Path) -> None:
    scan = Scanner().scan(Root(Scope.PROJECT, tmp_path.resolve() / "none"))
    assert scan.documents == ()
    assert scan.complete


def test_bad_files_are_reported_and_the_others_listed(root: Root) -> None:
    write(root, "good.md")
    (root.path / "bytes.md").write_bytes(b"\xff\xfe secret text")
    (root.path / "nul.md").write_bytes(b"a\0b")
    (root.path / "large.md").write_bytes(b"x" * (MAX_DOCUMENT_BYTES + 1))
    os.mkfifo(root.path / "fifo.md")
    Path(os.fsdecode(os.fsencode(root.path) + b"/name\xff.md")).write_text("x")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(root.path / "socket.md"))
        scan = Scanner().scan(root)
    assert paths(scan) == ["good.md"]
    assert scan.complete
    named = [problem.split(": ")[0] for problem in scan.problems]
    assert named == ["bytes.md", "fifo.md", "large.md", "name\\udcff.md", "nul.md", "socket.md"]
    assert "secret text" not in "".join(scan.problems)


@pytest.mark.parametrize(
    "head",
    [
        "name: 10183",
        "description: no",
        "created: 2026-07-30",
        "created: 2026-13-45",
        "1: one",
        "- a\n- b",
        "",
        'name: "\\ud800"',
        "a: &a [*a, *a]",
    ],
)
def test_an_odd_head_does_not_stop_a_scan(root: Root, head: str) -> None:
    (root.path / "odd.md").write_text(f"---\n{head}\n---\n\nb\n")
    write(root, "good.md")
    scan = Scanner().scan(root)
    assert sorted(paths(scan)) == ["good.md", "odd.md"]
    assert scan.problems == ()


def test_links_are_not_followed_and_those_that_leave_are_reported(
    root: Root, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "x.md").write_text("outside")
    write(root, "real/a.md")
    (root.path / "alias.md").symlink_to(root.path / "real" / "a.md")
    (root.path / "again").symlink_to("real")
    (root.path / "loop").symlink_to(".")
    (root.path / "out.md").symlink_to(outside / "x.md")
    (root.path / "outdir").symlink_to(outside)
    (root.path / "chain.md").symlink_to("out.md")
    (root.path / "nowhere.md").symlink_to("none.md")
    scan = Scanner().scan(root)
    assert paths(scan) == ["real/a.md"]
    named = [problem.split(": ")[0] for problem in scan.problems]
    assert named == ["chain.md", "nowhere.md", "out.md", "outdir"]
    assert scan.complete


def test_a_root_that_is_a_link_is_not_read(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    write(Root(Scope.USER, outside), "x.md")
    (tmp_path / "memories").symlink_to(outside)
    scan = Scanner().scan(Root(Scope.USER, tmp_path.resolve() / "memories"))
    assert scan.documents == ()
    assert not scan.complete


def test_a_root_that_is_a_file_is_incomplete(tmp_path: Path) -> None:
    (tmp_path / "memories").write_text("x")
    assert not Scanner().scan(Root(Scope.USER, tmp_path.resolve() / "memories")).complete


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_an_unreadable_directory_makes_it_incomplete(root: Root) -> None:
    write(root, "a.md")
    closed = write(root, "reference/b.md").parent
    closed.chmod(0)
    try:
        scan = Scanner().scan(root)
    finally:
        closed.chmod(0o700)
    assert paths(scan) == ["a.md"]
    assert not scan.complete
    assert scan.problems[0].startswith("reference/: ")


def test_a_tree_that_is_too_deep_is_incomplete(root: Root) -> None:
    write(root, "a.md")
    write(root, "d/" * (MAX_DEPTH + 1) + "b.md")
    scan = Scanner().scan(root)
    assert paths(scan) == ["a.md"]
    assert not scan.complete


def test_what_has_not_changed_is_not_parsed_again(root: Root) -> None:
    write(root, "a.md")
    write(root, "b.md", age=1)
    scanner = Scanner(clock_ns=lambda: time.time_ns() + HOUR)
    before = scanner.scan(root)
    write(root, "b.md", "other", age=1)
    after = scanner.scan(root)
    assert after.documents[0] is before.documents[0]
    assert after.documents[1].document.body == "other"


def test_what_may_change_again_within_one_tick_of_the_file_system_is_read_again(
    root: Root,
) -> None:
    changed = write(root, "a.md").stat().st_ctime_ns
    now = [changed + 50_000_000]
    scanner = Scanner(clock_ns=lambda: now[0])
    first = scanner.scan(root).documents[0]
    now[0] += HOUR
    second = scanner.scan(root).documents[0]
    third = scanner.scan(root).documents[0]
    assert first is not second
    assert second is third


def test_removed_and_renamed_documents_are_gone(root: Root) -> None:
    path = write(root, "a.md")
    write(root, "b.md")
    scanner = Scanner(clock_ns=lambda: time.time_ns() + HOUR)
    scanner.scan(root)
    path.rename(root.path / "c.md")
    (root.path / "b.md").unlink()
    assert paths(scanner.scan(root)) == ["c.md"]


@pytest.mark.parametrize("bounds", [{"max_documents": 2}, {"max_bytes": 160}])
def test_the_cache_is_bounded_and_the_scan_is_not(root: Root, bounds: dict[str, int]) -> None:
    for number in range(9):
        write(root, f"{number}.md")
    scanner = Scanner(clock_ns=lambda: time.time_ns() + HOUR, **bounds)
    before = {found.path: found for found in scanner.scan(root).documents}
    after = {found.path: found for found in scanner.scan(root).documents}
    assert before == after
    assert sum(before[path] is after[path] for path in before) == 2


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs Linux")
def test_a_scan_leaves_no_descriptor_open(root: Root) -> None:
    write(root, "a/b/c.md")
    (root.path / "bad.md").write_bytes(b"\xff")
    before = len(list(Path("/proc/self/fd").iterdir()))
    Scanner().scan(root)
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_documents_of_all_names(root: Root) -> None:
    names = [".md", ".x/.y.md", "Pinned/a.md", "a.md/b.md", "memory.md", "x/MEMORY.md", "x\ny.md"]
    for name in names:
        write(root, name)
    write(root, "MEMORY.md")
    scan = Scanner().scan(root)
    assert sorted(paths(scan)) == sorted(names)
    assert [found.path for found in scan.documents if found.pinned] == ["Pinned/a.md"]


def test_the_index_is_no_document_under_another_spelling_either(root: Root) -> None:
    write(root, "MEMORY.md")
    (root.path / "memory.md").hardlink_to(root.path / "MEMORY.md")
    assert paths(Scanner().scan(root)) == []


def test_an_odd_thing_in_the_place_of_the_index_is_no_bad_document(
    root: Root, tmp_path: Path
) -> None:
    root.index_path.symlink_to(tmp_path / "outside.md")
    assert Scanner().scan(root).problems == ()


def test_temporaries_of_ours_are_found_everywhere(root: Root) -> None:
    for name in (".qmemd-1.tmp", "a/b/.qmemd-x-0-old.tmp", ".qmemd-a.lock", "a/x.tmp"):
        write(root, name)
    (root.path / ".qmemd-directory.tmp").mkdir()
    assert Scanner().scan(root).leftovers == (".qmemd-1.tmp", "a/b/.qmemd-x-0-old.tmp")


def test_a_problem_is_logged_once_for_each_state_of_a_file(
    root: Root, caplog: pytest.LogCaptureFixture
) -> None:
    bad = root.path / "bad.md"
    bad.write_bytes(b"\xff secret text")
    (root.path / "out.md").symlink_to("/nowhere")
    scanner = Scanner()

    def logged() -> list[str]:
        caplog.clear()
        with caplog.at_level(logging.INFO):
            scanner.scan(root)
        return [record.getMessage() for record in caplog.records]

    lines = logged()
    assert len(lines) == 2
    assert "bad.md: " in lines[0]
    assert "UTF-8" in lines[0]
    assert "secret" not in "".join(lines)
    assert logged() == []
    bad.write_bytes(b"\xff still bad")
    assert len(logged()) == 1
    assert logged() == []
    bad.write_bytes(b"good")
    assert logged() == []
    bad.write_bytes(b"\xff bad again")
    assert len(logged()) == 1


def test_very_many_problems_are_not_all_logged(
    root: Root, caplog: pytest.LogCaptureFixture
) -> None:
    for number in range(50):
        (root.path / f"{number}.md").write_bytes(b"\xff")
    with caplog.at_level(logging.INFO):
        scan = Scanner().scan(root)
    assert len(scan.problems) == 50
    assert len(caplog.records) == 21
    assert "30 more" in caplog.records[-1].getMessage()
