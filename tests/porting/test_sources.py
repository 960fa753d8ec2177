from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import tarfile
import zipfile
from pathlib import Path

import pytest

from qmemd.kinds import Scope
from qmemd.porting.export_format import header_line
from qmemd.porting.records import SourceRefusedError
from qmemd.porting.sources import MAX_TEXT_FILE, open_source, read_stream, scope_of
from tests.memory.world import NOW


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("facts.txt", b"one\ntwo\n", "lines"),
        ("facts", b"", "lines"),
        ("AGENTS.md", b"- one\n", "bullets"),
        ("qwen.md", b"- one\n", "bullets"),
        ("memory.jsonl", header_line(NOW, 0), "export"),
        ("export.md", header_line(NOW, 0), "export"),
        ("note.md", b"one", "documents"),
        ("other.json", b'{"format":"something else"}', "lines"),
    ],
)
def test_a_file_is_known_by_what_it_holds_and_its_name(
    tmp_path: Path, name: str, content: bytes, kind: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with open_source(path, None) as source:
        assert source.name == kind


def test_a_directory_is_one_of_documents(tmp_path: Path) -> None:
    with open_source(tmp_path, Scope.USER) as source:
        assert (source.name, list(source.items)) == ("documents", [])


def archives(directory: Path) -> dict[str, Path]:
    bomb = b"0" * 1_000_000
    with zipfile.ZipFile(directory / "x.zip", "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("../../etc/x.md", bomb)
    zipfile.ZipFile(directory / "empty.zip", "w").close()
    with tarfile.open(directory / "x.tar", "w") as tar:
        link = tarfile.TarInfo("x.md")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(link)
    (directory / "x.gz").write_bytes(gzip.compress(bomb))
    (directory / "x.bz2").write_bytes(bz2.compress(bomb))
    (directory / "x.xz").write_bytes(lzma.compress(bomb))
    return {path.name: path for path in directory.iterdir()}


def test_nothing_is_unpacked(tmp_path: Path) -> None:
    for path in archives(tmp_path).values():
        with pytest.raises(SourceRefusedError, match="archive"), open_source(path, None):
            pass


def test_pipes_devices_and_what_is_not_there_are_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to("loop")
    for path in (tmp_path / "pipe", Path("/dev/zero"), tmp_path / "none", tmp_path / "loop"):
        with pytest.raises(SourceRefusedError), open_source(path, None):
            pass


def test_a_huge_file_is_refused_before_it_is_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "huge.txt"
    with path.open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(SourceRefusedError, match=str(MAX_TEXT_FILE)), open_source(path, None):
        pass


def test_what_comes_in_through_a_pipe() -> None:
    def kind(content: bytes) -> str:
        with read_stream(io.BytesIO(content)) as source:
            return source.name

    assert kind(header_line(NOW, 0)) == "export"
    assert kind(b"a fact\n") == "lines"


def test_a_context_file_of_the_workspace_is_about_the_project(tmp_path: Path) -> None:
    workspace = tmp_path / "work"
    (workspace / "src").mkdir(parents=True)
    assert scope_of(workspace / "AGENTS.md", workspace) is Scope.PROJECT
    assert scope_of(workspace / "src" / "claude.md", workspace) is Scope.PROJECT
    for elsewhere in (workspace / "facts.txt", tmp_path / "AGENTS.md", Path("-"), workspace):
        assert scope_of(elsewhere, workspace) is None
    (workspace / "GEMINI.md").symlink_to(tmp_path / "GEMINI.md")
    assert scope_of(workspace / "GEMINI.md", workspace) is None
