"""The client against a real daemon with its real child."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from qmemd import Daemon
from qmemd.client import (
    Client,
    DaemonNotFoundError,
    RequestRefusedError,
    SessionEnded,
    TaskUpdate,
    WorkspaceMemoryChanged,
    normalize_event,
)
from qmemd.kinds import Scope
from qmemd.results import ChangeResult, ForgetResult, RememberResult
from tests.conftest import Home


@pytest.fixture
def daemon(home: Home) -> Iterator[Daemon]:
    with Daemon(home.settings()) as daemon:
        yield daemon


@pytest.fixture
def client(daemon: Daemon) -> Client:
    return Client(daemon.url, "test-token", env={})


def test_remember_forget_and_dream(client: Client, home: Home) -> None:
    told: list[str] = []
    handle = client.remember("I prefer tabs", scope=Scope.USER)
    task = handle.wait(30, on_progress=lambda task: told.append(task.status))
    assert isinstance(task.result, RememberResult)
    assert task.result.touched_scopes == (Scope.USER,)
    assert told[-1] == "completed"
    assert len(home.documents()) == 1
    forgotten = client.forget("I prefer tabs", scope="user").result(30)
    assert isinstance(forgotten, ForgetResult)
    assert len(forgotten.removed_entries) == 1
    assert client.dream().wait(30).status == "completed"
    assert [task.kind for task in client.tasks()] == ["dream", "forget", "remember"]
    assert [task.kind for task in client.tasks(kind="forget", status="completed", limit=1)] == [
        "forget"
    ]


def test_the_same_key_is_the_same_task(client: Client) -> None:
    one = client.dream(idempotency_key="k")
    assert client.dream(idempotency_key="k").task_id == one.task_id
    assert client.dream().task_id != one.task_id


@pytest.mark.slow
def test_cancelling(home: Home) -> None:
    with Daemon(home.settings(agent_command=("sleep", "600"))) as daemon:
        client = Client(daemon.url, "test-token", env={})
        client.dream()
        queued = client.dream()
        assert queued.cancel().error is not None
        assert queued.wait(0).error is not None
        with pytest.raises(RequestRefusedError) as refused:
            queued.cancel()
        assert (refused.value.code, refused.value.status) == ("task_finished", 409)


def test_a_session_and_its_events(client: Client) -> None:
    with client.session(scope="thread") as session:
        assert not session.attached
        assert session.heartbeat() > 1_700_000_000_000
        task = session.client.remember("I prefer tabs")
        task.wait(30)
        with pytest.raises(RequestRefusedError):
            client.task("remember", task.task_id)
        with session.events(last_event_id=0) as events:
            [changed] = normalize_event(next(events))
            assert isinstance(changed, WorkspaceMemoryChanged)
            assert (changed.task_id, changed.touched_scopes) == (task.task_id, ("user",))
            assert changed.originator_client_id == session.client_id
            assert next(events).type == "replay_complete"
            session.close()
            [ended] = normalize_event(next(events))
            assert isinstance(ended, SessionEnded)
            assert list(events) == []
        session.close()


def test_events_without_a_session(client: Client) -> None:
    with client.events(max_queued=16) as events:
        client.dream()
        updates = [normalize_event(next(events))[0] for _ in range(3)]
    assert [u.status for u in updates if isinstance(u, TaskUpdate)] == [
        "queued",
        "running",
        "completed",
    ]


@pytest.mark.slow
def test_a_stream_goes_on_over_a_restart(home: Home) -> None:
    with Daemon(home.settings()) as first:
        port = first.port
        client = Client(first.url, "test-token", env={})
        events = client.events(last_event_id=0)
        client.remember("I prefer tabs").wait(30)
        assert [next(events).event_id for _ in range(4)] == [1, 2, 3, 4]
    with Daemon(home.settings(port=port)):
        client.remember("I live in Lisbon").wait(30)
        kinds = []
        while "memory_changed" not in kinds:
            kinds.append(next(events).type)
        events.close()
    assert "state_resync_required" in kinds


def test_context_files(client: Client, home: Home) -> None:
    written = client.write_context_file("workspace", "# Rules\n", mode="replace")
    assert written["changed"]
    path = str(home.workspace / "QWEN.md")
    assert client.read_context_file(path) == "# Rules\n"
    assert [file["path"] for file in client.context_files()["files"]] == [path]


def test_it_finds_the_daemon_of_a_workspace_by_itself(home: Home) -> None:
    env = home.environ
    with pytest.raises(DaemonNotFoundError, match="qmemd serve") as lost:
        Client(workspace=home.workspace, env=env)
    assert lost.value.code == "daemon_not_found"
    with Daemon(home.settings()) as daemon:
        found = Client(workspace=home.workspace, env=env)
        assert found.base_url == daemon.url
        assert found.capabilities()["workspaceCwd"] == str(home.workspace)
        assert found.status()["workspaceCwd"] == str(home.workspace)
        assert found.health()
        named = Client(env=env | {"QMEMD_WORKSPACE": str(home.workspace)})
        assert named.base_url == daemon.url
        assert "test-token" not in repr(found)
        link = home.root / "link"
        link.symlink_to(home.workspace)
        assert Client(workspace=link, env=env).base_url == daemon.url
    with pytest.raises(DaemonNotFoundError):
        Client(workspace=home.workspace, env=env)


def test_what_a_dead_daemon_left_behind_is_not_taken_for_one(home: Home) -> None:
    with Daemon(home.settings()):
        [path] = (Path(home.environ["QMEMD_STATE_DIR"]) / "daemons").iterdir()
        content = path.read_text()
    path.write_text(content.replace(f'"pid": {os.getpid()}', '"pid": 4194304'))
    with pytest.raises(DaemonNotFoundError):
        Client(workspace=home.workspace, env=home.environ)


def test_the_daemon_of_another_workspace_is_not_taken_for_this_ones(home: Home) -> None:
    with Daemon(home.settings()):
        [path] = (Path(home.environ["QMEMD_STATE_DIR"]) / "daemons").iterdir()
        content = path.read_text()
        path.write_text(content.replace(str(home.workspace), "/another"))
        with pytest.raises(DaemonNotFoundError):
            Client(workspace=home.workspace, env=home.environ)


def test_threads_share_a_client(client: Client) -> None:
    results: list[str] = []

    def remember(number: int) -> None:
        results.append(client.remember(f"Fact {number} is about x{number}").wait(40).status)

    threads = [threading.Thread(target=remember, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(45)
    assert results == ["completed"] * 8


def test_looking_first_and_undoing_after(client: Client, home: Home) -> None:
    remembered = client.remember("I prefer tabs").result(30)
    assert remembered.change_set_id
    preview = client.forget("I prefer tabs", preview=True).result(30)
    assert preview.change_set_id
    assert "-I prefer tabs" in client.change_set(preview.change_set_id)["files"][0]["diff"]
    applied = client.change(preview.change_set_id, "apply").result(30)
    assert isinstance(applied, ChangeResult)
    assert (applied.state, home.documents()) == ("applied", {})
    client.change(preview.change_set_id, "revert").result(30)
    assert len(home.documents()) == 1
    assert [item["state"] for item in client.changes()] == ["reverted", "applied"]
    client.forget("I prefer tabs", erase=True).result(30)
    assert {item["state"] for item in client.changes()} == {"erased"}
    with pytest.raises(RequestRefusedError) as unknown:
        client.change("none", "revert")
    assert unknown.value.code == "change_not_found"
