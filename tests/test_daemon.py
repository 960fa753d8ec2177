"""The embedded daemon with its real child: futures, subscriptions, several in one process."""

from __future__ import annotations

import contextlib
import http.client
import json
import logging
import signal
import threading
import time
from concurrent.futures import Future
from datetime import UTC, datetime
from pathlib import Path
from wsgiref.simple_server import WSGIRequestHandler, make_server

import pytest

from qmemd import ChangeAction, Daemon, MemoryChanged, RequestError, SettingsError, Task
from qmemd.journal import InMemoryJournal
from qmemd.journal.sqlite import SqliteJournal
from qmemd.kinds import Scope, TaskKind
from qmemd.memory.changes import FileChange
from qmemd.memory.commit import Committer
from qmemd.memory.history import History
from qmemd.memory.memorypath import MemoryPath
from qmemd.memory.proposals import RunRecord
from qmemd.memory.scan import Scanner
from tests.conftest import Home
from tests.fakes_events import Reader

TIMEOUT = 20


class QuietHandler(WSGIRequestHandler):
    def log_message(self, *_: object) -> None:
        """Nothing on stderr."""


def done(future: Future[Task]) -> Task:
    return future.result(TIMEOUT)


def health(port: int) -> bytes:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT)
    with contextlib.closing(connection):
        connection.request("GET", "/health")
        return connection.getresponse().read()


def test_a_fact_is_remembered_found_there_already_forgotten_and_dreamt_of(home: Home) -> None:
    with Daemon(home.settings(http=False)) as daemon:
        fact = "The user prefers dark mode in all editors"
        saved = done(daemon.remember(fact))
        assert saved.result
        assert saved.result.touched_scopes == ("user",)
        assert fact in next(iter(home.documents().values()))
        index = (home.memories / "MEMORY.md").read_text()
        assert index.count("\n") == 1
        again = done(daemon.remember(fact))
        assert again.status == "completed"
        assert again.result
        assert again.result.to_wire()["filesTouched"] == []
        assert len(home.documents()) == 1
        done(daemon.remember(fact, context_mode="clean"))
        assert len(home.documents()) == 2
        dreamt = done(daemon.dream())
        assert dreamt.result
        assert dreamt.result.to_wire()["dedupedEntries"] == 1
        assert len(home.documents()) == 1
        forgotten = done(daemon.forget("dark mode"))
        assert forgotten.result
        assert len(forgotten.result.to_wire()["removedEntries"]) == 1
        assert home.documents() == {}
        assert (home.memories / "MEMORY.md").read_text() == ""


def test_subscribers_hear_what_changed_and_nothing_else(home: Home) -> None:
    with Daemon(home.settings(http=False)) as daemon:
        everything = Reader()
        daemon.subscribe(everything)
        saved = done(daemon.remember("The user speaks German"))
        done(daemon.remember("The user speaks German"))
        done(daemon.forget("zzz nothing of the kind"))
        done(daemon.dream())
        done(daemon.forget("speaks German"))
        events = everything.wait(2)
        assert [event.source for event in events] == [
            "workspace_memory_remember",
            "workspace_memory_forget",
        ]
        assert events[0] == MemoryChanged(
            "workspace_memory_remember",
            saved.task_id,
            ("user",),
            None,  # type: ignore[arg-type]
        )


def test_what_is_wrong_is_refused_before_anything_is_accepted(home: Home) -> None:
    with Daemon(home.settings(http=False)) as daemon:
        for refused, code in (
            (lambda: daemon.remember(" "), "invalid_content"),
            (lambda: daemon.remember("x", scope="all"), "invalid_scope"),
            (lambda: daemon.remember("x", context_mode="dirty"), "invalid_context_mode"),
            (lambda: daemon.forget("\ufeff"), "invalid_query"),
            (lambda: daemon.dream(client_id="client_unknown"), "invalid_client_id"),
        ):
            with pytest.raises(RequestError) as error:
                refused()
            assert error.value.code == code


def test_several_daemons_live_side_by_side_and_touch_nothing_global(home: Home) -> None:
    other = home.root / "other"
    other.mkdir()
    handlers = [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)]
    root_handlers = list(logging.getLogger().handlers)
    with (
        Daemon(home.settings(http=False)) as one,
        Daemon(home.settings(http=False, workspace=other)) as two,
    ):
        tasks = [
            one.remember("The deadline of project A is 1 May", scope="project"),
            two.remember("The deadline of project B is 2 June", scope="project"),
        ]
        for task in tasks:
            assert done(task).status == "completed"
    texts = "".join(home.documents().values())
    assert "1 May" in texts
    assert "2 June" in texts
    assert [signal.getsignal(n) for n in (signal.SIGTERM, signal.SIGINT)] == handlers
    assert logging.getLogger().handlers == root_handlers
    assert not [t for t in threading.enumerate() if t.name.startswith("qmemd")]


def test_a_second_daemon_for_a_workspace_says_who_has_it(home: Home) -> None:
    second = Daemon(home.settings(http=False))
    with (
        Daemon(home.settings(http=False)),
        pytest.raises(SettingsError, match=r"another daemon \(process \d+, workspace /"),
    ):
        second.start()
    with Daemon(home.settings(http=False)) as third:
        assert done(third.dream()).status == "completed"


@pytest.mark.slow
def test_stopping_fails_open_futures_and_refuses_new_work(home: Home) -> None:
    silent = ("sleep", "600")
    daemon = Daemon(home.settings(http=False, agent_command=silent))
    daemon.start()
    running, queued = daemon.dream(), daemon.dream()
    daemon.stop()
    daemon.stop()
    for future in (running, queued):
        with pytest.raises(RequestError) as stopped:
            future.result(TIMEOUT)
        assert stopped.value.code == "daemon_stopping"
    with pytest.raises(RequestError) as refused:
        daemon.dream()
    assert refused.value.code == "daemon_stopping"


@pytest.mark.slow
def test_a_journal_that_outlives_its_daemon_is_worked_off_by_the_next(home: Home) -> None:
    journal = InMemoryJournal()
    first = Daemon(home.settings(http=False, agent_command=("sleep", "600")), journal=journal)
    first.start()
    first.remember("The user's name is Ada")
    first.remember("The user lives in Oslo")
    first.stop()
    with Daemon(home.settings(http=False), journal=journal) as second:
        ids = [task.task_id for task in journal.list(str(home.workspace))]
        for task_id in ids:
            second._door.watch(task_id).result(TIMEOUT)
            task = second.task(task_id)
            assert task
            assert task.status == "completed"
    assert len(home.documents()) == 2


def test_a_callback_on_a_future_may_wait_for_another_and_may_break(home: Home) -> None:
    answers: list[str] = []
    told = threading.Event()

    def chain(_: Future[Task]) -> None:
        answers.append(done(daemon.remember("The user likes tea")).status)
        told.set()
        raise SystemExit(3)

    with Daemon(home.settings(http=False)) as daemon:
        daemon.dream().add_done_callback(chain)
        assert told.wait(TIMEOUT)
        assert done(daemon.remember("The user likes rye")).status == "completed"
        assert answers == ["completed"]


def test_a_subscriber_that_exits_goes_on_hearing(home: Home) -> None:
    reader = Reader()

    def breaks(event: MemoryChanged) -> None:
        reader(event)
        raise SystemExit(3)

    with Daemon(home.settings(http=False)) as daemon:
        daemon.subscribe(breaks)
        for drink in ("tea", "milk"):
            done(daemon.remember(f"The user drinks {drink}"))
        assert len(reader.wait(2)) == 2


def test_the_last_events_are_delivered_when_the_daemon_stops(home: Home) -> None:
    heard: list[MemoryChanged] = []

    def slow(event: MemoryChanged) -> None:
        time.sleep(0.1)
        heard.append(event)

    with Daemon(home.settings(http=False)) as daemon:
        daemon.subscribe(slow)
        for drink in ("tea", "milk", "rye"):
            done(daemon.remember(f"The user drinks {drink}"))
    assert len(heard) == 3


def test_a_daemon_is_started_once_and_a_second_start_does_not_hurt_it(home: Home) -> None:
    with Daemon(home.settings(http=False)) as daemon:
        with pytest.raises(RuntimeError, match="started once"):
            daemon.start()
        assert done(daemon.dream()).status == "completed"
    with pytest.raises(RuntimeError, match="started once"):
        daemon.start()
    with pytest.raises(RequestError, match="shutting down"):
        Daemon(home.settings(http=False)).dream()


def test_what_an_earlier_daemon_left_half_done_is_settled_at_the_start(home: Home) -> None:
    class CrashError(BaseException):
        pass

    def crash(step: str) -> None:
        if step == "write new":
            raise CrashError

    paths = home.settings().memory
    history = History(paths.history)
    committer = Committer(
        paths,
        history,
        scanner=Scanner(),
        clock=lambda: datetime.now(UTC),
        new_id=lambda: "half-done",
        step=crash,
    )
    change = FileChange(MemoryPath(Scope.USER, "tea.md"), None, b"The user likes tea\n")
    run = RunRecord("remember-1", TaskKind.REMEMBER, None, str(home.workspace))
    with contextlib.suppress(CrashError):
        committer.commit([change], run, result=lambda _: {}, may_commit=lambda: True)
    assert history.has_open()
    with Daemon(home.settings(http=False)):
        assert not history.has_open()
        assert home.documents() == {"memories/tea.md": "The user likes tea\n"}


def test_the_app_can_be_mounted_under_another_server(home: Home) -> None:
    with (
        Daemon(home.settings(http=False)) as daemon,
        make_server("127.0.0.1", 0, daemon.wsgi_app, handler_class=QuietHandler) as server,
    ):
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            assert health(server.server_port) == b'{"status":"ok"}'
        finally:
            server.shutdown()
            thread.join(TIMEOUT)


def test_directories_that_cannot_be_used_are_one_clear_sentence(home: Home) -> None:
    (home.root / "file").write_text("")
    for given in ({"base": home.root / "file"}, {"token": None, "state_dir": home.root / "file"}):
        with pytest.raises(SettingsError, match="cannot be used"):
            Daemon(home.settings(http=False, **given)).start()


def test_nothing_secret_is_in_a_representation(home: Home) -> None:
    shown = repr(home.settings(token="hush-hush", environ=home.environ | {"KEY": "hush-2"}))
    assert "hush" not in shown
    assert str(home.workspace) in shown


def test_a_port_in_use_is_one_clear_sentence_and_leaves_nothing_behind(home: Home) -> None:
    other = home.root / "other"
    other.mkdir()
    with Daemon(home.settings()) as daemon:
        taken = Daemon(home.settings(port=daemon.port, workspace=other))
        with pytest.raises(SettingsError, match=f"port {daemon.port}"):
            taken.start()
    with Daemon(home.settings(workspace=other, http=False)) as again:
        assert done(again.dream()).status == "completed"


def test_the_server_of_the_daemon_answers_and_is_gone_after_stop(home: Home) -> None:
    with Daemon(home.settings()) as daemon:
        assert health(daemon.port) == b'{"status":"ok"}'
    with pytest.raises(OSError, match="refused"):
        health(daemon.port)


def test_without_a_token_one_is_made_and_kept(home: Home) -> None:
    tokens = []
    for _ in range(2):
        with Daemon(home.settings(token=None, http=False)) as daemon:
            tokens.append(daemon.token)
    assert tokens[0] == tokens[1]
    assert (home.state / "token").read_text().strip() == tokens[0]


def test_a_host_looks_first_and_undoes_after(home: Home) -> None:
    with Daemon(home.settings(http=False)) as daemon:
        done(daemon.remember("I prefer tabs"))
        preview = done(daemon.forget("I prefer tabs", preview=True)).result
        assert preview
        assert preview.change_set_id
        assert len(home.documents()) == 1
        detail = daemon.change_set(preview.change_set_id)
        assert detail
        assert "-I prefer tabs" in detail["files"][0]["diff"]
        assert done(daemon.change(preview.change_set_id, "apply")).status == "completed"
        assert home.documents() == {}
        assert done(daemon.change(preview.change_set_id, ChangeAction.REVERT)).error is None
        assert [item["state"] for item in daemon.changes()["changes"]] == ["reverted", "applied"]
        for act, code in (
            (lambda: daemon.change("none", "apply"), "change_not_found"),
            (lambda: daemon.change("none", "undo"), "invalid_action"),
            (lambda: daemon.forget("x", preview=True, erase=True), "invalid_option"),
        ):
            with pytest.raises(RequestError) as refused:
                act()
            assert refused.value.code == code


def test_a_host_looks_at_what_is_remembered(home: Home) -> None:
    with Daemon(home.settings(http=False)) as daemon:
        daemon.remember("I prefer tabs", scope="user").result(30)
        (row,) = daemon.entries("tabs", scope="user")["entries"]
        assert daemon.entries("tabs", scope="project")["total"] == 0
        detail = daemon.entry(row["id"])
        assert detail
        assert "tabs" in detail["text"]
        assert daemon.entry("nothing") is None
        for wrong in ({"scope": "both"}, {"topic": "fact"}):
            with pytest.raises(RequestError):
                daemon.entries("", **wrong)


class Slow(InMemoryJournal):
    """Takes its time at the start."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = threading.Event()
        self.may_go_on = threading.Event()
        self.closed = 0

    def recover(self, workspace: str) -> tuple[Task, ...]:
        self.asked.set()
        self.may_go_on.wait(10)
        return super().recover(workspace)

    def close(self) -> None:
        self.closed += 1


def test_a_stop_during_the_start_stops_it(home: Home) -> None:
    journal = Slow()
    daemon = Daemon(home.settings(http=False), journal=journal)
    starting = threading.Thread(target=daemon.start)
    starting.start()
    assert journal.asked.wait(10)
    stopping = threading.Thread(target=daemon.stop)
    stopping.start()
    journal.may_go_on.set()
    for thread in (starting, stopping):
        thread.join(20)
        assert not thread.is_alive()
    with pytest.raises(RequestError) as refused:
        daemon.remember("I like tea").result(5)
    assert refused.value.code == "daemon_stopping"
    assert journal.closed == 0, "it is the host's"


def test_two_daemons_may_share_a_host_s_journal(home: Home, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    journal = SqliteJournal(tmp_path / "shared.sqlite3")
    second = Daemon(home.settings(http=False, workspace=other), journal=journal)
    with second:
        with Daemon(home.settings(http=False), journal=journal) as first:
            here = first.remember("I like tea", idempotency_key="once").result(30)
            there = second.remember("I like tea", idempotency_key="once").result(30)
            assert here.task_id != there.task_id
        assert second.remember("The second goes on", scope="project").result(30).error is None
    assert journal.get(here.task_id)
    journal.close()


def test_sessions_survive_with_a_host_s_journal(home: Home, tmp_path: Path) -> None:
    opened = []
    for _ in range(2):
        journal = SqliteJournal(tmp_path / "shared.sqlite3")
        with Daemon(home.settings(), journal=journal) as daemon:
            connection = http.client.HTTPConnection("127.0.0.1", daemon.port, timeout=10)
            with contextlib.closing(connection):
                headers = {"Authorization": f"Bearer {daemon.token}"}
                connection.request("POST", "/session", headers=headers)
                opened.append(json.loads(connection.getresponse().read()))
        journal.close()
    first, again = opened
    assert (again["sessionId"], again["attached"]) == (first["sessionId"], True)
