from __future__ import annotations

import contextlib
import os
from pathlib import Path

import pytest

from qmemd.agent.models.base import ToolCall
from qmemd.agent.reading import MAX_NAMES
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
        self.tools = Tools(view, MemoryScope(paths, list(Scope)), dreaming=remove)

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


LONG = "\n".join(f"Paragraph {number} says what the user drinks, and when." for number in range(20))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("The user likes tea.\n\n... rest unchanged ...", "edit"),
        ("# unchanged", "edit"),
        ("[existing content]\n\nThe user likes tea.", "edit"),
        ("The user likes tea.", "more than half"),
        ("", "no text"),
        ("  \n", "no text"),
    ],
)
def test_a_document_is_not_swallowed_by_what_is_written_over_it(
    bench: Bench, put: Put, text: str, why: str
) -> None:
    path = put(Scope.USER, "tea.md", LONG)
    bench.call("read_file", file_path=path)
    content = render("Tea", "What to drink", Topic.USER, text).decode()
    assert why in bench.refused("write_file", file_path=path, content=content)
    assert why in bench.refused("edit", file_path=path, old_string=LONG, new_string=text)
    assert bench.draft.changes() == ()
    more = render("Tea", "What to drink", Topic.USER, f"{LONG}\nAnd water.").decode()
    bench.call("write_file", file_path=path, content=more)
    # Bit by bit is no way around it.
    lines = LONG.splitlines()
    for at, line in enumerate(lines[:9]):
        bench.call("edit", file_path=path, old_string=line, new_string=str(at))
    for at, line in enumerate(lines[9:], 9):
        with contextlib.suppress(ToolRefusedError):
            bench.call("edit", file_path=path, old_string=line, new_string=str(at))
    (change,) = bench.draft.changes()
    assert change.after is not None
    assert len(change.after) > len(LONG) / 3


def test_a_document_can_be_split_when_the_new_ones_come_first(paths: MemoryPaths, put: Put) -> None:
    bench = Bench(paths, remove=True)
    path = put(Scope.USER, "tea.md", LONG)
    lines = LONG.splitlines()
    bench.call("read_file", file_path=path)
    few = render("Tea", "Few", Topic.USER, "\n".join(lines[:4])).decode()
    many = render("Tea", "Many", Topic.USER, "\n".join(lines[4:])).decode()
    assert "written there first" in bench.refused("write_file", file_path=path, content=few)
    bench.call("write_file", file_path=bench.user / "new.md", content=many)
    bench.call("write_file", file_path=path, content=few)
    assert len(bench.draft.changes()) == 2


def test_an_entry_may_leave_a_list_when_it_is_there_elsewhere(paths: MemoryPaths, put: Put) -> None:
    bench = Bench(paths, remove=True)
    texts = [f"Fact number {number} is worth to be remembered for long." for number in range(8)]
    path = put(Scope.USER, "list.md", "\n".join(f"- {text}" for text in texts))
    for number, text in enumerate(texts[1:]):
        put(Scope.USER, f"{number}.md", text)
    bench.call("read_file", file_path=path)
    content = render("L", "D", Topic.USER, f"- {texts[0]}").decode()
    bench.call("write_file", file_path=path, content=content)


def test_a_new_document_may_hold_dots(bench: Bench) -> None:
    content = DOCUMENT + "\n...\n"
    bench.call("write_file", file_path=bench.user / "tea.md", content=content)


def test_what_a_run_may_look_at_has_a_limit(paths: MemoryPaths, put: Put) -> None:
    view = DraftView(paths, Draft(paths))
    bench = Bench(paths)
    bench.tools = Tools(view, MemoryScope(paths, list(Scope)), read_limit=600)
    path = put(Scope.USER, "tea.md", "x" * 400)
    bench.call("read_file", file_path=path)
    assert "as much as it may" in bench.refused("read_file", file_path=path)
    bench.call("ls", path=bench.user)
    long = put(Scope.USER, "long.md", "needle " * 60)
    assert "as much" in bench.refused("grep", path=bench.user, pattern="needle")
    # What it was not given it has not read.
    assert "read" in bench.refused("write_file", file_path=long, content=DOCUMENT)


def test_a_large_directory_is_listed_in_part(bench: Bench) -> None:
    bench.user.mkdir(parents=True)
    for number in range(MAX_NAMES + 7):
        (bench.user / f"{number}.md").touch()
    lines = bench.call("ls", path=bench.user).splitlines()
    assert len(lines) == MAX_NAMES + 1
    assert "7 more" in lines[-1]


def test_each_refusal_says_what_to_do_about_it(bench: Bench, put: Put) -> None:
    path = put(Scope.USER, "tea.md", "Tea, tea.")
    bench.call("read_file", file_path=path)
    assert "Give more" in bench.refused("edit", file_path=path, old_string="ea", new_string="x")
    assert "Copy it" in bench.refused("edit", file_path=path, old_string="rye", new_string="x")
    assert "bytes" in bench.refused("read_file", file_path=path, offset=10_000)
    assert "absolute" in bench.refused("read_file", file_path="tea.md")
    assert "outside" in bench.refused("read_file", file_path="/tea.md")
    assert "no such file" in bench.refused("read_file", file_path=bench.user / "rye.md")
    assert "must end in .md" in bench.refused(
        "write_file", file_path=bench.user / "x.txt", content=DOCUMENT
    )
    assert "generated" in bench.refused(
        "write_file", file_path=bench.user / "MEMORY.md", content=DOCUMENT
    )
    assert "user" in bench.refused(
        "write_file", file_path=bench.user / "pinned/x.md", content=DOCUMENT
    )
    assert "`content`" in bench.refused("write_file", file_path=path, content=7)
    assert "`content`" in bench.refused("write_file", file_path=path, content="\ud800")
    assert "read_file" in bench.refused("run_shell", command="ls")
