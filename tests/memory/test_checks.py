from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from qmemd.errors import MemoryFilesError, TaskFailedError
from qmemd.kinds import Scope, TaskKind
from qmemd.memory.changes import FileChange
from qmemd.memory.checks import check_changes, check_paths
from qmemd.memory.scan import Scan, Scanner
from tests.memory.world import World, add, document, project, user

TOKEN = "ghp_" + "a1B2c3D4e5F6" * 3


def _check(changes: Sequence[FileChange], kind: TaskKind = TaskKind.REMEMBER) -> None:
    def scan(_scope: Scope) -> Scan:
        raise AssertionError("only a dream needs a scan")

    check_changes(changes, kind=kind, scan=scan)


def _code(changes: Sequence[FileChange], kind: TaskKind = TaskKind.REMEMBER) -> str:
    with pytest.raises(TaskFailedError) as caught:
        _check(changes, kind)
    return caught.value.code


def test_what_is_fine_passes() -> None:
    _check([add(user("a.md"), "First"), FileChange(project("sub/b.md"), b"old", None)])


@pytest.mark.parametrize(
    "relative",
    [
        "MEMORY.md",
        "memory.md",
        "sub/Memory.md",
        "MEMORY.md/a.md",
        "pinned/a.md",
        "Pinned/a.md",
        "pinned/deep/a.md",
        "a.txt",
        "a",
        ".md",
        ".qmemd-1.md",
        ".qmemd-x/a.md",
        "x" * 260 + ".md",
    ],
)
def test_places_that_are_never_written(relative: str) -> None:
    for change in (add(user(relative), "x"), FileChange(project(relative), b"x", None)):
        assert _code([change]) == "remember_failed"
        assert _code([change], TaskKind.FORGET) == "forget_failed"
        with pytest.raises(MemoryFilesError):
            check_paths([change])


def test_one_document_changes_once() -> None:
    assert _code([add(user("a.md"), "x"), add(user("a.md"), "y")]) == "remember_failed"
    _check([add(user("a.md"), "x"), add(project("a.md"), "x")])


@pytest.mark.parametrize("content", [b"\xff\xfe", b"a\0b", b"x" * (1 << 20) + b"x"])
def test_every_document_must_be_readable(content: bytes) -> None:
    assert _code([FileChange(user("a.md"), None, content)]) == "remember_failed"
    # What was bad before may be mended or removed.
    _check([FileChange(user("a.md"), content, document("good"))])
    _check([FileChange(user("a.md"), content, None)])


def test_a_secret_in_added_text_is_refused_without_showing_it() -> None:
    change = FileChange(user("a.md"), document("x"), document("x") + f"token {TOKEN}\n".encode())
    with pytest.raises(TaskFailedError) as caught:
        _check([change])
    assert caught.value.code == "secret_detected"
    assert TOKEN not in f"{caught.value.details} {caught.value}"


def test_a_secret_in_the_head_or_the_file_name_counts() -> None:
    assert _code([add(user("a.md"), f"token {TOKEN}")]) == "secret_detected"
    assert _code([add(user(f"{TOKEN}.md"), "x")]) == "secret_detected"


def test_a_secret_over_several_lines_is_seen_as_a_whole() -> None:
    begin, end = "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----"
    pem = f"{begin}\n{'MIIEvQ' * 10}\n{end}\n".encode()
    assert _code([FileChange(user("a.md"), b"x\n", b"x\n" + pem)]) == "secret_detected"


def test_a_secret_that_was_there_before_does_not_stop_a_run() -> None:
    old = document("x") + f"token {TOKEN}\n".encode()
    _check([FileChange(user("a.md"), old, old + b"harmless\n")])
    _check([FileChange(user("a.md"), old, document("x"))])
    _check([FileChange(user("a.md"), old, None), FileChange(user("b.md"), None, old)])


def test_harmless_text_passes() -> None:
    text = "risk-based review; never store a password here; " + "0123456789abcdef0123" * 2
    _check([FileChange(user("a.md"), None, document("x") + text.encode())])


class _Dream:
    """A memory with numbered facts, and a dream over it."""

    def __init__(self, directory: Path, facts: int) -> None:
        self.world = World(directory)
        for number in range(facts):
            self.world.save(user(f"{number}.md"), self.text(number))

    @staticmethod
    def text(number: int) -> bytes:
        return document(f"The fact number {number} is worth remembering for a while")

    def remove(self, number: int, into: int | None = None) -> FileChange:
        target = None if into is None else user(f"{into}.md")
        return FileChange(user(f"{number}.md"), self.text(number), None, target)

    def rewrite(self, number: int, content: bytes) -> FileChange:
        return FileChange(user(f"{number}.md"), self.text(number), content)

    def is_safe(self, *changes: FileChange) -> bool:
        scanner = Scanner()
        try:
            check_changes(
                changes,
                kind=TaskKind.DREAM,
                scan=lambda scope: scanner.scan(self.world.paths.root(scope)),
            )
        except TaskFailedError as error:
            if error.code == "dream_unsafe":
                return False
            raise
        return True


def test_a_dream_may_not_delete_most_of_the_memory(tmp_path: Path) -> None:
    dream = _Dream(tmp_path, 40)
    assert dream.is_safe(*(dream.remove(number) for number in range(8)))
    assert not dream.is_safe(*(dream.remove(number) for number in range(9)))
    assert not dream.is_safe(*(dream.remove(number) for number in range(35)))


def test_saying_that_it_is_merged_does_not_make_it_so(tmp_path: Path) -> None:
    dream = _Dream(tmp_path, 40)
    assert dream.is_safe(*(dream.remove(number, into=39) for number in range(20)))
    assert not dream.is_safe(*(dream.remove(number, into=39) for number in range(35)))
    # Into a document that is not there, or goes too.
    assert not dream.is_safe(*(dream.remove(number, into=99) for number in range(12)))
    assert not dream.is_safe(*(dream.remove(number, into=number + 1) for number in range(20)))


@pytest.mark.parametrize("rest", [b"", b"x\n", document("x")])
def test_emptying_is_deleting(tmp_path: Path, rest: bytes) -> None:
    dream = _Dream(tmp_path, 40)
    contents = [rest + str(number).encode() if rest else rest for number in range(35)]
    assert not dream.is_safe(*(dream.rewrite(n, content) for n, content in enumerate(contents)))


def test_merging_equal_entries_is_always_safe(tmp_path: Path) -> None:
    dream = _Dream(tmp_path, 1)
    for number in range(1, 30):
        dream.world.save(user(f"{number}.md"), dream.text(0))
    equal = [
        FileChange(user(f"{number}.md"), dream.text(0), None, user("0.md"))
        for number in range(1, 30)
    ]
    assert dream.is_safe(*equal)
    assert not dream.is_safe(*equal, dream.remove(0))


def test_gathering_texts_in_one_document_is_safe_as_long_as_they_are_there(tmp_path: Path) -> None:
    dream = _Dream(tmp_path, 40)
    everything = b"\n\n".join(dream.text(number) for number in range(40))
    removals = [dream.remove(number, into=39) for number in range(39)]
    assert dream.is_safe(dream.rewrite(39, document("All") + everything), *removals)
    assert not dream.is_safe(dream.rewrite(39, document("All of it")), *removals)


def test_bullets_that_go_are_entries_that_go(tmp_path: Path) -> None:
    world = World(tmp_path)
    lines = [f"- The fact number {number} is worth remembering for a while" for number in range(20)]
    before = "\n".join(lines).encode()
    world.save(user("list.md"), before)
    scan = Scanner().scan(world.paths.root(Scope.USER))

    def cut(count: int, *added: str) -> None:
        after = "\n".join([*lines[count:], *added]).encode()
        change = FileChange(user("list.md"), before, after)
        check_changes([change], kind=TaskKind.DREAM, scan=lambda _: scan)

    cut(4)
    cut(5, "- The facts number 0 to 4 are worth remembering")
    with pytest.raises(TaskFailedError, match="too many"):
        cut(5)


def test_rewording_is_safe(tmp_path: Path) -> None:
    dream = _Dream(tmp_path, 4)
    assert dream.is_safe(
        *(dream.rewrite(number, dream.text(number) + b"\nReworded.\n") for number in range(4))
    )


def test_pinned_documents_do_not_widen_the_bound(tmp_path: Path) -> None:
    dream = _Dream(tmp_path, 4)
    for number in range(30):
        dream.world.save(user(f"pinned/{number}.md"), dream.text(100 + number))
    assert dream.is_safe(*(dream.remove(number) for number in range(3)))
    assert not dream.is_safe(*(dream.remove(number) for number in range(4)))


def test_an_entry_that_stays_as_a_pinned_one_is_not_lost(tmp_path: Path) -> None:
    dream = _Dream(tmp_path, 1)
    dream.world.save(user("pinned/x.md"), dream.text(0))
    assert dream.is_safe(dream.remove(0))


def test_the_last_memory_is_not_dreamed_away(tmp_path: Path) -> None:
    dream = _Dream(tmp_path, 1)
    assert not dream.is_safe(dream.remove(0))
