"""An import adds what is new, keeps what is there, and can be undone."""

from __future__ import annotations

from pathlib import Path

import pytest

from qmemd.kinds import ChangeAction, Scope, TaskKind
from qmemd.memory.locks import FileLock
from qmemd.memory.proposals import RunRecord
from qmemd.memory.secrets import SecretPolicy
from qmemd.porting import committing
from qmemd.porting.records import ReadFact, Unreadable
from qmemd.porting.remembering import NotRememberedError, Remembered
from tests.memory.world import At, SimulatedCrash, World, add, crash, document, project
from tests.memory.world import user as place
from tests.porting.places import (
    Agent,
    counts,
    documents,
    exported,
    import_export,
    import_into,
    other,
    reasons,
    user,
)

TOKEN = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path.resolve())


def move(world: World, change_set_id: str, action: ChangeAction) -> None:
    world.committer().move(
        change_set_id,
        action,
        RunRecord(f"change-{action}", TaskKind.CHANGE, None, str(world.paths.workspace)),
        result=lambda _record, _state: {},
        may_commit=lambda: True,
    )


def test_a_document_with_another_text_is_kept_and_told(world: World) -> None:
    world.save(place("a.md"), document("Mine"))
    report = import_into(world, documents(user("a.md", "Theirs"), user("b.md", "New")))
    assert world.content(place("a.md")) == document("Mine")
    assert counts(report) == (1, 0, 1, 0)
    assert not report.complete
    assert [one.where for one in report.conflicts] == ["user:a.md"]


def test_of_two_documents_for_one_place_the_first_comes_in(world: World) -> None:
    report = import_into(world, documents(user("a.md", "One"), user("a.md", "Two")))
    assert counts(report) == (1, 0, 1, 0)
    assert world.content(place("a.md")) == b"One"


def test_an_equal_text_under_another_name_is_a_document_of_its_own(world: World) -> None:
    world.save(place("a.md"), b"Use tabs.")
    assert counts(import_into(world, documents(user("b.md", "Use tabs.")))) == (1, 0, 0, 0)


def test_one_change_set_that_the_history_lists_and_that_can_be_undone(world: World) -> None:
    world.save(project("here.md"), document("Here"))
    report = import_into(world, documents(*(user(f"{n}.md", f"text {n}") for n in range(3))))
    (change_set_id,) = report.change_sets
    kept = world.history.load(change_set_id)
    assert kept is not None
    assert (kept.kind, kept.client_id, len(kept.files)) == (TaskKind.REMEMBER, None, 3)
    assert kept.task_id.startswith("import-")
    assert kept.workspace == str(world.paths.workspace)
    assert kept.result["summary"] == "Imported 3 documents."
    assert kept.result["changeSetId"] == change_set_id

    move(world, change_set_id, ChangeAction.REVERT)
    assert world.files() == {"project:here.md": document("Here")}


def test_many_documents_are_several_change_sets(world: World) -> None:
    many = committing.MAX_BATCH + 1
    report = import_into(world, documents(*(user(f"{n}.md", f"text {n}") for n in range(many))))
    assert len(report.added) == many
    assert len(report.change_sets) == 2


def test_large_documents_are_several_change_sets(world: World) -> None:
    items = [user(f"{n}.md", f"{n}" + "x\n" * 500_000) for n in range(10)]
    report = import_into(world, documents(*items), policy=SecretPolicy.ALLOW)
    assert len(report.added) == 10
    assert len(report.change_sets) == 2


def test_one_that_cannot_be_written_keeps_no_other_one_out(world: World) -> None:
    world.save(place("taken"), b"a file where a directory would have to be")
    report = import_into(
        world, documents(user("1.md", "one"), user("taken/2.md", "two"), user("3.md", "three"))
    )
    assert [one.where for one in report.skipped] == ["user:taken/2.md"]
    assert world.content(place("1.md")) == b"one"
    assert world.content(place("3.md")) == b"three"


def test_nothing_is_written_through_a_link(world: World, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    world.save(place("a.md"), b"a")
    (world.paths.user.path / "link").symlink_to(outside)
    (world.paths.user.path / "b.md").symlink_to(outside / "b.md")
    report = import_into(world, documents(user("link/x.md", "x"), user("b.md", "b")))
    assert counts(report) == (0, 0, 0, 2)
    assert list(outside.iterdir()) == []


def test_a_lock_that_others_hold_is_waited_for_once_and_not_for_each_document(
    world: World,
) -> None:
    lock = FileLock(world.paths.user.lock_path)
    assert lock.acquire()
    try:
        items = [user(f"{n}.md", f"text {n}") for n in range(50)]
        report = import_into(world, documents(*items), lock_timeout=0.2)
    finally:
        lock.release()
    assert counts(report) == (0, 0, 0, 50)
    assert "locked by another process" in reasons(report)[0]
    assert world.files() == {}


def test_secrets_are_refused_masked_or_allowed(tmp_path: Path) -> None:
    item = user("a.md", f"The token is {TOKEN} here")
    refusing, masking, allowing = (World(tmp_path.resolve() / name) for name in "rma")
    assert reasons(import_into(refusing, documents(item))) == ["It looks like a GitHub token."]
    for _ in range(2):
        import_into(masking, documents(item), policy=SecretPolicy.MASK)
    assert masking.files() == {"user:a.md": b"The token is [redacted] here"}
    import_into(allowing, documents(item), policy=SecretPolicy.ALLOW)
    assert allowing.files() == {"user:a.md": item.content}


def test_places_and_contents_that_no_memory_has_are_refused(world: World) -> None:
    bad = [
        user("../up.md", "x"),
        user("/etc/x.md", "x"),
        user("a//b.md", "x"),
        user("a\0.md", "x"),
        user("no-markdown.txt", "x"),
        user("MEMORY.md", "x"),
        user("memory.MD", "x"),
        user(".qmemd-history/x.md", "x"),
        user("\ud800.md", "x"),
        user("d/" * 101 + "x.md", "x"),
        user("n" * 300 + ".md", "x"),
        user(("n" * 200 + "/") * 30 + "x.md", "x"),
        user("good.md/x.md", "x"),
        user("nul.md", "a\0b"),
        user("large.md", "x" * ((1 << 20) + 1)),
        user(f"{TOKEN}.md", "x"),
    ]
    report = import_into(world, documents(user("good.md", "good"), *bad))
    assert counts(report) == (1, 0, 0, len(bad))
    assert world.files() == {"user:good.md": b"good"}
    assert not world.history.has_open()


def test_what_is_pinned_or_oddly_named_comes_back_and_can_be_undone_and_done_again(
    world: World,
) -> None:
    texts = {name: f"text {name}" for name in ("pinned/deep/x.md", "sub/MEMORY.md", ".md")}
    report = import_into(world, documents(*(user(*one) for one in texts.items())))

    def there() -> set[str]:
        return {name for name, text in texts.items() if world.content(place(name)) == text.encode()}

    assert there() == texts.keys()
    move(world, report.change_sets[0], ChangeAction.REVERT)
    assert there() == set()
    move(world, report.change_sets[0], ChangeAction.APPLY)
    assert there() == texts.keys()


def test_a_dry_run_says_the_same_and_makes_nothing(tmp_path: Path) -> None:
    source, target = World(tmp_path.resolve()), other(tmp_path.resolve())
    source.save(place("a.md"), document("A"))
    data = exported(source)
    dry = import_export(target, data, remember=None)
    assert counts(dry) == (1, 0, 0, 0)
    assert not target.base.exists()
    assert import_export(target, data).added == dry.added


def test_times_come_back_and_order_the_index(world: World) -> None:
    old, new = user("old.md", "old", modified_ns=5_000_000_007), user("new.md", "n")
    import_into(world, documents(old, new))
    assert world.absolute(place("old.md")).stat().st_mtime_ns == 5_000_000_007
    assert world.index(Scope.USER).index("new.md") < world.index(Scope.USER).index("old.md")


def test_what_is_there_gets_an_earlier_time_and_never_a_later_one(world: World) -> None:
    world.save(place("a.md"), b"a")
    for given, then in ((7_000_000_000, 7), (9_000_000_000, 7), (5_000_000_000, 5)):
        report = import_into(world, documents(user("a.md", "a", modified_ns=given)))
        assert counts(report) == (0, 1, 0, 0)
        assert world.absolute(place("a.md")).stat().st_mtime == then


def test_what_a_killed_import_left_open_is_finished_first(world: World) -> None:
    with pytest.raises(SimulatedCrash):
        world.commit(
            add(place("a.md"), "A"),
            add(place("b.md"), "B"),
            step=At("history: write closed", crash),
        )
    world.absolute(place("b.md")).unlink()  # as if it had not come so far
    items = [user("a.md", document("A").decode()), user("b.md", document("B").decode())]
    assert counts(import_into(world, documents(*items))) == (0, 2, 0, 0)
    assert not world.history.has_open()


def test_once_it_is_to_stop_nothing_more_is_taken(world: World) -> None:
    seen: list[int] = []

    def goes_on() -> bool:
        seen.append(1)
        return len(seen) <= committing.MAX_BATCH + 3

    many = committing.MAX_BATCH * 2
    items = documents(*(user(f"{n}.md", f"text {n}") for n in range(many)))
    report = import_into(world, items, goes_on=goes_on)
    assert (report.interrupted, report.complete) == (True, False)
    assert len(report.added) == len(world.files()) == committing.MAX_BATCH
    assert report.skipped == []


def test_a_wait_for_a_lock_is_cut_short(world: World) -> None:
    lock = FileLock(world.paths.user.lock_path)
    asked: list[int] = []
    assert lock.acquire()
    try:
        report = import_into(
            world,
            documents(user("a.md", "a")),
            lock_timeout=60,
            goes_on=lambda: bool(asked.append(1)) or len(asked) < 3,
        )
    finally:
        lock.release()
    assert report.interrupted
    assert world.files() == {}


def test_facts_are_told_to_an_agent_one_by_one_and_what_is_there_is_not(world: World) -> None:
    world.save(place("tabs.md"), b"Use tabs")
    agent = Agent()
    facts = [ReadFact("use tabs.", "line 1"), ReadFact("new", "line 2"), ReadFact(TOKEN, "line 3")]
    report = import_into(world, documents(*facts), remember=agent, scope=Scope.USER)
    assert agent.asked == [("new", Scope.USER)]
    assert counts(report) == (1, 1, 0, 1)
    assert report.change_sets == ["set-new"]
    assert TOKEN not in str(report)


def test_below_a_heading_the_same_words_may_say_the_opposite(world: World) -> None:
    world.save(place("style.md"), b"## Never\n\n- Use tabs\n")
    agent = Agent()
    import_into(world, documents(ReadFact("Use tabs", "line 1")), remember=agent)
    assert agent.asked == [("Use tabs", None)]


def test_a_fact_that_the_agent_knows_is_there_already(world: World) -> None:
    agent = Agent(lambda _text: Remembered("Already remembered in user memory: x.md.", None))
    report = import_into(world, documents(ReadFact("x", "line 1")), remember=agent)
    assert counts(report) == (0, 1, 0, 0)


@pytest.mark.parametrize(("others_too", "asked"), [(True, 1), (False, 3)])
def test_after_a_failure_the_others_are_tried_if_that_helps(
    world: World, others_too: bool, asked: int
) -> None:
    def fail(_text: str) -> Remembered:
        raise NotRememberedError("it went wrong", others_too=others_too)

    agent = Agent(fail)
    facts = [ReadFact(f"fact {number}", f"line {number}") for number in range(3)]
    report = import_into(world, documents(*facts), remember=agent)
    assert len(agent.asked) == asked
    assert reasons(report) == ["it went wrong"] * 3


def test_what_could_not_be_read_is_in_the_report(world: World) -> None:
    report = import_into(world, documents(Unreadable("line 3", "it is not JSON")))
    assert [(one.where, one.said) for one in report.skipped] == [("line 3", "it is not JSON")]
