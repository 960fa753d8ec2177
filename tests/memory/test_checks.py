from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from qmemd.errors import MemoryFilesError, TaskFailedError
from qmemd.kinds import Scope, TaskKind
from qmemd.memory.changes import FileChange
from qmemd.memory.checks import check_changes, check_restored, without_secrets
from qmemd.memory.scan import Scan, Scanner
from qmemd.memory.secrets import SecretPolicy
from tests.memory.world import World, add, document, project, user

TOKEN = "ghp_" + "a1B2c3D4e5F6" * 3


def _check(changes: Sequence[FileChange], kind: TaskKind = TaskKind.REMEMBER) -> None:
    def scan(_scope: Scope) -> Scan:
        raise AssertionError("a scan is only for what seems to lose text")

    check_changes(changes, kind=kind, scan=scan)
    assert without_secrets(changes, SecretPolicy.REFUSE) == tuple(changes)


def _code(changes: Sequence[FileChange], kind: TaskKind = TaskKind.REMEMBER) -> str:
    with pytest.raises(TaskFailedError) as caught:
        _check(changes, kind)
    return caught.value.code


def test_what_is_fine_passes() -> None:
    _check([add(user("a.md"), "First"), FileChange(project("sub/b.md"), b"old", None)])


NEVER = [
    *("MEMORY.md", "pinned/a.md", "Pinned/a.md", "pinned/deep/a.md", "a.txt", "a"),
    *(".qmemd-1.md", ".qmemd-x/a.md"),
    "ｐｉｎｎｅｄ/a.md",  # noqa: RUF001 - full-width letters are meant
    *("pin\u200cned/a.md", "pinned./a.md"),
]
NEVER_NEW = [
    *("memory.md", "sub/Memory.md", "MEMORY.md/a.md", ".md", "x" * 260 + ".md"),
    "MEM\u200dORY.md",
]


@pytest.mark.parametrize("relative", NEVER)
def test_places_that_are_never_written(relative: str) -> None:
    for change in (add(user(relative), "x"), FileChange(project(relative), b"x", None)):
        assert _code([change]) == "remember_failed"
        assert _code([change], TaskKind.FORGET) == "forget_failed"


@pytest.mark.parametrize("relative", NEVER_NEW)
def test_odd_names_are_for_what_is_there_already(relative: str) -> None:
    assert _code([add(user(relative), "x")]) == "remember_failed"
    _check([FileChange(project(relative), b"x", None)])


@pytest.mark.parametrize("relative", ["pinned/a.md", "sub/MEMORY.md", "MEM\u200dORY.md", ".md"])
def test_what_its_owner_brings_back_may_lie_where_a_document_may(relative: str) -> None:
    check_restored([add(user(relative), "x")])


@pytest.mark.parametrize(
    ("relative", "content"),
    [
        *((name, b"x") for name in ("MEMORY.md", "a.txt", ".qmemd-x/a.md", "x" * 260 + ".md")),
        *(("a.md", content) for content in (b"\xff", b"a\0b", b"x" * (1 << 20) + b"x")),
    ],
)
def test_what_no_memory_holds_is_not_brought_back(relative: str, content: bytes) -> None:
    with pytest.raises(MemoryFilesError):
        check_restored([FileChange(user(relative), None, content)])


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
    # Into a document that says something else, is not there, or goes too.
    assert not dream.is_safe(*(dream.remove(number, into=39) for number in range(20)))
    assert not dream.is_safe(*(dream.remove(number, into=99) for number in range(12)))
    assert not dream.is_safe(*(dream.remove(number, into=number + 1) for number in range(20)))
    assert not dream.is_safe(*(dream.remove(number, into=39) for number in range(35)))


def test_merging_into_a_document_that_was_rewritten_for_it_is_safe(tmp_path: Path) -> None:
    dream = _Dream(tmp_path, 40)
    removals = [dream.remove(number, into=39) for number in range(20)]
    told = dream.rewrite(39, document("Facts 0 to 19 and 39 are worth remembering for a while"))
    assert dream.is_safe(told, *removals)
    other = dream.rewrite(39, document("Green tea is what the user drinks, and nothing else"))
    assert not dream.is_safe(other, *removals)


def test_merging_into_a_document_that_says_it_already_is_safe(tmp_path: Path) -> None:
    world = World(tmp_path)
    told = [f"The user likes dark colours in program {number}" for number in range(6)]
    kept = "Dark colours are liked everywhere, also in the programs 0, 1, 2, 3, 4 and 5"
    for number, text in enumerate(told):
        world.save(user(f"{number}.md"), document(text))
    world.save(user("kept.md"), document(kept))
    scan = Scanner().scan(world.paths.root(Scope.USER))
    changes = [
        FileChange(user(f"{number}.md"), document(text), None, user("kept.md"))
        for number, text in enumerate(told)
    ]
    with pytest.raises(TaskFailedError, match="too many"):  # a third of the text has to remain
        check_changes(changes, kind=TaskKind.DREAM, scan=lambda _: scan)
    check_changes(changes[:4], kind=TaskKind.DREAM, scan=lambda _: scan)


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


LONG = "\n".join(f"Paragraph {number} says why the deploys are on Fridays." for number in range(20))
HEAD = b"---\nname: Deploys\ndescription: When and why\ntype: project\n---\n\n"


def _long(text: str = LONG) -> bytes:
    return HEAD + text.encode() + b"\n"


@pytest.mark.parametrize(
    "after",
    [
        b"",
        HEAD,
        HEAD + b"  \n\n",
        _long("Paragraph 0 says why.\n\n... rest unchanged ..."),
        _long(LONG + "\n# unchanged"),
        _long("[existing content]\n" + LONG),
        _long("The deploys are on Fridays."),
    ],
)
def test_a_rewrite_must_not_swallow_a_document(tmp_path: Path, after: bytes) -> None:
    world = World(tmp_path)
    world.save(project("a.md"), _long())
    change = FileChange(project("a.md"), _long(), after)
    scanner = Scanner()
    for kind, code in (
        (TaskKind.REMEMBER, "remember_failed"),
        (TaskKind.DREAM, "dream_unsafe"),
    ):
        with pytest.raises(TaskFailedError) as caught:
            check_changes(
                [change], kind=kind, scan=lambda scope: scanner.scan(world.paths.root(scope))
            )
        assert caught.value.code == code
    # Taking entries out is what a forget is for.
    check_changes([change], kind=TaskKind.FORGET, scan=lambda _: pytest.fail("not for a forget"))


@pytest.mark.parametrize("kind", [TaskKind.REMEMBER, TaskKind.DREAM])
@pytest.mark.parametrize("text", ["", "\n \n"])
def test_a_short_document_must_not_be_emptied_either(
    tmp_path: Path, text: str, kind: TaskKind
) -> None:
    world = World(tmp_path)
    for number in range(9):
        world.save(user(f"{number}.md"), document(f"Fact number {number}"))
    scan = Scanner().scan(world.paths.root(Scope.USER))
    change = FileChange(user("0.md"), document("Fact number 0"), HEAD + text.encode())
    with pytest.raises(TaskFailedError):
        check_changes([change], kind=kind, scan=lambda _: scan)


def test_one_short_fact_may_be_replaced_by_a_shorter_one() -> None:
    before = document("The user prefers dark mode in all editors, and also in the terminal")
    _check([FileChange(user("a.md"), before, document("The user prefers light mode"))])


def test_a_list_must_not_lose_most_of_its_entries_to_a_remember(tmp_path: Path) -> None:
    world = World(tmp_path)
    before = HEAD + b"- Likes tea.\n- Likes rye.\n- Likes chess.\n- Runs on Sundays.\n"
    world.save(user("list.md"), before)
    scan = Scanner().scan(world.paths.root(Scope.USER))

    def rewrite(rest: bytes) -> None:
        change = FileChange(user("list.md"), before, HEAD + rest)
        check_changes([change], kind=TaskKind.REMEMBER, scan=lambda _: scan)

    rewrite(b"- Likes tea.\n- Likes rye.\n- Runs on Sundays.\n")
    with pytest.raises(TaskFailedError):
        rewrite(b"- Likes tea.\n")


def test_what_moves_to_another_document_is_not_lost(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.save(project("a.md"), _long())
    scan = Scanner().scan(world.paths.root(Scope.PROJECT))
    lines = LONG.splitlines()
    moved = FileChange(project("b.md"), None, _long("\n".join(lines[4:])))
    cut = FileChange(project("a.md"), _long(), _long("\n".join(lines[:4])))
    check_changes([cut, moved], kind=TaskKind.DREAM, scan=lambda _: scan)
    junk = FileChange(project("b.md"), None, _long("Something else entirely. " * 60))
    with pytest.raises(TaskFailedError):
        check_changes([cut, junk], kind=TaskKind.DREAM, scan=lambda _: scan)


def test_entries_that_are_there_elsewhere_may_leave_a_list(tmp_path: Path) -> None:
    world = World(tmp_path)
    lines = [f"- The fact number {number} is worth remembering for a while." for number in range(9)]
    before = HEAD + "\n".join(lines).encode() + b"\n"
    world.save(project("a.md"), before)
    world.save(project("b.md"), before)
    scan = Scanner().scan(world.paths.root(Scope.PROJECT))
    cut = FileChange(project("a.md"), before, HEAD + lines[0].encode() + b"\n")
    check_changes([cut], kind=TaskKind.DREAM, scan=lambda _: scan)
    both = [cut, FileChange(project("b.md"), before, cut.after)]
    with pytest.raises(TaskFailedError):
        check_changes(both, kind=TaskKind.DREAM, scan=lambda _: scan)


def test_a_document_that_nobody_could_read_may_be_mended_by_a_dream(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.save(user("a.md"), b"\xff\xfe")
    scan = Scanner().scan(world.paths.root(Scope.USER))
    mended = FileChange(user("a.md"), b"\xff\xfe", document("good"))
    check_changes([mended], kind=TaskKind.DREAM, scan=lambda _: scan)


def test_a_placeholder_in_a_new_document_stops_a_dream_and_not_a_remember(tmp_path: Path) -> None:
    new = [FileChange(user("new.md"), None, document("x") + b"... existing content ...\n")]
    _check(new)
    scan = Scanner().scan(World(tmp_path).paths.root(Scope.USER))
    with pytest.raises(TaskFailedError) as caught:
        check_changes(new, kind=TaskKind.DREAM, scan=lambda _: scan)
    assert caught.value.code == "dream_unsafe"


def test_masking_takes_only_new_secrets_out() -> None:
    other = "gho_" + "Zz9" * 12
    before = document("x") + f"old {TOKEN}\n".encode()
    after = document("x") + f"the old {TOKEN}, and a new one: {other}.\n".encode()
    change = FileChange(user("a.md"), before, after)
    (masked,) = without_secrets([change], SecretPolicy.MASK)
    assert masked.after is not None
    assert masked.after.decode().endswith(f"the old {TOKEN}, and a new one: [redacted].\n")
    assert without_secrets([change], SecretPolicy.ALLOW) == (change,)
    assert _code([change]) == "secret_detected"
    named = FileChange(user(f"{TOKEN}.md"), None, document("x"))
    with pytest.raises(TaskFailedError):
        without_secrets([named], SecretPolicy.MASK)


def test_a_line_with_an_old_secret_may_be_reworded() -> None:
    before = document("x") + f"the token is {TOKEN}\n".encode()
    _check([FileChange(user("a.md"), before, document("x") + f"Token: {TOKEN}.\n".encode())])
    _check([FileChange(user("a.md"), before, None)], TaskKind.FORGET)


def test_touching_the_first_line_of_an_old_key_makes_no_new_one_of_it() -> None:
    begin, end = "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----"
    lines = [begin, "MIIEvQ" * 10, "AbCdEf" * 10, end]
    before = document("x") + "\n".join(["The key:", *lines]).encode()
    after = document("x") + "\n".join([f"It is {begin}", *lines[1:]]).encode()
    _check([FileChange(user("a.md"), before, after)])
    other = after.replace(b"AbCdEf", b"ZzYyXx").replace(b"It is ", b"")
    assert _code([FileChange(user("a.md"), document("x"), other)]) == "secret_detected"


@pytest.mark.parametrize("kind", [TaskKind.REMEMBER, TaskKind.DREAM])
def test_the_mark_of_a_hidden_secret_is_not_written_over_a_document(
    tmp_path: Path, kind: TaskKind
) -> None:
    world = World(tmp_path)
    before = document("x") + f"The token is {TOKEN}, {'and so on it goes ' * 20}\n".encode()
    for number in range(9):
        world.save(user(f"{number}.md"), document(f"Fact number {number}"))
    world.save(user("a.md"), before)
    scan = Scanner().scan(world.paths.root(Scope.USER))
    after = before.replace(TOKEN.encode(), b"[redacted: GitHub token 1]")
    with pytest.raises(TaskFailedError):
        check_changes([FileChange(user("a.md"), before, after)], kind=kind, scan=lambda _: scan)
    # Where it stood before, it is a text.
    more = after + b"More.\n"
    check_changes([FileChange(user("a.md"), after, more)], kind=kind, scan=lambda _: scan)


FACTS = [
    "Ada owns the billing service.",
    "Tests run against a Postgres container.",
    "The staging cluster is rebuilt every night.",
    "Invoices are sent by the mailer on port 2525.",
    "Nobody deploys on Fridays.",
    "The design tokens live in Figma.",
    "Feature flags are kept in Consul.",
    "The mobile app is released every second Tuesday.",
]


def _merged(tmp_path: Path, target: str, *, written: bool) -> bool:
    """Whether a dream may merge the facts into a document that says this, after or all along."""
    world = World(tmp_path)
    for number, text in enumerate(FACTS):
        world.save(user(f"{number}.md"), HEAD + text.encode())
    old = b"# Things to know\n" if written else target.encode()
    world.save(user("all.md"), HEAD + old)
    world.save(user("more.md"), document("Something else that takes some room. " * 40))
    scan = Scanner().scan(world.paths.root(Scope.USER))
    changes = [
        FileChange(user(f"{number}.md"), HEAD + text.encode(), None, user("all.md"))
        for number, text in enumerate(FACTS)
    ]
    if written:
        changes.append(FileChange(user("all.md"), HEAD + old, HEAD + target.encode()))
    try:
        check_changes(changes, kind=TaskKind.DREAM, scan=lambda _: scan)
    except TaskFailedError as error:
        if error.code != "dream_unsafe":
            raise
        return False
    return True


@pytest.mark.parametrize("written", [True, False])
def test_a_merge_that_tells_each_statement_is_safe(tmp_path: Path, written: bool) -> None:
    assert _merged(tmp_path / "a", "\n".join(f"- {text}" for text in FACTS), written=written)
    assert _merged(tmp_path / "b", " ".join(reversed(FACTS)), written=written)


@pytest.mark.parametrize("written", [True, False])
@pytest.mark.parametrize(
    "target",
    [
        " ".join(FACTS[:4]),
        "Billing, tests, staging, invoices, deploys, design, flags and the app are described here.",
        " ".join(FACTS)
        .replace("2525", "2526")
        .replace("Nobody deploys", "Deploys are always")
        .replace("Ada owns", "Bob owns")
        .replace("Postgres", "MySQL")
        .replace("Figma", "a drawer")
        .replace("staging cluster is", "staging cluster is not"),
    ],
)
def test_a_merge_into_a_summary_that_drops_statements_is_not(
    tmp_path: Path, target: str, written: bool
) -> None:
    assert _merged(tmp_path, target, written=written) == (
        # Other names in a text that was written for it may be news; so much is left to the model.
        written and "MySQL" in target
    )


def test_a_merge_into_what_was_written_for_it_may_use_other_words(tmp_path: Path) -> None:
    target = (
        "Billing belongs to Ada. Postgres containers back the tests. Every night the staging "
        "cluster gets rebuilt. The mailer (port 2525) sends invoices. No deploys on Fridays. "
        "Design tokens are in Figma, feature flags in Consul. Every second Tuesday there is a "
        "release of the mobile app."
    )
    assert _merged(tmp_path, target, written=True)
