"""Whatever a model gives as a path: nothing outside of the memory is read, written or made."""

from __future__ import annotations

import os
import socket
import stat
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest

from qmemd.agent.models.base import ToolCall
from qmemd.agent.scope import MemoryScope, ToolRefusedError
from qmemd.agent.tools import Tools
from qmemd.agent.view import DraftView
from qmemd.errors import TaskFailedError
from qmemd.kinds import Scope, TaskKind, Topic
from qmemd.memory.commit import Committer
from qmemd.memory.documents import render
from qmemd.memory.draft import Draft
from qmemd.memory.history import History
from qmemd.memory.memorypath import MemoryPath
from qmemd.memory.paths import MemoryPaths, resolve_paths
from qmemd.memory.proposals import RunRecord
from qmemd.memory.scan import Scanner

SECRET = "only-outside-of-the-memory"
INSIDE = "a fact inside of the memory"
CONTENT = render("A name", "A description", Topic.USER, "Written by the model.").decode()


class Place:
    """A memory with a document in it, and a directory outside with a secret in it."""

    def __init__(self, directory: Path, paths: MemoryPaths) -> None:
        self.paths = paths
        self.root = paths.user.path
        self.project = paths.project.path
        self.outside = directory / "outside"
        for each in (self.root, self.project, self.outside / "below"):
            each.mkdir(parents=True, exist_ok=True)
        document = render("Inside", "Inside", Topic.USER, INSIDE)
        (self.root / "inside.md").write_bytes(document)
        (self.root / "pinned").mkdir()
        (self.root / "pinned/own.md").write_bytes(document)
        for name in ("secret.md", "below/secret.md"):
            (self.outside / name).write_text(SECRET)
        self.sockets: list[socket.socket] = []
        self.descriptors: list[int] = []

    def link(self, name: str, target: Path | str) -> Path:
        (self.root / name).symlink_to(target)
        return self.root / name


Attack = Callable[[Place], object]


def _socket(place: Place) -> Path:
    # The path of a socket has to be short.
    descriptor = os.open(place.root, os.O_RDONLY | os.O_DIRECTORY)
    server = socket.socket(socket.AF_UNIX)
    place.sockets.append(server)
    try:
        server.bind(f"/proc/self/fd/{descriptor}/socket.md")
    except OSError:
        pytest.skip("no sockets by descriptor here")
    finally:
        os.close(descriptor)
    return place.root / "socket.md"


def _device(place: Place) -> Path:
    try:
        os.mknod(place.root / "zero.md", stat.S_IFCHR | 0o666, os.makedev(1, 5))
    except OSError:
        pytest.skip("devices cannot be made here")
    return place.root / "zero.md"


def _fifo(place: Place) -> Path:
    os.mkfifo(place.root / "pipe.md")
    return place.root / "pipe.md"


def _directory(place: Place) -> Path:
    (place.root / "directory.md").mkdir()
    return place.root / "directory.md"


def _hops(place: Place) -> Path:
    place.link("b.md", place.outside / "x.md")
    return place.link("a.md", place.root / "b.md")


def _loop(place: Place) -> Path:
    place.link("b.md", place.root / "a.md")
    return place.link("a.md", place.root / "b.md")


def _long_chain(place: Place) -> Path:
    for number in range(60):
        place.link(f"{number}.md", place.root / f"{number + 1}.md")
    place.link("60.md", place.outside / "secret.md")
    return place.root / "0.md"


def _prefix(place: Place) -> Path:
    sibling = place.root.with_name(place.root.name + "-evil")
    sibling.mkdir()
    (sibling / "secret.md").write_text(SECRET)
    return sibling / "secret.md"


def _by_working_directory(place: Place) -> str:
    os.chdir(place.outside)
    return "/proc/self/cwd/secret.md"


def _by_descriptor(place: Place) -> str:
    number = os.open(place.outside, os.O_RDONLY | os.O_DIRECTORY)
    place.descriptors.append(number)
    return f"/proc/self/fd/{number}/secret.md"


OUTSIDE: dict[str, Attack] = {
    "absolute": lambda p: p.outside / "secret.md",
    "absolute, not there": lambda p: p.outside / "new.md",
    "a file of the system": lambda _: "/etc/passwd",
    "a device of the system": lambda _: "/dev/zero",
    "a stream of the process": lambda _: "/dev/stdin",
    "the root of the system": lambda _: "/",
    "a link to a file": lambda p: p.link("l.md", p.outside / "secret.md"),
    "a dangling link": lambda p: p.link("l.md", p.outside / "new.md"),
    "two hops": _hops,
    "sixty hops": _long_chain,
    "a relative link": lambda p: p.link("l.md", "../../outside/secret.md"),
    "a link to a directory": lambda p: p.link("d", p.outside) / "secret.md",
    "a dangling link to a directory": lambda p: p.link("d", p.outside / "new") / "x.md",
    "a directory that is a link named as a document": lambda p: p.link("d.md", p.outside),
    "a link, then dots": lambda p: f"{p.link('d', p.outside / 'below')}/../secret.md",
    "a link, then dots to something new": lambda p: f"{p.link('d', p.outside / 'below')}/../x.md",
    "dots": lambda p: f"{p.root}/../../outside/secret.md",
    "dots after a directory that is not there": lambda p: f"{p.root}/no/../../../outside/secret.md",
    "many dots": lambda p: f"{p.root}/{'../' * 40}etc/passwd",
    "a name that begins like the root": _prefix,
    "the root's own name with an ending": lambda p: f"{p.root}.md",
    "the history": lambda p: p.paths.history / "open/x.md",
    "the state of the project": lambda p: p.paths.project_state / "meta.json",
    "the base": lambda p: p.paths.base / "x.md",
    "a lock": lambda p: p.paths.user.lock_path,
    "two slashes": lambda p: f"/{p.outside}/secret.md",
    "the root of the process": lambda p: f"/proc/self/root{p.outside}/secret.md",
    "the working directory of the process": _by_working_directory,
    "a descriptor of the process": _by_descriptor,
    "the environment of the process": lambda _: "/proc/self/environ",
    "a link through the process": lambda p: p.link("l.md", f"/proc/self/root{p.outside}/secret.md"),
    "a link to the root of the system": lambda p: f"{p.link('d', '/')}{p.outside}/secret.md",
    "a link to the parent": lambda p: f"{p.link('d', '..')}/../outside/secret.md",
    "a scheme": lambda p: f"file://{p.outside}/secret.md",
    "a host": lambda _: "//host/share/x.md",
    "a home": lambda _: "~/x.md",
    "the home of another": lambda _: "~root/x.md",
    "a variable": lambda _: "$HOME/x.md",
    "relative": lambda _: "x.md",
    "relative with dots": lambda _: "../outside/secret.md",
    "relative with a dot": lambda _: "./x.md",
    "a drive": lambda _: "C:\\x.md",
    "backslashes": lambda _: "\\etc\\passwd.md",
    "nothing": lambda _: "",
    "a blank": lambda _: " ",
    "blanks before it": lambda p: f" {p.outside}/secret.md",
    "no text": lambda _: None,
    "a number": lambda _: 7,
    "a list": lambda p: [str(p.outside / "secret.md")],
    "bytes": lambda p: os.fsencode(p.outside / "secret.md"),
    "a NUL": lambda p: f"{p.root}/x.md\0/../../outside/secret.md",
    "a NUL at the end": lambda p: f"{p.outside}/secret.md\0.md",
    "half a surrogate pair": lambda p: f"{p.outside}/\ud800.md",
    "a name of 300 letters": lambda p: f"{p.outside}/{'x' * 300}.md",
    "a path of 6,000 letters": lambda p: f"{p.outside}/{'d/' * 3000}x.md",
    "a million letters": lambda p: f"{p.outside}/" + "x" * 1_000_000,
}
"""What must be refused for reading and for writing."""

NOT_WRITABLE: dict[str, Attack] = {
    "the index": lambda p: p.root / "MEMORY.md",
    "the index in small letters": lambda p: p.root / "memory.md",
    "the index in a directory": lambda p: p.root / "a/Memory.MD",
    "the index with a letter without a shape": lambda p: p.root / "MEM\u200dORY.md",
    "the index in full-width letters": lambda p: p.root / "ＭＥＭＯＲＹ.md",  # noqa: RUF001
    "below the index": lambda p: p.root / "MEMORY.md/x.md",
    "what is the user's own": lambda p: p.root / "pinned/own.md",
    "something new of the user's own": lambda p: p.root / "pinned/deep/new.md",
    "the user's own in capitals": lambda p: p.root / "Pinned/new.md",
    "the user's own by dots": lambda p: f"{p.root}/a/../pinned/own.md",
    "the user's own through a link": lambda p: p.link("alias", p.root / "pinned") / "own.md",
    "the user's own as a linked document": lambda p: p.link("alias.md", p.root / "pinned/own.md"),
    "the user's own in full-width letters": lambda p: p.root / "ｐｉｎｎｅｄ/x.md",  # noqa: RUF001
    "the user's own with a dot": lambda p: p.root / "pinned./x.md",
    "the user's own with a blank": lambda p: p.root / "pinned /x.md",
    "a file named like it": lambda p: p.root / "pinned",
    "a FIFO": _fifo,
    "a socket": _socket,
    "a device": _device,
    "a directory named like a document": _directory,
    "below a document": lambda p: p.root / "inside.md/x.md",
    "a loop of links": _loop,
    "the root": lambda p: p.root,
    "the root with a slash": lambda p: f"{p.root}/",
    "the root with dots": lambda p: f"{p.root}/a/..",
    "a hidden file": lambda p: p.root / ".x.md",
    "a hidden directory": lambda p: p.root / ".git/x.md",
    "a temporary of ours": lambda p: p.root / ".qmemd-0.tmp",
    "no document": lambda p: p.root / "x.txt",
    "no ending": lambda p: p.root / "x",
    "an ending in capitals": lambda p: p.root / "x.MD",
    "a trailing dot": lambda p: p.root / "x.md.",
    "a trailing blank": lambda p: p.root / "x.md ",
    "only an ending": lambda p: p.root / ".md",
    "a line break": lambda p: p.root / "a\nb.md",
    "an escape sequence": lambda p: p.root / "a\x1b[31m.md",
    "half a surrogate pair inside": lambda p: f"{p.root}/\udcff.md",
    "a NUL inside": lambda p: f"{p.root}/a\0.md",
    "a long name inside": lambda p: p.root / ("x" * 253 + ".md"),
    "a long name of other letters": lambda p: p.root / ("記" * 90 + ".md"),
}
"""What lies inside and must not be written."""

INSIDE_PATHS: dict[str, Attack] = {
    "a document": lambda p: p.root / "inside.md",
    "two slashes": lambda p: f"/{p.root}//inside.md",
    "a slash at the end": lambda p: f"{p.root}/inside.md/",
    "dots that stay inside": lambda p: f"{p.root}/pinned/../inside.md",
    "a link inside": lambda p: p.link("alias.md", p.root / "inside.md"),
    "the root of the process": lambda p: f"/proc/self/root{p.root}/inside.md",
}
"""Other spellings of the one document that may be written."""


@pytest.fixture
def place(tmp_path: Path, paths: MemoryPaths) -> Iterator[Place]:
    here = os.getcwd()  # noqa: PTH109 - only to go back
    made = Place(tmp_path, paths)
    yield made
    os.chdir(here)
    for server in made.sockets:
        server.close()
    for number in made.descriptors:
        os.close(number)


class Session:
    """Calls every tool on one path, then commits whatever the draft holds."""

    def __init__(self, place: Place, scope: MemoryScope | None = None) -> None:
        self.place = place
        self.scope = scope or MemoryScope(place.paths, list(Scope))
        self.draft = Draft(place.paths)
        self.tools = Tools(DraftView(place.paths, self.draft), self.scope, dreaming=True)

    def call(self, name: str, **arguments: object) -> str | None:
        """What the tool says; None when it refused."""
        try:
            return self.tools.call(ToolCall("1", name, arguments))
        except ToolRefusedError as refused:
            sentence = str(refused)
        assert sentence.strip()
        assert SECRET not in sentence
        return None

    def look(self, path: object) -> list[str | None]:
        return [
            self.call("read_file", file_path=path),
            self.call("ls", path=path),
            self.call("grep", path=path, pattern="o"),
        ]

    def change(self, path: object) -> list[str | None]:
        inside = str(self.place.root / "inside.md")
        return [
            self.call("write_file", file_path=path, content=CONTENT),
            self.call("edit", file_path=path, old_string="a", new_string="b"),
            self.call("remove", file_path=path),
            self.call("remove", file_path=path, merged_into=inside),
            self.call("remove", file_path=inside, merged_into=path),
        ]

    def commit(self) -> None:
        if not self.draft.changes():
            return
        paths = self.place.paths
        committer = Committer(
            paths,
            History(paths.history),
            scanner=Scanner(),
            clock=lambda: datetime.now(UTC),
            new_id=lambda: "set-1",
        )
        run = RunRecord("task-1", TaskKind.REMEMBER, None, str(paths.workspace))
        with suppress(TaskFailedError):
            committer.commit(
                self.draft.changes(), run, result=lambda _: {}, may_commit=lambda: True
            )


def everything_but_the_memory(place: Place) -> dict[str, object]:
    """Names, kinds and contents of all that a model must not touch."""
    top = place.outside.parent
    found: dict[str, object] = {}
    for path in sorted(top.rglob("*")):
        inside = any(path.is_relative_to(root.path) for root in place.paths.roots)
        ours = path.is_relative_to(place.paths.history) or path.name.endswith((".lock", ".json"))
        if inside or ours or path.is_relative_to(place.paths.base / "qmemd"):
            continue
        mode = path.lstat().st_mode
        content = path.read_bytes() if stat.S_ISREG(mode) else None
        found[str(path)] = (stat.S_IFMT(mode), content)
    return found


def as_argument(made: object) -> object:
    return str(made) if isinstance(made, Path) else made


@pytest.mark.parametrize("name", OUTSIDE)
def test_nothing_outside_is_read_or_written(place: Place, name: str) -> None:
    path = as_argument(OUTSIDE[name](place))
    before = everything_but_the_memory(place)
    session = Session(place)
    assert session.look(path) == [None] * 3
    assert session.change(path) == [None] * 5
    assert session.draft.changes() == ()
    assert everything_but_the_memory(place) == before


@pytest.mark.parametrize("name", NOT_WRITABLE)
def test_what_is_not_the_models_inside_is_not_written(place: Place, name: str) -> None:
    path = as_argument(NOT_WRITABLE[name](place))
    before = everything_but_the_memory(place)
    names = sorted(map(str, place.root.rglob("*")))
    session = Session(place)
    for said in session.look(path):
        assert SECRET not in (said or "")
    assert session.change(path)[:4] == [None] * 4
    session.draft = Draft(place.paths)  # the last call may have merged a document into it
    session.commit()
    assert everything_but_the_memory(place) == before
    assert sorted(map(str, place.root.rglob("*"))) == names
    assert (place.root / "pinned/own.md").read_text().endswith(f"{INSIDE}\n")


@pytest.mark.parametrize("name", INSIDE_PATHS)
def test_other_spellings_of_a_document_inside_are_that_document(place: Place, name: str) -> None:
    path = as_argument(INSIDE_PATHS[name](place))
    before = everything_but_the_memory(place)
    session = Session(place)
    read = session.call("read_file", file_path=path)
    assert INSIDE in (read or "")
    assert session.call("write_file", file_path=path, content=CONTENT)
    (change,) = session.draft.changes()
    assert change.path == MemoryPath(Scope.USER, "inside.md")
    session.commit()
    assert (place.root / "inside.md").read_text() == CONTENT
    assert everything_but_the_memory(place) == before


@pytest.mark.parametrize("scope", list(Scope))
def test_the_other_scope_is_not_written(place: Place, scope: Scope) -> None:
    other = place.project if scope is Scope.USER else place.root
    session = Session(place, MemoryScope(place.paths, [scope]))
    assert session.call("write_file", file_path=str(other / "x.md"), content=CONTENT) is None
    link = place.paths.root(scope).path / "l.md"
    link.symlink_to(other / "x.md")
    assert session.call("write_file", file_path=str(link), content=CONTENT) is None
    assert session.scope.mismatches == 2
    assert session.draft.changes() == ()


def test_a_root_that_is_a_link_is_neither_read_nor_written(tmp_path: Path) -> None:
    (tmp_path / "workspace").mkdir()
    (tmp_path / "other").mkdir()
    (tmp_path / "other/secret.md").write_text(SECRET)
    paths = resolve_paths(tmp_path / "base", tmp_path / "workspace")
    paths.project_state.mkdir(parents=True)
    paths.project.path.symlink_to(tmp_path / "other")
    place = Place(tmp_path, paths)
    before = everything_but_the_memory(place)
    session = Session(place)
    for path in (str(paths.project.path / name) for name in ("secret.md", "new.md", "")):
        assert SECRET not in "".join(said or "" for said in session.look(path))
        session.change(path)
    session.commit()
    assert everything_but_the_memory(place) == before
    assert [path.name for path in (tmp_path / "other").iterdir()] == ["secret.md"]


def test_a_base_behind_a_link_is_the_memory_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "home").symlink_to(tmp_path / "real")
    (tmp_path / "workspace").mkdir()
    place = Place(tmp_path, resolve_paths(tmp_path / "home/base", tmp_path / "workspace"))
    session = Session(place)
    written = session.call(
        "write_file", file_path=f"{tmp_path}/home/base/memories/x.md", content=CONTENT
    )
    assert written
    session.commit()
    assert (place.root / "x.md").read_text() == CONTENT


class Swapping(MemoryScope):
    """Does something just after a path was judged, before it is used."""

    def __init__(self, paths: MemoryPaths, swap: Callable[[], object]) -> None:
        super().__init__(paths, list(Scope))
        self._swap = swap

    def readable(self, raw: object) -> MemoryPath:
        judged = super().readable(raw)
        self._swap()
        return judged

    def directory(self, raw: object) -> tuple[Scope, str]:
        judged = super().directory(raw)
        self._swap()
        return judged

    def writable(self, raw: object) -> MemoryPath:
        judged = super().writable(raw)
        self._swap()
        return judged


def _swap_file(place: Place) -> None:
    path = place.root / "inside.md"
    if not path.is_symlink():
        path.unlink(missing_ok=True)
        path.symlink_to(place.outside / "secret.md")


def _swap_directory(place: Place) -> None:
    path = place.root / "topic"
    if not path.is_symlink():
        path.rename(place.root / "moved")
        path.symlink_to(place.outside)


def _swap_root(place: Place) -> None:
    if not place.root.is_symlink():
        place.root.rename(place.root.with_name("moved"))
        place.root.symlink_to(place.outside)


def _swap_for_fifo(place: Place) -> None:
    path = place.root / "inside.md"
    path.unlink()
    os.mkfifo(path)


def without_what_was_moved(place: Place) -> dict[str, object]:
    moved = str(place.root.with_name("moved"))
    found = everything_but_the_memory(place)
    return {path: what for path, what in found.items() if not path.startswith(moved)}


SWAPS: dict[str, tuple[Callable[[Place], None], str]] = {
    "the file": (_swap_file, "inside.md"),
    "its directory": (_swap_directory, "topic/secret.md"),
    "the root": (_swap_root, "inside.md"),
    "a FIFO for the file": (_swap_for_fifo, "inside.md"),
}


@pytest.mark.parametrize("seen", [True, False])
@pytest.mark.parametrize("name", SWAPS)
@pytest.mark.parametrize("tool", ["read_file", "ls", "grep", "write_file", "edit", "remove"])
def test_a_swap_between_the_check_and_the_use_gains_nothing(
    place: Place, name: str, tool: str, seen: bool
) -> None:
    swap, relative = SWAPS[name]
    (place.root / "topic").mkdir()
    (place.root / "topic/secret.md").write_text(CONTENT)
    before = everything_but_the_memory(place)
    path = place.root / relative
    swaps = [] if seen else [swap]
    session = Session(place, Swapping(place.paths, lambda: swaps and swaps.pop()(place)))
    if seen:
        assert session.call("read_file", file_path=str(path))
        swaps.append(swap)
    said = session.call(
        tool,
        file_path=str(path),
        path=str(path if tool == "grep" else path.parent),
        pattern="o",
        content=CONTENT,
        old_string="description: ",
        new_string="description: new ",
    )
    assert SECRET not in (said or "")
    session.commit()
    assert swaps == []
    assert without_what_was_moved(place) == before


@pytest.mark.parametrize("name", SWAPS)
def test_a_swap_between_the_draft_and_the_commit_gains_nothing(place: Place, name: str) -> None:
    swap, relative = SWAPS[name]
    (place.root / "topic").mkdir()
    (place.root / "topic/secret.md").write_text(CONTENT)
    before = everything_but_the_memory(place)
    session = Session(place)
    path = str(place.root / relative)
    assert session.call("read_file", file_path=path)
    assert session.call("write_file", file_path=path, content=CONTENT + "More.\n")
    assert session.call("write_file", file_path=f"{place.root}/topic/new.md", content=CONTENT)
    swap(place)
    session.commit()
    assert without_what_was_moved(place) == before


def test_names_in_another_encoding_are_no_documents(place: Place) -> None:
    try:
        (Path(os.fsdecode(os.fsencode(place.root) + b"/\xff\xfe.md"))).write_text("needle")
    except OSError:
        pytest.skip("the file system takes only UTF-8")
    os.mkdir(os.fsencode(place.root) + b"/d\xff")  # noqa: PTH102 - bytes
    session = Session(place)
    listed = session.call("ls", path=str(place.root)) or ""
    listed.encode()
    assert "inside.md" in listed
    found = session.call("grep", path=str(place.root), pattern="e") or ""
    found.encode()
    assert "needle" not in found


def test_the_attacks_are_many() -> None:
    assert len(OUTSIDE) + len(NOT_WRITABLE) >= 40
