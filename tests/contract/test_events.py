"""Sessions, streams and waiting polls against a real daemon with its real child."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from tests.contract.conftest import MEMORY, Api, MakeApi
from tests.http.raw import Connection
from tests.http.sse import StreamClient

REMEMBER = "workspace_memory_remember"


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def listen(stack: ExitStack, api: Api, path: str, **headers: str) -> StreamClient:
    """A stream whose opening was read."""
    sent = api.headers | {name.replace("_", "-"): value for name, value in headers.items()}
    connection = stack.enter_context(Connection(api.daemon.port))
    lines = [f"GET {path} HTTP/1.1", "Host: localhost", *(f"{k}: {v}" for k, v in sent.items())]
    connection.send("\r\n".join([*lines, "", ""]).encode())
    client = StreamClient(connection)
    status, client_headers = client.head()
    assert status == 200
    assert client_headers["content-type"] == "text/event-stream"
    assert client.block() == "retry: 3000"
    return client


def open_session(api: Api, scope: str = "thread", **headers: str) -> dict[str, Any]:
    opened: dict[str, Any] = api.post("/session", {"sessionScope": scope}, **headers).body
    return opened


def remember(api: Api, fact: str, **headers: str) -> str:
    """The id of a remember task that has ended well."""
    task = api.run("remember", {"content": fact}, **headers)
    assert task["status"] == "completed"
    task_id: str = task["taskId"]
    return task_id


def test_a_change_reaches_every_session_with_its_originator(
    make_api: MakeApi, stack: ExitStack
) -> None:
    api = make_api()
    first, second = open_session(api), open_session(api)
    streams = [listen(stack, api, f"/session/{s['sessionId']}/events") for s in (first, second)]
    mine = remember(api, "I like tabs", X_Qwen_Client_Id=first["clientId"])
    anonymous = remember(api, "The wiki is at http://wiki.local")
    for stream in streams:
        event = stream.event()
        assert (event["id"], event["v"], event["type"]) == (1, 1, "memory_changed")
        assert event["data"] == {
            "scope": "managed",
            "source": REMEMBER,
            "taskId": mine,
            "touchedScopes": ["user"],
        }
        assert event["originatorClientId"] == first["clientId"]
        assert event["_meta"]["serverTimestamp"] > 1_700_000_000_000
        event = stream.event()
        assert (event["id"], event["data"]["taskId"]) == (2, anonymous)
        assert "originatorClientId" not in event


def test_nothing_is_told_when_no_document_changed(make_api: MakeApi, stack: ExitStack) -> None:
    api = make_api()
    stream = listen(stack, api, f"/session/{open_session(api)['sessionId']}/events")
    remember(api, "I like tabs")
    assert api.run("dream")["status"] == "completed"
    assert remember(api, "I like tabs")
    assert api.run("forget", {"query": "nothing like it"})["status"] == "completed"
    last = remember(api, "I live in Lisbon")
    assert [stream.event()["id"] for _ in range(2)] == [1, 2]
    replayed = listen(stack, api, "/workspace/events", Last_Event_ID="0")
    seen: list[str] = []
    while not seen or seen[-1] != last:
        event = replayed.event()
        if event["type"] == "memory_changed":
            seen.append(event["data"]["taskId"])
    assert len(seen) == 2


def test_a_reader_that_comes_back_gets_what_it_missed(make_api: MakeApi, stack: ExitStack) -> None:
    api = make_api()
    path = f"/session/{open_session(api)['sessionId']}/events"
    tasks = [remember(api, f"Fact number {number} is kept") for number in range(3)]
    again = listen(stack, api, path, Last_Event_ID="1")
    assert [again.event()["data"]["taskId"] for _ in range(2)] == tasks[1:]
    complete = again.event()
    assert (complete["type"], "id" in complete) == ("replay_complete", False)
    assert complete["data"] == {"replayedCount": 2, "lastReplayedEventId": 3, "lastEventId": 3}


def test_a_cursor_from_before_a_restart_is_told_so(make_api: MakeApi, stack: ExitStack) -> None:
    api = make_api()
    task = remember(api, "I like tabs")
    cursors = ({"X_Qwen_Event_Epoch": "another", "Last_Event_ID": "1"}, {"Last_Event_ID": "900"})
    for headers in cursors:
        stream = listen(stack, api, "/workspace/events", **headers)
        resync = stream.event()
        assert resync["type"] == "state_resync_required"
        assert resync["data"]["reason"] == "epoch_reset"
        assert resync["data"]["lastDeliveredId"] == int(headers["Last_Event_ID"])
        assert resync["data"]["earliestAvailableId"] == 1
        assert stream.event()["data"] == {"taskId": task, "kind": "remember", "status": "queued"}


def test_a_snapshot_comes_first(make_api: MakeApi, stack: ExitStack) -> None:
    api = make_api()
    session = open_session(api)["sessionId"]
    first = listen(stack, api, f"/session/{session}/events?snapshot=1", Last_Event_ID="0")
    snapshot = first.event()
    assert (snapshot["type"], snapshot["data"]["sessionId"]) == ("session_snapshot", session)
    assert first.event()["data"] == {"replayedCount": 0}


def test_a_settings_page_needs_no_session(make_api: MakeApi, stack: ExitStack) -> None:
    api = make_api()
    mine = api.client_id()
    everyones = listen(stack, api, "/workspace/events")
    own = listen(stack, api, "/workspace/events", X_Qwen_Client_Id=mine)
    only = listen(stack, api, f"/workspace/events?client={mine}")
    anonymous = remember(api, "I like tabs")
    task = remember(api, "I live in Lisbon", X_Qwen_Client_Id=mine)

    def seen(stream: StreamClient, count: int) -> list[tuple[str, str, str | None]]:
        events = [stream.event() for _ in range(count)]
        return [(e["type"], e["data"]["taskId"], e["data"].get("status")) for e in events]

    def updates(task_id: str) -> list[tuple[str, str, str | None]]:
        return [("task_updated", task_id, s) for s in ("queued", "running", "completed")]

    changed = [("memory_changed", anonymous, None), ("memory_changed", task, None)]
    assert seen(everyones, 5) == [*updates(anonymous), *changed]
    assert seen(own, 5) == [changed[0], *updates(task), changed[1]]
    assert seen(only, 4) == [*updates(anonymous), changed[1]]


def test_a_closed_session_says_why_and_is_gone(make_api: MakeApi, stack: ExitStack) -> None:
    api = make_api()
    session = open_session(api)
    path = f"/session/{session['sessionId']}"
    stream = listen(stack, api, f"{path}/events")
    me = {"X_Qwen_Client_Id": session["clientId"]}
    assert api.call("DELETE", path, **me).status == 204
    closed = stream.event()
    assert (closed["id"], closed["type"]) == (1, "session_closed")
    assert closed["data"] == {
        "sessionId": session["sessionId"],
        "reason": "client_close",
        "closedBy": session["clientId"],
    }
    with pytest.raises(ConnectionAbortedError):
        stream.event()
    assert api.get(f"{path}/events").code == "session_not_found"
    assert api.post(f"{path}/heartbeat", {}).code == "session_not_found"
    assert api.post(f"{MEMORY}/dream", **me).code == "invalid_client_id"
    assert api.call("DELETE", path).code == "session_not_found"


def test_the_last_client_that_detaches_ends_its_session(
    make_api: MakeApi, stack: ExitStack
) -> None:
    api = make_api()
    first, second = open_session(api, "single"), open_session(api, "single")
    assert (first["attached"], second["attached"]) == (False, True)
    path = f"/session/{first['sessionId']}"
    stream = listen(stack, api, f"{path}/events")
    assert api.post(f"{path}/detach", X_Qwen_Client_Id=first["clientId"]).status == 204
    assert api.post(f"{MEMORY}/dream", X_Qwen_Client_Id=first["clientId"]).status == 400
    beat = api.post(f"{path}/heartbeat", X_Qwen_Client_Id=second["clientId"]).body
    assert beat["clientId"] == second["clientId"]
    assert api.post(f"{path}/detach", X_Qwen_Client_Id=second["clientId"]).status == 204
    assert stream.event()["data"]["reason"] == "last_client_detached"
    assert api.get(f"{path}/events").status == 404


def test_too_many_streams_are_refused_until_one_ends(make_api: MakeApi, stack: ExitStack) -> None:
    api = make_api(max_streams=2)
    with ExitStack() as first:
        listen(first, api, "/workspace/events")
        listen(stack, api, "/workspace/events")
        refused = api.get("/workspace/events")
        assert (refused.status, refused.code) == (429, "subscriber_limit_exceeded")
        assert (refused.body["limit"], refused.headers["retry-after"]) == (2, "5")
    for _ in range(500):
        if api.daemon.streams < 2:
            break
        threading.Event().wait(0.01)
    listen(stack, api, "/workspace/events")


@pytest.mark.parametrize("journal", ["sqlite", "memory"])
def test_stopping_ends_streams_and_sessions_that_do_not_survive(
    make_api: MakeApi, stack: ExitStack, journal: str
) -> None:
    api = make_api(journal=journal)
    session = open_session(api)["sessionId"]
    streams = [
        listen(stack, api, f"/session/{session}/events"),
        listen(stack, api, "/workspace/events"),
    ]
    api.daemon.stop()
    if journal == "memory":
        closed = streams[0].event()
        assert closed["data"] == {"sessionId": session, "reason": "daemon_shutdown"}
    for stream in streams:
        with pytest.raises(ConnectionAbortedError):
            stream.event()


def test_a_poll_waits_for_the_end(make_api: MakeApi) -> None:
    api = make_api()
    task = api.start("remember", {"content": "I like tabs"})
    polled = api.get(f"{MEMORY}/remember/{task['taskId']}?wait=20")
    assert polled.body["status"] == "completed"
    assert api.get(f"{MEMORY}/remember/{task['taskId']}?wait=31").code == "invalid_wait"


def test_a_poll_that_waits_is_answered_when_the_daemon_stops(make_api: MakeApi) -> None:
    api = make_api(agent_command=("sleep", "60"))
    task = api.start("dream")
    answers: list[Any] = []
    waiting = threading.Thread(
        target=lambda: answers.append(api.get(f"{MEMORY}/dream/{task['taskId']}?wait=25"))
    )
    waiting.start()
    while not api.daemon._workspace.board._alarms:
        threading.Event().wait(0.01)
    api.daemon.stop()
    waiting.join(10)
    assert json.loads(answers[0].raw)["status"] in ("queued", "running")
