from __future__ import annotations

import os
from pathlib import Path

import pytest

from qmemd.agent.models.base import ToolCall
from qmemd.agent.scope import MemoryScope, ToolRefusedError
from qmemd.agent.tools import READ_LIMIT, Tools
from qmemd.agent.view import DraftView
from qmemd.kinds import Scope, Topic
from qmemd.memory.documents import render
from qmemd.memory.draft import Draft
from qmemd.memory.paths import MemoryPaths
from tests.agent.conftest import Put

DOCUMENT = render("Tea", "What to drink", Topic.USER, "The user likes tea.").decode()


class Bench:
    """A set of tools over a fresh draft."""

    def __init__(self, paths: MemoryPaths, *, blind: bool = False, remove: bool = False) -> None:
        self.user = paths.user.path
        self.project = paths.project.path
        self.draft = Draft(paths)
        view = DraftView(paths, self.draft, blind=blind)
        self.tools = Tools(view, MemoryScope(paths, list(Scope)), may_remove=remove)

    def call(self, name: str, /, **arguments: object) -> str:
        given = {k: str(v) if isinstance(v, Path) else v for k, v in arguments.items()}
        return self.tools.call(ToolCall("1", name, given))

    def refused(self, name: str, /, **arguments: object) -> str:
        with pytest.raises(ToolRefusedError) as caught:
            self.call(name, **arguments)
        return str(caught.value)


@pytest.fixture
def bench(paths: MemoryPaths) -> Bench:
    return Bench(paths)


def test_a_new_document_lands_in_the_draft_and_not_on_disk(bench: Bench) -> None:
    bench.call("write_file", file_path=bench.user / "tea.md", content=DOCUMENT)
    (change,) = bench.draft.changes()
    assert (change.path.relative, change.after) == ("tea.md", DOCUMENT.encode())
    assert not bench.user.exists()
    assert bench.call("read_file", file_path=bench.user / "tea.md") == DOCUMENT
    assert bench.call("ls", path=bench.user) == "tea.md"


def test_an_existing_document_needs_a_read_before_a_write(bench: Bench, put: Put) -> None:
    path = put(Scope.USER, "tea.md", "The user likes tea.")
    assert "read it first" in bench.refused("write_file", file_path=path, content=DOCUMENT)
    assert bench.draft.changes() == ()
    bench.call("read_file", file_path=path)
    bench.call("write_file", file_path=path, content=DOCUMENT)
    assert len(bench.draft.changes()) == 1


@pytest.mark.parametrize(
    "content",
    ["", "no head", "---\nname: x\n---\n\nbody", "---\ntype: user\n---\n\nbody", "---\nname: x\n"],
)
def test_a_document_without_its_head_is_refused(bench: Bench, content: str) -> None:
    assert "head" in bench.refused("write_file", file_path=bench.user / "x.md", content=content)


def test_a_document_without_text_or_with_half_letters_is_refused(bench: Bench) -> None:
    head = "---\nname: x\ndescription: y\ntype: user\n---\n"
    assert "text" in bench.refused("write_file", file_path=bench.user / "x.md", content=head)
    assert "Unicode" in bench.refused(
        "write_file", file_path=bench.user / "x.md", content=head + "\n\ud800"
    )
    bench.refused("write_file", file_path=bench.user / "x.md", content=head + "\n" + "x" * 2**21)
    bench.refused("write_file", file_path=bench.user / "x.md", content=None)
    assert bench.draft.changes() == ()


def test_edit_needs_a_read_and_exactly_one_match(bench: Bench, put: Put) -> None:
    path = put(Scope.USER, "tea.md", "Drinks.\nTea, chai and coffee. Chai it is.")
    given = {"file_path": path, "old_string": "coffee", "new_string": "water"}
    assert "read" in bench.refused("edit", **given)
    bench.call("read_file", file_path=path)
    assert "not 0" in bench.refused("edit", **given | {"old_string": "milk"})
    assert "not 2" in bench.refused("edit", **given | {"old_string": "hai"})
    assert "not 0" in bench.refused("edit", **given | {"old_string": ""})
    assert "head" in bench.refused("edit", **given | {"old_string": "type: user"})
    bench.call("edit", **given)
    (change,) = bench.draft.changes()
    assert change.after is not None
    assert b"Tea, chai and water." in change.after


def test_blind_tools_see_nothing_but_what_they_wrote(paths: MemoryPaths, put: Put) -> None:
    bench = Bench(paths, blind=True)
    path = put(Scope.USER, "tea.md", "The user likes tea.")
    put(Scope.USER, "deep/er.md", "Deeper.")
    bench.refused("read_file", file_path=path)
    assert bench.call("ls", path=bench.user) == "(empty)"
    assert "no line" in bench.call("grep", path=bench.user, pattern="tea")
    assert "taken" in bench.refused("write_file", file_path=path, content=DOCUMENT)
    bench.refused("edit", file_path=path, old_string="tea", new_string="milk")
    bench.call("write_file", file_path=bench.user / "new/tea.md", content=DOCUMENT)
    assert bench.call("ls", path=bench.user) == "new/"
    assert bench.call("ls", path=bench.user / "new") == "tea.md"
    assert "likes tea" in bench.call("grep", path=bench.user, pattern="LIKES")
    bench.call("write_file", file_path=bench.user / "new/tea.md", content=DOCUMENT + "More.\n")


def test_what_cannot_be_read_is_an_error_of_the_tool(
    bench: Bench, put: Put, tmp_path: Path
) -> None:
    put(Scope.USER, "ok.md", "needle")
    root = bench.user
    (root / "nul.md").symlink_to(tmp_path / "secret.md")
    (tmp_path / "secret.md").write_text("needle")
    os.mkfifo(root / "pipe.md")
    (root / "large.md").write_bytes(b"needle" + b"x" * 2**21)
    (root / "bytes.md").write_bytes(b"needle \xff\n")
    for name in ("nul.md", "pipe.md", "large.md", "missing.md", ""):
        bench.refused("read_file", file_path=root / name)
    bench.refused("ls", path=root / "ok.md")
    assert "needle" in bench.call("read_file", file_path=root / "bytes.md")
    found = bench.call("grep", path=root, pattern="needle")
    assert {line.split(":")[0] for line in found.splitlines()} == {
        str(root / "ok.md"),
        str(root / "bytes.md"),
    }


def test_a_long_file_comes_in_pieces_that_cut_no_letter(bench: Bench) -> None:
    text = "x" + "記" * (READ_LIMIT // 3 + 10)
    bench.user.mkdir(parents=True)
    (bench.user / "long.md").write_text(text)
    first = bench.call("read_file", file_path=bench.user / "long.md")
    piece, _, note = first.partition("\n[Cut")
    assert set(piece) == {"x", "記"}
    assert len(piece.encode()) <= READ_LIMIT
    assert str(len(text.encode())) in note
    offset = int(note.split("offset=")[1].split(".")[0])
    assert piece + bench.call("read_file", file_path=bench.user / "long.md", offset=offset) == text
    for bad in (-1, True, "5", 1.5):
        bench.refused("read_file", file_path=bench.user / "long.md", offset=bad)


def test_a_search_with_many_hits_is_cut(bench: Bench, put: Put) -> None:
    put(Scope.USER, "many.md", "hit\n" * 500)
    lines = bench.call("grep", path=bench.user, pattern="hit").splitlines()
    assert len(lines) == 201
    assert lines[-1].startswith("[Cut")
    bench.refused("grep", path=bench.user, pattern="")


def test_only_a_dream_can_remove(paths: MemoryPaths, put: Put) -> None:
    gone = put(Scope.USER, "gone.md", "Same.")
    kept = put(Scope.USER, "kept.md", "Same.")
    other = put(Scope.PROJECT, "other.md", "Same.")
    assert "no such tool" in Bench(paths).refused("remove", file_path=gone)
    bench = Bench(paths, remove=True)
    for target in (gone, other, bench.user / "missing.md", "/etc/passwd"):
        bench.refused("remove", file_path=gone, merged_into=target)
    bench.refused("remove", file_path=bench.user / "missing.md")
    bench.refused("remove", file_path=put(Scope.USER, "pinned/x.md", "Mine."))
    bench.call("remove", file_path=gone, merged_into=kept)
    (change,) = bench.draft.changes()
    assert change.after is None
    assert change.merged_into is not None
    assert change.merged_into.relative == "kept.md"
    assert gone.exists()


def test_unknown_tools_and_odd_arguments_are_errors_of_the_tool(bench: Bench) -> None:
    assert "no such tool" in bench.refused("run_shell", command="ls")
    for name in ("read_file", "ls", "grep", "write_file", "edit"):
        bench.refused(name)
        bench.refused(name, file_path=7, path=["x"], pattern=None, content={}, old_string=1)
    with pytest.raises(ToolRefusedError):
        bench.tools.call(ToolCall("1", "read_file", ["x"]))  # type: ignore[arg-type]
