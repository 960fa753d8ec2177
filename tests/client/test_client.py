"""What the client makes of answers that are none, and of names that are none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from qmemd.client import Client, DaemonUnreachableError, Session, UnexpectedAnswerError
from tests.client.scripted import ScriptedServer, answer, event, stream

SESSION = {"clientId": "client_1", "sessionId": "a b", "attached": True}

ASKED: list[tuple[Callable[[Client], Any], list[Any]]] = [
    (lambda client: client.capabilities(), [None, [1], "x"]),
    (lambda client: client.status(), [None, [1], "x"]),
    (lambda client: client.tasks(), [None, [], {}, {"tasks": 5}, {"tasks": [5]}]),
    (lambda client: client.task("dream", "dream-1"), [None, {}]),
    (lambda client: client.dream(), [None, {"taskId": "dream-1"}]),
    (lambda client: client.cancel("dream", "dream-1"), [None]),
    (lambda client: list(client.changes()), [None, {}, {"changes": None}, {"changes": [1]}]),
    (lambda client: list(client.changes()), [{"changes": [], "nextCursor": 5}]),
    (lambda client: client.change_set("x"), [None, []]),
    (lambda client: list(client.entries()), [None, {}, {"entries": None}, {"entries": [1]}]),
    (lambda client: client.entry("x"), [None, []]),
    (lambda client: client.context_files(), [None, 3]),
    (lambda client: client.write_context_file("workspace", "x"), [None]),
    (lambda client: client.read_context_file("/x"), [None, {}, {"content": 1}]),
    (
        lambda client: client.session(),
        [
            None,
            {},
            SESSION | {"clientId": 5},
            SESSION | {"sessionId": 5},
            SESSION | {"attached": 1},
        ],
    ),
    (lambda client: Session(client, "s", attached=True).heartbeat(), [None, {"lastSeenAt": "x"}]),
]


def client_of(server: ScriptedServer) -> Client:
    return Client(server.url, "t", env={}, timeout=5)


@pytest.mark.parametrize(("ask", "body"), [(ask, body) for ask, bodies in ASKED for body in bodies])
def test_an_answer_of_another_shape_is_an_error_of_the_client(
    ask: Callable[[Client], Any], body: Any
) -> None:
    with ScriptedServer(answer(200, body)) as server, pytest.raises(UnexpectedAnswerError) as odd:
        ask(client_of(server))
    assert odd.value.code == "unexpected_answer"


def test_changes_come_page_by_page() -> None:
    pages = ({"changes": [{"n": 1}], "nextCursor": "a b"}, {"changes": [{"n": 2}]})
    with ScriptedServer(*(answer(200, page) for page in pages)) as server:
        assert list(client_of(server).changes()) == [{"n": 1}, {"n": 2}]
    assert server.requests[1].startswith(b"GET /workspace/memory/changes?cursor=a+b HTTP")


def test_entries_come_page_by_page() -> None:
    pages = ({"entries": [{"n": 1}], "nextCursor": "1"}, {"entries": [{"n": 2}]})
    with ScriptedServer(*(answer(200, page) for page in pages)) as server:
        found = list(client_of(server).entries("green tea", scope="user", topic="feedback"))
    assert found == [{"n": 1}, {"n": 2}]
    asked = b"GET /workspace/memory/entries?q=green+tea&scope=user&type=feedback"
    assert [request.startswith(asked) for request in server.requests] == [True, True]
    assert b"&cursor=1 HTTP" in server.requests[1]


def test_names_are_quoted_and_those_that_are_no_text_are_for_the_daemon_to_refuse() -> None:
    no = answer(404, {"error": "No.", "code": "not_found"})
    acts = (answer(200, SESSION), answer(204), no, no, no)
    with ScriptedServer(*acts) as server:
        client = client_of(server)
        client.session().detach()
        for ask in (
            lambda: client.task("dream", "a/\udc80"),
            lambda: client.change_set("\ud800"),
            lambda: client.read_context_file("/\udc80"),
        ):
            with pytest.raises(Exception, match="No"):
                ask()
    assert server.requests[1].startswith(b"POST /session/a%20b/detach HTTP")
    assert server.requests[2].startswith(b"GET /workspace/memory/dream/a%2F%ED%B2%80 HTTP")


def test_what_went_wrong_in_the_block_of_a_session_is_what_is_seen() -> None:
    with ScriptedServer(answer(200, SESSION)) as server:
        session = Client(server.url, "t", env={}, timeout=0.1).session()
    with pytest.raises(KeyError), session:
        raise KeyError
    with pytest.raises(DaemonUnreachableError), session:
        pass


def test_a_later_stream_goes_on_where_an_earlier_one_was() -> None:
    ended = event(8, "session_closed")
    with ScriptedServer(stream(ended, epoch="e7"), stream(ended), stream(ended)) as server:
        client = client_of(server)
        with client.events(last_event_id=7) as earlier:
            assert len(list(earlier)) == 1
        session = Session(client, "s", attached=True)
        where: dict[str, Any] = {"last_event_id": earlier.last_event_id, "epoch": earlier.epoch}
        for later in (client.events(**where), session.events(**where)):
            with later:
                list(later)
    for number in (1, 2):
        assert server.header(number, "Last-Event-ID") == "8"
        assert server.header(number, "X-Qwen-Event-Epoch") == "e7"
