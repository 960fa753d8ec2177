from __future__ import annotations

import hashlib
import os
import shutil
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from qmemd.context import ContextFiles
from qmemd.context.files import MAX_APPENDED_TO, MAX_CONTENT_BYTES
from qmemd.context.records import ContextScope, WriteMode
from qmemd.context.section import HEADING, append
from qmemd.errors import RequestError
from qmemd.memory.locks import FileLock

WORKSPACE, GLOBAL = ContextScope.WORKSPACE, ContextScope.GLOBAL
APPEND, REPLACE = WriteMode.APPEND, WriteMode.REPLACE


class Desk:
    def __init__(self, root: Path) -> None:
        self.workspace = root / "work"
        self.user = root / "home" / ".qwen"
        self.outside = root / "outside"
        for directory in (self.workspace, self.outside):
            directory.mkdir()
        self.lock = root / "base" / "lock"
        self.files = ContextFiles(self.workspace, self.user, self.lock)

    @property
    def document(self) -> Path:
        return self.workspace / "QWEN.md"


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path.resolve())


def code(act: Callable[[], object]) -> str:
    with pytest.raises(RequestError) as refused:
        act()
    return refused.value.code


def test_nothing_is_there_at_first(desk: Desk) -> None:
    assert desk.files.listing().to_wire() == {
        "v": 1,
        "workspaceCwd": str(desk.workspace),
        "initialized": False,
        "files": [],
        "totalBytes": 0,
        "fileCount": 0,
        "ruleCount": 0,
    }


def test_files_are_listed_the_workspaces_first(desk: Desk) -> None:
    desk.user.mkdir(parents=True)
    for path in (desk.user / "QWEN.md", desk.workspace / "AGENTS.md", desk.document):
        path.write_text("é")
    (desk.workspace / "CLAUDE.md").write_text("another one")
    wire = desk.files.listing().to_wire()
    assert wire["files"] == [
        {"kind": "memory_file", "path": str(desk.document), "scope": "workspace", "bytes": 2},
        {
            "kind": "memory_file",
            "path": str(desk.workspace / "AGENTS.md"),
            "scope": "workspace",
            "bytes": 2,
        },
        {"kind": "memory_file", "path": str(desk.user / "QWEN.md"), "scope": "global", "bytes": 2},
    ]
    assert (wire["initialized"], wire["fileCount"], wire["totalBytes"]) == (True, 3, 6)
    assert "errors" not in wire


def test_what_is_no_file_is_not_listed(desk: Desk) -> None:
    desk.document.mkdir()
    os.mkfifo(desk.workspace / "AGENTS.md")
    desk.user.mkdir(parents=True)
    (desk.user / "QWEN.md").symlink_to(desk.user / "absent.md")
    wire = desk.files.listing().to_wire()
    assert wire["files"] == []
    assert "errors" not in wire


@pytest.mark.parametrize("exists", [True, False])
def test_a_link_that_leaves_is_trouble_and_is_neither_read_nor_written(
    desk: Desk, exists: bool
) -> None:
    target = desk.outside / "secret.md"
    if exists:
        target.write_text("outside")
    desk.document.symlink_to(target)
    [trouble] = desk.files.listing().to_wire()["errors"]
    assert (trouble["errorKind"], trouble["hint"]) == ("symlink_escape", str(desk.document))
    for mode in WriteMode:
        assert code(lambda m=mode: desk.files.write(WORKSPACE, m, "x")) == "memory_file_refused"  # type: ignore[misc]
    assert code(lambda: desk.files.read("QWEN.md", max_bytes=10)) == "symlink_escape"
    assert target.exists() is exists
    assert not exists or target.read_text() == "outside"


def test_a_link_within_the_directory_is_followed(desk: Desk) -> None:
    (desk.workspace / "docs").mkdir()
    target = desk.workspace / "docs" / "rules.md"
    target.write_text("old")
    desk.document.symlink_to(target)
    assert desk.files.write(WORKSPACE, REPLACE, "new").changed
    assert desk.document.is_symlink()
    assert target.read_text() == "new"
    assert desk.files.read(str(desk.document), max_bytes=10).content == "new"


def test_a_user_directory_that_is_a_link_is_trusted(desk: Desk) -> None:
    real = desk.outside / "dotfiles"
    real.mkdir()
    desk.user.parent.mkdir()
    desk.user.symlink_to(real)
    written = desk.files.write(GLOBAL, REPLACE, "x")
    assert written.path == desk.user / "QWEN.md"
    assert (real / "QWEN.md").read_text() == "x"


@pytest.mark.parametrize("content", ["", "# Rules\n", "\r\n\u2028\ufeff é"])
def test_replacing_writes_exactly_the_content(desk: Desk, content: str) -> None:
    desk.document.write_text("before")
    written = desk.files.write(WORKSPACE, REPLACE, content)
    assert desk.document.read_bytes() == content.encode()
    assert (written.size, written.changed) == (len(content.encode()), True)
    assert not desk.files.write(WORKSPACE, REPLACE, content).changed


def test_appending_says_how_large_the_file_is_now(desk: Desk) -> None:
    desk.document.write_bytes("\ufeff# Règles\r\n".encode())
    written = desk.files.write(WORKSPACE, APPEND, "a\nb")
    expected = f"\ufeff# Règles\r\n\r\n{HEADING}\r\n\r\na\r\nb\r\n".encode()
    assert desk.document.read_bytes() == expected
    assert (written.size, written.changed) == (len(expected), True)


def test_blank_text_is_not_appended(desk: Desk) -> None:
    written = desk.files.write(WORKSPACE, APPEND, " \n\t")
    assert (written.size, written.changed) == (0, False)
    assert not desk.document.exists()


def test_modes(desk: Desk) -> None:
    old = os.umask(0)
    try:
        for scope in ContextScope:
            desk.files.write(scope, APPEND, "x")
        modes = [stat.S_IMODE(p.stat().st_mode) for p in (desk.document, desk.user / "QWEN.md")]
        assert modes == [0o644, 0o600]
        desk.document.chmod(0o640)
        desk.files.write(WORKSPACE, APPEND, "y")
        assert stat.S_IMODE(desk.document.stat().st_mode) == 0o640
    finally:
        os.umask(old)
    assert sorted(p.name for p in desk.workspace.iterdir()) == ["QWEN.md"]


def test_sizes_count_bytes(desk: Desk) -> None:
    fits = "é" * (MAX_CONTENT_BYTES // 2)
    assert desk.files.write(WORKSPACE, REPLACE, fits).size == MAX_CONTENT_BYTES
    for mode in WriteMode:
        refused = code(lambda m=mode: desk.files.write(WORKSPACE, m, fits + "x"))  # type: ignore[misc]
        assert refused == "content_too_large"


def test_a_file_that_is_too_large_is_not_appended_to_but_may_be_replaced(desk: Desk) -> None:
    with desk.document.open("wb") as file:
        file.truncate(MAX_APPENDED_TO + 1)
    with pytest.raises(RequestError) as refused:
        desk.files.write(WORKSPACE, APPEND, "x")
    assert (refused.value.code, refused.value.status) == ("memory_file_too_large", 413)
    assert refused.value.extra == {
        "scope": "workspace",
        "mode": "append",
        "bytes": MAX_APPENDED_TO + 1,
        "limit": MAX_APPENDED_TO,
    }
    assert code(lambda: desk.files.read("QWEN.md", max_bytes=9)) == "file_too_large"
    assert desk.files.write(WORKSPACE, REPLACE, "x").changed


def test_what_cannot_be_appended_to_stays_as_it_is(desk: Desk) -> None:
    desk.document.write_bytes(b"\xff\xfe")
    assert code(lambda: desk.files.write(WORKSPACE, APPEND, "x")) == "memory_file_refused"
    assert desk.document.read_bytes() == b"\xff\xfe"
    assert code(lambda: desk.files.read("QWEN.md", max_bytes=9)) == "binary_file"
    desk.document.unlink()
    os.mkfifo(desk.document)
    for mode in WriteMode:
        assert code(lambda m=mode: desk.files.write(WORKSPACE, m, "x")) == "memory_file_refused"  # type: ignore[misc]
    desk.document.unlink()
    desk.document.mkdir()
    for mode in WriteMode:
        assert code(lambda m=mode: desk.files.write(WORKSPACE, m, "x")) == "memory_file_refused"  # type: ignore[misc]


def test_writers_of_several_daemons_take_turns_and_lose_nothing(desk: Desk) -> None:
    def write_some(name: str) -> None:
        files = ContextFiles(desk.workspace, desk.user, desk.lock)
        for number in range(100):
            files.write(WORKSPACE, APPEND, f"{name} {number}")

    threads = [threading.Thread(target=write_some, args=(name,)) for name in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    lines = desk.document.read_text().splitlines()
    assert lines[:2] == [HEADING, ""]
    assert sorted(lines[2:]) == sorted(f"{n} {i}" for n in "ab" for i in range(100))
    assert [line for line in lines if line.startswith("a ")] == [f"a {i}" for i in range(100)]


class Editor:
    """Saves by renaming, each time just after the document was read in order to be appended to."""

    def __init__(self, desk: Desk, times: int) -> None:
        self._desk = desk
        self._times = times
        self.saved = 0

    def compose(self, document: str, text: str) -> str:
        if self.saved < self._times:
            self.saved += 1
            draft = self._desk.workspace / "QWEN.md~"
            draft.write_text(f"draft {self.saved}\n")
            draft.rename(self._desk.document)
        return append(document, text)


@pytest.mark.parametrize("exists", [True, False])
def test_what_an_editor_saves_meanwhile_is_appended_to(desk: Desk, exists: bool) -> None:
    if exists:
        desk.document.write_text("before\n")
    editor = Editor(desk, times=2)
    files = ContextFiles(desk.workspace, desk.user, desk.lock, compose=editor.compose)
    written = files.write(WORKSPACE, APPEND, "fact")
    assert desk.document.read_text() == f"draft 2\n\n{HEADING}\n\nfact\n"
    assert (written.size, written.changed) == (desk.document.stat().st_size, True)
    assert [path.name for path in desk.workspace.iterdir()] == ["QWEN.md"]


def test_an_editor_that_never_stops_saving_wins(desk: Desk) -> None:
    editor = Editor(desk, times=1_000)
    files = ContextFiles(desk.workspace, desk.user, desk.lock, compose=editor.compose)
    assert code(lambda: files.write(WORKSPACE, APPEND, "fact")) == "daemon_busy"
    assert desk.document.read_text() == f"draft {editor.saved}\n"
    assert [path.name for path in desk.workspace.iterdir()] == ["QWEN.md"]
    assert desk.files.write(WORKSPACE, APPEND, "fact").changed


def test_a_writer_that_holds_the_lock_is_waited_for(desk: Desk) -> None:
    lock = FileLock(desk.lock)
    assert lock.acquire()
    done = threading.Event()

    def write() -> None:
        desk.files.write(WORKSPACE, REPLACE, "x")
        done.set()

    thread = threading.Thread(target=write)
    thread.start()
    assert not done.wait(0.05)
    assert not desk.document.exists()
    lock.release()
    thread.join(10)
    assert desk.document.read_text() == "x"


def test_the_lock_may_be_behind_a_link(desk: Desk) -> None:
    (desk.outside / "base").symlink_to(desk.user)
    lock = desk.outside / "base" / "qmemd" / "lock"
    desk.user.mkdir(parents=True)
    assert ContextFiles(desk.workspace, desk.user, lock).write(WORKSPACE, APPEND, "x").changed
    assert (desk.user / "qmemd" / "lock").exists()


WITHOUT_RIGHTS = """
import sys
from pathlib import Path
from qmemd.context import ContextFiles
from qmemd.context.records import ContextScope, WriteMode
from qmemd.errors import RequestError

root = Path(sys.argv[1])
files = ContextFiles(root / "work", root / "user", root / "lock")
for mode in WriteMode:
    try:
        files.write(ContextScope.WORKSPACE, mode, "new")
    except RequestError as error:
        print(error.code, error.extra["osCode"])
try:
    print(files.read("QWEN.md", max_bytes=9).content)
except RequestError as error:
    print(error.code)
listing = files.listing()
print(len(listing.files), *[trouble.error_kind for trouble in listing.troubles])
"""


@pytest.mark.parametrize(
    ("file_mode", "directory_mode", "told"),
    [
        (0o000, 0o700, ["permission_denied", "1"]),
        (0o600, 0o500, ["old", "1"]),
        (0o600, 0o000, ["permission_denied", "0 stat_failed stat_failed"]),
    ],
)
def test_permissions_that_are_missing(
    desk: Desk, file_mode: int, directory_mode: int, told: list[str]
) -> None:
    desk.document.write_text("old")
    desk.document.chmod(file_mode)
    desk.workspace.chmod(directory_mode)
    try:
        told_now = without_rights(desk.workspace.parent)
    finally:
        desk.workspace.chmod(0o700)
        desk.document.chmod(0o600)
    assert told_now == ["file_error EACCES", "file_error EACCES", *told]
    assert desk.document.read_text() == "old"
    assert [path.name for path in desk.workspace.iterdir()] == ["QWEN.md"]


def without_rights(root: Path) -> list[str]:
    """What a process says that permissions hold for, even when root starts it."""
    prefix = []
    if os.geteuid() == 0:
        setpriv = shutil.which("setpriv")
        if setpriv is None:
            pytest.skip("permissions do not hold for root, and there is no setpriv")
        prefix = [setpriv, "--bounding-set", "-dac_override,-dac_read_search"]
    command = [*prefix, sys.executable, "-c", WITHOUT_RIGHTS, str(root)]
    said = subprocess.run(command, check=True, capture_output=True, text=True, timeout=30)
    return said.stdout.splitlines()


@pytest.mark.parametrize(
    ("first_line", "lines", "content", "more"),
    [
        (1, None, "a\u2028\nb\x0c\nc\n", False),
        (1, 2, "a\u2028\nb\x0c\n", True),
        (1, 3, "a\u2028\nb\x0c\nc\n", False),
        (3, 1, "c\n", False),
        (3, 9, "c\n", False),
        (4, 1, "", False),
    ],
)
def test_more_is_there_only_while_lines_are_left(
    desk: Desk, first_line: int, lines: int | None, content: str, more: bool
) -> None:
    desk.document.write_bytes("a\u2028\nb\x0c\nc\n".encode())
    part = desk.files.read("QWEN.md", max_bytes=1_000, first_line=first_line, lines=lines)
    assert (part.content, part.has_more, part.truncated) == (content, more, False)
    assert part.lines == 3


@pytest.mark.parametrize(
    ("data", "lines"), [(b"", 0), (b"a", 1), (b"a\n", 1), (b"\xef\xbb\xbf", 0), (b"\n", 1)]
)
def test_lines_are_counted(desk: Desk, data: bytes, lines: int) -> None:
    desk.document.write_bytes(data)
    content = desk.files.read("QWEN.md", max_bytes=10)
    assert (content.lines, content.size) == (lines, len(data))
    assert content.sha256 == hashlib.sha256(data).hexdigest()


def test_reading_a_part(desk: Desk) -> None:
    desk.document.write_bytes("\ufeffone\r\ntwo é\r\nthree\r\n".encode())
    whole = desk.files.read("QWEN.md", max_bytes=1_000).to_wire()
    assert whole["content"] == "one\r\ntwo é\r\nthree\r\n"
    assert (whole["bom"], whole["lineEnding"], whole["originalLineCount"]) == (True, "crlf", 3)
    assert (whole["truncated"], whole["hasMore"], whole["nextCursor"]) == (False, False, None)
    assert whole["sizeBytes"] == whole["returnedBytes"] + 3
    part = desk.files.read("./QWEN.md", max_bytes=1_000, first_line=2, lines=1)
    assert (part.content, part.has_more, part.truncated) == ("two é\r\n", True, False)
    cut = desk.files.read("QWEN.md", max_bytes=10)
    assert (cut.content, cut.truncated, cut.has_more) == ("one\r\ntwo ", True, True)
    assert desk.files.read("QWEN.md", max_bytes=9, first_line=99).content == ""


@pytest.mark.parametrize(
    ("path", "refusal"),
    [
        ("README.md", "path_not_found"),
        ("QWEN.md", "path_not_found"),
        ("sub/QWEN.md", "path_not_found"),
        ("../outside/QWEN.md", "path_outside_workspace"),
        ("/etc/passwd", "path_outside_workspace"),
        ("../work/../outside", "path_outside_workspace"),
        ("~/.qwen/QWEN.md", "path_not_found"),
    ],
)
def test_nothing_else_can_be_read(desk: Desk, path: str, refusal: str) -> None:
    (desk.workspace / "README.md").write_text("x")
    assert code(lambda: desk.files.read(path, max_bytes=10)) == refusal


def test_what_a_killed_writer_left_is_removed_and_nothing_else(desk: Desk) -> None:
    desk.user.mkdir(parents=True)
    old, young = "0123456789abcdef", "fedcba9876543210"
    for directory in (desk.workspace, desk.user):
        for name in (f".qmemd-{old}.tmp", f".qmemd-{young}.tmp", ".qmemd-notes.tmp", "notes.tmp"):
            (directory / name).write_text("half")
        for name in (f".qmemd-{old}.tmp", ".qmemd-notes.tmp", "notes.tmp"):
            os.utime(directory / name, (1, 1))
    left = {f".qmemd-{young}.tmp", ".qmemd-notes.tmp", "notes.tmp"}
    desk.files.write(WORKSPACE, REPLACE, "text")
    assert {path.name for path in desk.workspace.iterdir()} == {*left, "QWEN.md"}
    desk.files.tidy()
    assert {path.name for path in desk.user.iterdir()} == left


def test_tidying_fails_nothing(desk: Desk) -> None:
    desk.files.tidy()
    desk.user.parent.mkdir()
    desk.user.symlink_to(desk.outside)
    desk.document.symlink_to("/elsewhere")
    desk.files.tidy()
    assert desk.document.is_symlink()
