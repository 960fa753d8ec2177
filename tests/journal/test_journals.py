from __future__ import annotations

import pytest

from qmemd.errors import RequestError
from qmemd.journal import Capacity, Claim, ClaimLostError, Retention, fingerprint
from qmemd.kinds import ContextMode, Scope, TaskStatus, Topic
from qmemd.results import ForgetResult, RememberResult, RemovedEntry, TaskResult, Usage
from qmemd.tasks import Dream, Forget, Remember, Task, TaskFailure, TaskRequest
from tests.journal.conftest import MakeDesk
from tests.journal.desk import DONE, LEASE, ROOMY, Desk, W


def test_tasks_are_claimed_in_the_order_of_their_acceptance(desk: Desk) -> None:
    ids = [desk.put(r).task_id for r in (Remember("a"), Dream(), Forget("b"), Remember("c"))]
    assert [desk.run().task_id for _ in ids] == ids
    assert desk.journal.claim(W, "me", LEASE) is None


def test_one_claim_at_a_time_for_a_workspace(desk: Desk) -> None:
    desk.put()
    desk.put()
    desk.put(workspace="/other")
    assert desk.journal.claim(W, "me", LEASE) is not None
    assert desk.journal.claim(W, "somebody else", LEASE) is None
    assert desk.journal.claim("/other", "me", LEASE) is not None


def test_a_claim_whose_lease_ended_is_given_anew_and_fences_the_old_holder_off(desk: Desk) -> None:
    desk.put()
    old = desk.journal.claim(W, "me", LEASE)
    assert old
    desk.journal.start(old)
    desk.clock.advance(seconds=61)
    new = desk.journal.claim(W, "somebody else", LEASE)
    assert new
    assert new.task.task_id == old.task.task_id
    assert new.fence > old.fence
    for use in (
        lambda: desk.journal.start(old),
        lambda: desk.journal.finish(old.task.task_id, DONE, old),
        lambda: desk.journal.release(old),
    ):
        with pytest.raises(ClaimLostError):
            use()
    desk.journal.start(new)
    assert desk.journal.finish(new.task.task_id, DONE, new).attempts == 2


def test_the_text_is_forgotten_once_the_task_is_terminal(desk: Desk) -> None:
    task = desk.put(Remember("my fact"))
    assert desk.journal.get(task.task_id).request == Remember("my fact")  # type: ignore[union-attr]
    assert desk.run().request is None
    assert "my fact" not in repr(desk.journal.list(W))


def test_released_tasks_are_first_in_line_again(desk: Desk) -> None:
    first, second = desk.put(), desk.put()
    claim = desk.journal.claim(W, "me", LEASE)
    assert claim
    desk.journal.start(claim)
    released = desk.journal.release(claim)
    assert released.status is TaskStatus.QUEUED
    assert [desk.run().task_id, desk.run().task_id] == [first.task_id, second.task_id]


def test_a_queued_task_can_end_without_a_claim_and_a_claimed_one_cannot(desk: Desk) -> None:
    first, second = desk.put(), desk.put()
    desk.journal.finish(second.task_id, TaskFailure.of("task_cancelled"), None)
    claim = desk.journal.claim(W, "me", LEASE)
    assert claim
    with pytest.raises(ClaimLostError):
        desk.journal.finish(first.task_id, TaskFailure.of("task_cancelled"), None)
    with pytest.raises(ValueError, match="ended"):
        desk.journal.finish(second.task_id, DONE, None)
    with pytest.raises(KeyError):
        desk.journal.finish("remember-nope", DONE, None)


def test_capacity_counts_queued_and_running_and_forget_with_dream(desk: Desk) -> None:
    capacity = Capacity(total=4, compacting=2)
    desk.put(Forget("a"), capacity=capacity)
    desk.put(Dream(), capacity=capacity)
    for request in (Forget("b"), Dream()):
        with pytest.raises(RequestError) as refused:
            desk.put(request, capacity=capacity)
        assert refused.value.code == "remember_queue_full"
    desk.put(Remember("c"), capacity=capacity)
    desk.put(Remember("d"), capacity=capacity)
    claim = desk.journal.claim(W, "me", LEASE)
    assert claim
    with pytest.raises(RequestError):
        desk.put(Remember("e"), capacity=capacity)
    desk.journal.finish(claim.task.task_id, DONE, claim)
    desk.put(Dream(), capacity=capacity)


def test_a_repeated_key_gives_the_same_task_even_when_the_queue_is_full(desk: Desk) -> None:
    capacity = Capacity(total=1, compacting=1)
    task = desk.put(key="k", capacity=capacity)
    assert desk.put(key="k", capacity=capacity) == task
    done = desk.run()
    assert desk.put(key="k", capacity=capacity) == done


def test_a_repeated_key_with_other_fields_is_refused(desk: Desk) -> None:
    desk.put(key="k", fields="one")
    with pytest.raises(RequestError) as refused:
        desk.put(key="k", fields="two")
    assert refused.value.code == "idempotency_mismatch"
    assert refused.value.status == 422


def test_a_key_loses_its_force_after_a_day(desk: Desk) -> None:
    task = desk.put(key="k")
    desk.run()
    desk.clock.advance(hours=24, seconds=1)
    assert desk.put(key="k").task_id != task.task_id


def test_the_oldest_terminal_records_go_first_and_pending_ones_never(make_desk: MakeDesk) -> None:
    desk = make_desk(retention=Retention(records=3))
    old = [desk.put() for _ in range(3)]
    for _ in old:
        desk.run()
    pending = [desk.put() for _ in range(4)]
    assert [t.task_id for t in reversed(desk.journal.list(W))] == [t.task_id for t in pending]
    extra = Task.queued("remember-extra", Remember("x"), None, desk.clock())
    assert desk.journal.accept(W, extra, ROOMY).evicted == ()


def test_keyed_records_are_kept_beyond_the_others_up_to_a_limit(
    make_desk: MakeDesk,
) -> None:
    desk = make_desk(retention=Retention(records=2, keyed=3))
    keyed = [desk.put(key=f"k{n}") for n in range(3)]
    for _ in keyed:
        desk.run()
    for _ in range(5):
        desk.put()
        desk.run()
    kept = {task.task_id for task in desk.journal.list(W)}
    assert {task.task_id for task in keyed} <= kept
    assert len(kept) == 5
    for n in range(3, 6):
        desk.put(key=f"k{n}")
        desk.run()
    desk.put()
    assert desk.journal.get(keyed[0].task_id) is None


def test_large_results_with_keys_do_not_push_the_others_out(make_desk: MakeDesk) -> None:
    desk = make_desk(retention=Retention(size=2_500))
    for number in range(4):
        desk.put(key=f"k{number}")
        desk.run(RememberResult("x" * 1_000))
    plain = desk.put()
    desk.run(RememberResult("y"))
    desk.put()
    kept = [task.task_id for task in desk.journal.list(W)]
    assert plain.task_id in kept
    assert len(kept) == 4  # two large ones, the small one, and the one that is pending
    again = desk.put(key="k0")
    assert again.task_id not in kept, "its record is gone, and the key with it"


def test_large_results_are_kept_up_to_their_own_limit(make_desk: MakeDesk) -> None:
    desk = make_desk(retention=Retention(size=2_500))
    for _ in range(4):
        desk.put()
        desk.run(RememberResult("x" * 1_000))
    desk.put()
    assert len(desk.journal.list(W)) == 3  # two large ones, and the one that is pending


def test_recovery_queues_what_was_running_again_in_the_old_order(desk: Desk) -> None:
    tasks = [desk.put() for _ in range(3)]
    desk.run()
    claim = desk.journal.claim(W, "dead", LEASE)
    assert claim
    desk.journal.start(claim)
    recovered = desk.journal.recover(W)
    assert [task.task_id for task in recovered] == [task.task_id for task in tasks]
    assert [task.status for task in recovered] == ["completed", "queued", "queued"]
    assert [task.attempts for task in recovered] == [1, 1, 0]
    assert [desk.run().task_id for _ in range(2)] == [task.task_id for task in tasks[1:]]


def test_list_gives_the_newest_first_by_kind_and_limit(desk: Desk) -> None:
    a, b, c = desk.put(Remember("a")), desk.put(Dream()), desk.put(Remember("c"))
    assert desk.journal.list(W) == (c, b, a)
    assert desk.journal.list(W, kind=Dream.kind) == (b,)
    assert desk.journal.list(W, limit=2) == (c, b)
    assert desk.journal.list("/other") == ()


@pytest.mark.parametrize(
    ("request_", "outcome"),
    [
        (
            Remember("r", ContextMode.CLEAN, Scope.USER),
            RememberResult("\U0001f600", ("/m/a.md",), (Scope.USER,), "change-1", Usage(1, 2, 3)),
        ),
        (
            Forget("f", Scope.PROJECT),
            ForgetResult(
                "gone",
                (RemovedEntry(Topic.USER, "tabs", "/m/b.md"),),
                (Topic.USER,),
                (Scope.USER,),
                "change-2",
            ),
        ),
        (Dream(), TaskFailure.of("dream_unsafe", "five of six would go")),
    ],
)
def test_everything_about_a_task_is_kept(
    desk: Desk, request_: TaskRequest, outcome: TaskResult | TaskFailure
) -> None:
    task = desk.put(request_, client_id="client_1")
    assert desk.journal.get(task.task_id) == task
    ended = desk.run(outcome)
    assert (ended.result or ended.error) == outcome
    assert desk.journal.get(task.task_id) == ended == desk.journal.list(W)[0]
    assert (ended.client_id, ended.scope, ended.attempts) == ("client_1", task.scope, 1)


def test_an_unknown_task_is_none(desk: Desk) -> None:
    assert desk.journal.get("remember-none") is None


def test_a_claim_that_was_never_given_has_no_force(desk: Desk) -> None:
    task = desk.put()
    never = Claim(task, 99)
    for use in (
        lambda: desk.journal.start(never),
        lambda: desk.journal.release(never),
        lambda: desk.journal.finish(task.task_id, DONE, never),
    ):
        with pytest.raises(ClaimLostError):
            use()


def test_recovery_ends_a_claim_that_was_not_begun(desk: Desk) -> None:
    desk.put()
    assert desk.journal.claim(W, "dead", LEASE)
    [task] = desk.journal.recover(W)
    assert (task.status, task.attempts) == (TaskStatus.QUEUED, 0)
    assert desk.journal.claim(W, "me", LEASE)


def test_erasing_takes_a_text_out_of_what_has_ended(desk: Desk) -> None:
    text = 'say "tabs"\n \u8bb0\u5fc6'
    queued_key, key = "k-queued", "k"
    desk.put(Forget(text), key=key, fields=fingerprint(Forget(text).to_wire()))
    removed = (
        RemovedEntry(Topic.USER, f"before {text} after", f"/m/{text}.md"),
        RemovedEntry(Topic.USER, "other", "/m/other.md"),
    )
    ended = desk.run(ForgetResult("Forgot 2", removed, (Topic.USER,), (Scope.USER,)))
    waiting = desk.put(Remember(text), key=queued_key, fields="q")
    desk.journal.erase([text, ""])
    kept = desk.journal.get(ended.task_id)
    assert kept
    assert isinstance(kept.result, ForgetResult)
    assert kept.result.removed_entries == (
        RemovedEntry(Topic.USER, "[erased]", "[erased]"),
        removed[1],
    )
    assert desk.journal.get(waiting.task_id) == waiting
    assert desk.put(key=queued_key, fields="q") == waiting
    assert desk.put(Remember(text), key=key, fields="new").task_id != ended.task_id


@pytest.mark.parametrize(
    "request_",
    [
        Remember("a secret wish"),
        Remember("a secret wish", ContextMode.CLEAN, Scope.USER),
        Forget("a secret wish", Scope.PROJECT),
        Forget("a secret wish", preview=True),
    ],
)
def test_erasing_leaves_no_fingerprint_that_would_confirm_a_guess(
    desk: Desk, request_: TaskRequest
) -> None:
    fields = fingerprint(request_.to_wire())
    ended = desk.put(request_, key="k", fields=fields)
    other = desk.put(Remember("another"), key="other", fields="other")
    desk.run(DONE if isinstance(request_, Remember) else ForgetResult("gone"))
    desk.run()
    desk.journal.erase(["a secret wish"])
    assert desk.put(request_, key="k", fields=fields).task_id != ended.task_id
    assert desk.put(Remember("another"), key="other", fields="other").task_id == other.task_id
