from __future__ import annotations

from collections.abc import Callable

import pytest

from qmemd.actors.sessions import MAX_CLIENTS, MAX_SESSIONS, Sessions
from qmemd.errors import RequestError
from qmemd.journal.session_store import SessionRecord
from tests.actors.fake_session_store import FakeSessionStore
from tests.conftest import FakeClock


@pytest.fixture
def sessions(clock: FakeClock, new_id: Callable[[], str]) -> Sessions:
    return Sessions("/work", clock=clock, new_id=new_id)


def test_the_first_call_creates_and_later_ones_attach(sessions: Sessions) -> None:
    first = sessions.open(None, thread=False, client_id=None)
    second = sessions.open("/work", thread=False, client_id=None)
    assert (first.attached, second.attached) == (False, True)
    assert first.session_id == second.session_id
    assert first.client_id != second.client_id
    assert first.created_at == "2026-03-01T12:00:00.123Z"


def test_a_thread_is_a_session_of_its_own_that_nobody_attaches_to(sessions: Sessions) -> None:
    thread = sessions.open(None, thread=True, client_id=None)
    shared = sessions.open(None, thread=False, client_id=None)
    assert not shared.attached
    assert shared.session_id != thread.session_id


def test_an_id_that_the_session_knows_is_kept_and_another_replaced(sessions: Sessions) -> None:
    known = sessions.open(None, thread=False, client_id=None).client_id
    assert sessions.open(None, thread=False, client_id=known).client_id == known
    assert sessions.open(None, thread=False, client_id="webui_1").client_id != "webui_1"
    assert sessions.open(None, thread=True, client_id=known).client_id != known


def test_ids_are_known_until_their_session_is_closed(sessions: Sessions) -> None:
    one = sessions.open(None, thread=True, client_id=None)
    two = sessions.open(None, thread=True, client_id=None)
    sessions.close(one.session_id, one.client_id)
    assert not sessions.knows(one.client_id)
    assert sessions.knows(two.client_id)
    assert sessions.count == 1


def test_another_workspace_is_refused(sessions: Sessions) -> None:
    with pytest.raises(RequestError) as refused:
        sessions.open("/elsewhere", thread=False, client_id=None)
    assert refused.value.code == "workspace_mismatch"
    assert refused.value.extra == {
        "boundWorkspace": "/work",
        "requestedWorkspace": "/elsewhere",
    }


def test_closing_an_unknown_session_or_with_a_foreign_id_is_refused(sessions: Sessions) -> None:
    with pytest.raises(RequestError) as refused:
        sessions.close("nope", None)
    assert refused.value.code == "session_not_found"
    session = sessions.open(None, thread=False, client_id=None)
    with pytest.raises(RequestError) as refused:
        sessions.close(session.session_id, "client_other")
    assert refused.value.code == "invalid_client_id"
    assert sessions.count == 1


def test_sessions_and_their_clients_are_bounded(sessions: Sessions) -> None:
    for _ in range(MAX_SESSIONS):
        sessions.open(None, thread=True, client_id=None)
    with pytest.raises(RequestError) as refused:
        sessions.open(None, thread=True, client_id=None)
    assert (refused.value.code, refused.value.status) == ("session_limit_exceeded", 503)


def test_the_oldest_client_of_a_session_goes_first(sessions: Sessions) -> None:
    first = sessions.open(None, thread=False, client_id=None).client_id
    ids = [sessions.open(None, thread=False, client_id=None).client_id for _ in range(MAX_CLIENTS)]
    assert not sessions.knows(first)
    assert all(map(sessions.knows, ids))


def test_a_session_lives_while_it_is_read_or_heard_of(sessions: Sessions, clock: FakeClock) -> None:
    idle, heard, read = (sessions.open(None, thread=True, client_id=None) for _ in range(3))
    sessions.watched(read.session_id, 1)
    clock.advance(seconds=29 * 60)
    sessions.heartbeat(heard.session_id, heard.client_id)
    assert sessions.reap() == ()
    clock.advance(seconds=60)
    assert sessions.reap() == (idle.session_id,)
    assert not sessions.knows(idle.client_id)
    assert sessions.knows(heard.client_id)
    clock.advance(seconds=3600)
    assert sessions.reap() == (heard.session_id,)
    sessions.watched(read.session_id, 0)
    assert sessions.reap() == ()
    clock.advance(seconds=1800)
    assert sessions.reap() == (read.session_id,)
    assert sessions.count == 0


def test_a_clock_that_is_set_back_makes_no_session_immortal(
    sessions: Sessions, clock: FakeClock
) -> None:
    opened = sessions.open(None, thread=True, client_id=None)
    clock.advance(seconds=-86_400)
    assert sessions.reap() == ()
    clock.advance(seconds=1_800)
    assert sessions.reap() == (opened.session_id,)


def test_detaching(sessions: Sessions) -> None:
    one = sessions.open(None, thread=False, client_id=None)
    two = sessions.open(None, thread=False, client_id=None)
    assert not sessions.detach(one.session_id, None)
    assert not sessions.detach(one.session_id, one.client_id)
    with pytest.raises(RequestError, match="live session"):
        sessions.detach(one.session_id, one.client_id)
    assert sessions.detach(one.session_id, two.client_id)
    assert sessions.count == 0
    with pytest.raises(RequestError, match="no such session"):
        sessions.detach(one.session_id, two.client_id)


def test_a_session_stays_open_for_anonymous_readers_when_nobody_detaches(
    sessions: Sessions,
) -> None:
    one = sessions.open(None, thread=False, client_id=None)
    sessions.detach(one.session_id, None)
    assert sessions.count == 1


def test_a_heartbeat_says_when_and_needs_a_session_and_an_id_of_it(
    sessions: Sessions, clock: FakeClock
) -> None:
    one, two = (sessions.open(None, thread=True, client_id=None) for _ in range(2))
    clock.advance(seconds=5)
    assert sessions.heartbeat(one.session_id, one.client_id) == clock()
    assert sessions.heartbeat(one.session_id, None) == clock()
    for session_id, client_id, code, extra in (
        ("x", None, "session_not_found", {"sessionId": "x"}),
        (
            one.session_id,
            two.client_id,
            "invalid_client_id",
            {"sessionId": one.session_id, "clientId": two.client_id},
        ),
    ):
        with pytest.raises(RequestError) as refused:
            sessions.heartbeat(session_id, client_id)
        assert (refused.value.code, refused.value.extra) == (code, extra)


def test_attaching_counts_as_being_heard_of(sessions: Sessions, clock: FakeClock) -> None:
    opened = sessions.open(None, thread=False, client_id=None)
    clock.advance(seconds=29 * 60)
    sessions.open(None, thread=False, client_id=opened.client_id)
    clock.advance(seconds=29 * 60)
    assert sessions.reap() == ()


def test_a_clock_that_is_set_back_ends_nothing_early(sessions: Sessions, clock: FakeClock) -> None:
    read, heard = (sessions.open(None, thread=True, client_id=None) for _ in range(2))
    sessions.watched(read.session_id, 2)
    clock.advance(seconds=-7_200)
    sessions.heartbeat(heard.session_id, None)
    clock.advance(seconds=1_799)
    assert sessions.reap() == ()
    clock.advance(seconds=1)
    assert sessions.reap() == (heard.session_id,)
    sessions.watched(read.session_id, 0)
    clock.advance(seconds=-60)
    assert sessions.reap() == ()
    clock.advance(seconds=1_799)
    assert sessions.reap() == ()
    clock.advance(seconds=1)
    assert sessions.reap() == (read.session_id,)


def test_sessions_that_ended_are_not_watched(sessions: Sessions) -> None:
    opened = sessions.open(None, thread=False, client_id=None)
    sessions.close(opened.session_id, None)
    sessions.watched(opened.session_id, 1)
    assert sessions.count == 0


def test_a_session_that_comes_back_from_before_gets_its_half_hour_and_keeps_its_ids(
    sessions: Sessions, clock: FakeClock
) -> None:
    store = FakeSessionStore(SessionRecord("s1", clock(), True, ("client_1", "client_2")))
    clock.advance(days=3)
    assert sessions.restore(store) == ("s1",)
    assert sessions.knows("client_1")
    assert sessions.open(None, thread=False, client_id="client_2").attached
    assert not sessions.detach("s1", "client_1")
    assert store.records["s1"].clients == ("client_2",)
    assert sessions.reap() == ()
    clock.advance(minutes=30)
    assert sessions.reap() == ("s1",)
    assert store.records == {}


def test_what_cannot_be_stored_has_not_happened(sessions: Sessions, clock: FakeClock) -> None:
    store = FakeSessionStore()
    sessions.restore(store)
    one = sessions.open(None, thread=False, client_id=None)
    two = sessions.open(None, thread=False, client_id=None)
    clock.advance(minutes=30)
    store.full = True
    for attempt in (
        lambda: sessions.open(None, thread=True, client_id=None),
        lambda: sessions.open(None, thread=False, client_id=None),
        lambda: sessions.detach(one.session_id, one.client_id),
        lambda: sessions.close(one.session_id, one.client_id),
        sessions.reap,
    ):
        with pytest.raises(OSError, match="no space"):
            attempt()
        assert sessions.count == 1
        assert sessions.knows(one.client_id)
        assert sessions.knows(two.client_id)
        assert store.records[one.session_id].clients == (one.client_id, two.client_id)
    store.full = False
    assert sessions.reap() == (one.session_id,)
    assert store.records == {}
    assert not sessions.knows(one.client_id)


def test_what_needs_no_storing_works_on_a_full_disk(sessions: Sessions) -> None:
    store = FakeSessionStore()
    sessions.restore(store)
    one = sessions.open(None, thread=False, client_id=None)
    store.full = True
    assert sessions.open(None, thread=False, client_id=one.client_id).attached
    sessions.heartbeat(one.session_id, one.client_id)
    assert sessions.reap() == ()
