from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from qmemd.errors import MemoryFilesError
from qmemd.kinds import Scope, Topic
from qmemd.memory.documents import MAX_DOCUMENT_BYTES, parse, render
from qmemd.memory.paths import Root
from qmemd.memory.rebuild import MAX_ATTEMPTS, rebuild_index
from qmemd.memory.scan import Scanner
from tests.memory.world import At, SimulatedCrash, Steps, crash

LINE = "- [A](a.md) — d\n"


@pytest.fixture
def root(tmp_path: Path) -> Root:
    path = tmp_path.resolve() / "memories"
    path.mkdir()
    return Root(Scope.USER, path)


def add(root: Root, name: str = "A", path: str = "a.md") -> None:
    (root.path / path).write_bytes(render(name, "d", Topic.USER, "b"))


def rebuild(root: Root) -> bool:
    return rebuild_index(Scanner(), root).written


def names(root: Root) -> list[str]:
    return sorted(path.name for path in root.path.iterdir())


def test_the_index_follows_the_files(root: Root) -> None:
    add(root)
    assert rebuild(root)
    assert root.index_path.read_text() == LINE
    assert root.index_path.stat().st_mode & 0o777 == 0o600
    (root.path / "a.md").rename(root.path / "b.md")
    assert rebuild(root)
    assert root.index_path.read_text() == "- [A](b.md) — d\n"
    (root.path / "b.md").unlink()
    assert rebuild(root)
    assert root.index_path.read_bytes() == b""
    assert names(root) == ["MEMORY.md"]


def test_an_index_that_is_right_is_not_written(root: Root) -> None:
    add(root)
    rebuild(root)
    before = root.index_path.stat()
    assert not rebuild(root)
    assert root.index_path.stat().st_ino == before.st_ino


def test_an_existing_mode_stays(root: Root) -> None:
    add(root)
    root.index_path.write_text("")
    root.index_path.chmod(0o644)
    assert rebuild(root)
    assert root.index_path.stat().st_mode & 0o777 == 0o644


def test_an_empty_root_gets_an_empty_index_and_a_missing_one_nothing(root: Root) -> None:
    assert rebuild(root)
    assert root.index_path.read_bytes() == b""
    missing = Root(Scope.PROJECT, root.path.parent / "none")
    assert not rebuild(missing)
    assert not missing.path.exists()


def test_generated_lines_of_others_are_not_kept(root: Root) -> None:
    add(root)
    root.index_path.write_bytes(
        "\ufeff- [Gone](gone.md) — x\r\n\r\n- [[WIP]](my plan.md) — y\n> WARNING: 9 more".encode()
    )
    assert rebuild(root)
    assert names(root) == ["MEMORY.md", "a.md"]
    assert root.index_path.read_text() == LINE


def test_what_a_person_wrote_becomes_a_document_first(root: Root) -> None:
    text = "# Rules\r\n\nFirst paragraph.\n- [Gone](gone.md) — x\n\nSecond: é 🚀 "
    root.index_path.write_bytes(f"\n{text}".encode())
    assert rebuild(root)
    kept = parse((root.path / "kept-from-index.md").read_bytes())
    assert kept.body == "# Rules\r\n\nFirst paragraph.\n\nSecond: é 🚀 "
    assert kept.topic is Topic.USER
    assert root.index_path.read_text().startswith("- [Kept from MEMORY.md](kept-from-index.md) — ")
    assert not rebuild(root)


def test_text_written_later_is_kept_beside_the_first(root: Root) -> None:
    root.index_path.write_text("one")
    rebuild(root)
    root.index_path.write_text(root.index_path.read_text() + "two")
    rebuild(root)
    bodies = [parse((root.path / f"kept-from-index{n}.md").read_bytes()).body for n in ("", "-2")]
    assert bodies == ["one", "two"]
    assert len(root.index_path.read_text().splitlines()) == 2


def test_text_that_is_kept_already_is_not_kept_twice(root: Root) -> None:
    root.index_path.write_text("one")
    rebuild(root)
    root.index_path.write_text("one\n")
    rebuild(root)
    assert names(root) == ["MEMORY.md", "kept-from-index.md"]


@pytest.mark.parametrize(
    "data",
    [
        LINE.encode() + b"\xff\xfe",
        b"a\0b",
        b"x" * (MAX_DOCUMENT_BYTES + 1),
        b"x" * (MAX_DOCUMENT_BYTES - 1),
    ],
)
def test_what_cannot_be_a_document_is_set_aside(root: Root, data: bytes) -> None:
    add(root)
    for _ in range(2):
        root.index_path.write_bytes(data)
        assert rebuild(root)
        assert root.index_path.read_text() == LINE
    assert (root.path / "MEMORY.md.unreadable").read_bytes() == data
    assert (root.path / "MEMORY.md.unreadable-2").read_bytes() == data


def test_a_link_is_replaced_and_its_target_intact(root: Root, tmp_path: Path) -> None:
    add(root)
    outside = tmp_path / "outside.md"
    outside.write_text("theirs")
    root.index_path.symlink_to(outside)
    assert rebuild(root)
    assert outside.read_text() == "theirs"
    assert not root.index_path.is_symlink()
    assert root.index_path.read_text() == LINE


def test_a_directory_in_its_place_is_an_error_and_stays(root: Root) -> None:
    add(root)
    root.index_path.mkdir()
    (root.index_path / "x").write_text("x")
    with pytest.raises(MemoryFilesError, match=r"MEMORY\.md") as caught:
        rebuild(root)
    assert caught.value.code == "memory_index_failed"
    assert (root.index_path / "x").read_text() == "x"


def test_a_fifo_in_its_place_holds_nobody_up(root: Root) -> None:
    os.mkfifo(root.index_path)
    with pytest.raises(MemoryFilesError):
        rebuild(root)


def test_an_incomplete_scan_leaves_the_old_index(root: Root) -> None:
    add(root)
    root.index_path.write_text("- [Old](old.md) — x\n")
    (root.path / ("d/" * 101)).mkdir(parents=True)
    with pytest.raises(MemoryFilesError):
        rebuild(root)
    assert root.index_path.read_text() == "- [Old](old.md) — x\n"


def test_a_root_behind_a_link_is_not_written(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (tmp_path / "memories").symlink_to(outside)
    with pytest.raises(MemoryFilesError):
        rebuild(Root(Scope.USER, tmp_path.resolve() / "memories"))
    assert list(outside.iterdir()) == []


def test_kept_text_of_a_project_is_a_project_document(tmp_path: Path) -> None:
    root = Root(Scope.PROJECT, tmp_path.resolve())
    root.index_path.write_text("rule")
    rebuild(root)
    assert parse((root.path / "kept-from-index.md").read_bytes()).topic is Topic.PROJECT


# Other programs that write the index meanwhile

STEPS = ("write new", "move aside", "compare", "link new", "unlink new", "unlink aside")


def _append(_index: Path, editor: int) -> None:
    os.lseek(editor, 0, os.SEEK_END)
    os.write(editor, b"Written just now.\n")


def _truncate(index: Path, editor: int) -> None:
    os.ftruncate(editor, 0)
    _append(index, editor)


def _rename(index: Path, _editor: int) -> None:
    temporary = index.with_name("editor.tmp")
    temporary.write_text("Written just now.\n")
    temporary.replace(index)


def _bodies(root: Root) -> str:
    return "\n\n".join(found.document.body for found in Scanner().scan(root).documents)


@pytest.mark.parametrize("save", [_append, _truncate, _rename])
@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("before", [LINE, "", "An old rule.\n"])
def test_what_is_written_into_the_index_meanwhile_is_kept(
    root: Root, step: str, save: Callable[[Path, int], None], before: str
) -> None:
    add(root)
    add(root, "B", "b.md")
    root.index_path.write_text(before)
    editor = os.open(root.index_path, os.O_RDWR)
    at = At(f"index: {step}", lambda: save(root.index_path, editor))
    try:
        assert rebuild_index(Scanner(), root, at).written
    finally:
        os.close(editor)
    rebuild(root)
    assert "Written just now." in _bodies(root)
    assert ("An old rule." in _bodies(root)) == ("old" in before)
    documents = [name for name in names(root) if name != "MEMORY.md"]
    assert all(f"({name})" in root.index_path.read_text() for name in documents)
    assert len(root.index_path.read_text().splitlines()) == len(documents)


def test_an_index_that_appears_meanwhile_is_kept(root: Root) -> None:
    add(root)
    at = At("index: link new", lambda: root.index_path.write_text("Written just now.\n"))
    rebuild_index(Scanner(), root, at)
    assert "Written just now." in _bodies(root)
    assert "(a.md)" in root.index_path.read_text()


def test_junk_that_is_written_into_the_index_meanwhile_is_set_aside(root: Root) -> None:
    root.index_path.write_text("- [Old](old.md) — x\n")
    with root.index_path.open("r+b", buffering=0) as editor:
        at = At("index: unlink aside", lambda: editor.write(b"\xff\xfe"))
        rebuild_index(Scanner(), root, at)
    assert (root.path / "MEMORY.md.unreadable").read_bytes().startswith(b"\xff\xfe")
    assert root.index_path.read_bytes() == b""


def test_a_rebuild_gives_up_when_the_index_is_written_again_and_again(root: Root) -> None:
    add(root)
    count = 0

    def step(name: str) -> None:
        nonlocal count
        if name == "index: move aside":
            count += 1
            root.index_path.write_text(f"- [Old](old.md) — {count}\n")

    root.index_path.write_text("- [Old](old.md) — x\n")
    with pytest.raises(MemoryFilesError) as caught:
        rebuild_index(Scanner(), root, step)
    assert caught.value.code == "memory_index_failed"
    assert root.index_path.read_text() == f"- [Old](old.md) — {MAX_ATTEMPTS}\n"
    assert names(root) == ["MEMORY.md", "a.md"]


def test_a_kept_text_overwrites_no_document_that_appears_meanwhile(root: Root) -> None:
    root.index_path.write_text("A rule.\n")
    theirs = root.path / "kept-from-index.md"
    at = At("index: keep text", lambda: theirs.write_text("theirs"))
    rebuild_index(Scanner(), root, at)
    assert theirs.read_text() == "theirs"
    assert "A rule." in _bodies(root)


@pytest.mark.parametrize("written_after", [False, True])
def test_a_crash_at_any_step_loses_nothing_of_the_index(
    tmp_path: Path, written_after: bool
) -> None:
    def make(directory: str) -> Root:
        path = tmp_path.resolve() / directory / "memories"
        path.mkdir(parents=True)
        root = Root(Scope.USER, path)
        add(root)
        root.index_path.write_text(f"{LINE}An old rule.\n")
        return root

    steps = Steps()
    rebuild_index(Scanner(), make("whole"), steps)
    assert len(steps.names) > len(STEPS)
    for number, name in enumerate(steps.names):
        root = make(str(number))
        with root.index_path.open("ab") as editor:
            with pytest.raises(SimulatedCrash):
                rebuild_index(Scanner(), root, Steps(number, crash))
            if written_after:
                editor.write(b"Written after the crash.\n")
        gone = written_after and name == "index: unlink aside" and not root.index_path.exists()
        rebuild(root)
        assert "An old rule." in _bodies(root), name
        assert ("Written after" in _bodies(root)) == (written_after and not gone), name
        assert not [left for left in names(root) if left.startswith(".")], name
        assert root.index_path.read_text().count("](") == len(names(root)) - 1, name


def test_a_link_in_its_place_that_turns_into_a_file_is_kept(root: Root, tmp_path: Path) -> None:
    outside = tmp_path / "outside.md"
    outside.write_text("theirs")
    root.index_path.symlink_to(outside)
    at = At("index: write new", lambda: root.index_path.write_text("Written just now.\n"))
    rebuild_index(Scanner(), root, at)
    assert "Written just now." in _bodies(root)
    assert outside.read_text() == "theirs"


@pytest.mark.parametrize("end", ["\r", "\u2028", "\x85", "\v", "\f"])
def test_text_behind_an_unusual_line_end_is_kept(root: Root, end: str) -> None:
    text = f"- [A](a.md) — d{end}# My notes{end}precious"
    root.index_path.write_bytes(text.encode())
    rebuild(root)
    assert _bodies(root) == text
