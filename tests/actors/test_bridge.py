from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest

from qmemd._version import __version__
from qmemd.kinds import Scope
from qmemd.messages import (
    Availability,
    CancelTask,
    ChildPhase,
    RefreshAvailability,
    RunTask,
    SessionsLive,
    StartChild,
    TaskFinished,
)
from qmemd.results import RememberResult
from qmemd.tasks import Task, TaskFailure
from tests.actors.bridge_bench import LIMIT, QUICK, BridgeBench

MIB = 1024 * 1024
NOTHING = RememberResult("done")
APPLIED = RememberResult("applied", ("/m/a.md",), (Scope.USER,))


@pytest.fixture
def benches(tmp_path: Path) -> Iterator[Any]:
    made: list[BridgeBench] = []

    def make(**options: Any) -> BridgeBench:
        made.append(BridgeBench(tmp_path, **options))
        return made[-1]

    yield make
    for bench in made:
        bench.close()


def code_of(finished: TaskFinished) -> str | None:
    return finished.outcome.code if isinstance(finished.outcome, TaskFailure) else None


def lives(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def await_gone(pid: int) -> None:
    deadline = time.monotonic() + LIMIT
    while lives(pid):
        assert time.monotonic() < deadline, "the process lives on"
        time.sleep(0.005)


def test_each_kind_of_task_runs_on_one_child(benches: Any) -> None:
    bench = benches()
    for kind in ("remember", "forget", "dream", "remember"):
        finished = bench.finish(kind)
        assert code_of(finished) is None
        assert finished.generation == 1
    assert bench.count_starts() == 1
    lines = [json.loads(line) for line in bench.log.read_text().splitlines()]
    assert [line["method"].rpartition("/")[2] for line in lines] == [
        "initialize",
        "availability",
        "remember",
        "forget",
        "dream",
        "remember",
    ]
    assert lines[0] == {
        "jsonrpc": "2.0",
        "id": 0,
        "method": "initialize",
        "params": {
            "protocolVersion": 1,
            "clientCapabilities": {"fs": {"readTextFile": False, "writeTextFile": False}},
            "clientInfo": {"name": "qmemd", "version": __version__},
        },
    }
    assert lines[4]["params"] == {"cwd": "/w", "_meta": {"qmemd/taskId": "dream-3"}}


def test_a_child_can_be_started_ahead(benches: Any) -> None:
    bench = benches()
    bench.ref.tell(StartChild())
    bench.await_availability(Availability.AVAILABLE)
    state = bench.state()
    assert (state.phase, state.generation, state.task_id) == (ChildPhase.LIVE, 1, None)
    assert psutil.Process(state.pid).is_running()


def test_a_death_in_mid_request_ends_the_task_at_once(
    benches: Any, caplog: pytest.LogCaptureFixture
) -> None:
    bench = benches(
        per_start=[{"on": {"remember": [["flood_stderr", 99], ["exit", 7]]}}, {"on": {}}]
    )
    bench.ref.tell(StartChild())
    bench.await_availability(Availability.AVAILABLE)
    started = time.monotonic()
    finished = bench.finish()
    assert time.monotonic() - started < 1
    assert finished.outcome == TaskFailure.of("agent_crashed", "exit code 7")
    assert "e" * 99 in caplog.text
    assert bench.finish().outcome == NOTHING
    assert bench.count_starts() == 2


def test_a_child_over_its_memory_fails_the_task_and_the_next_gets_a_new_one(
    benches: Any,
) -> None:
    hungry = {"on": {"remember": [["eat", 200], "silent"]}}
    bench = benches(spawn={"memory": 100 * MIB}, per_start=[hungry, {"on": {}}])
    finished = bench.finish()
    assert code_of(finished) == "agent_crashed"
    assert re.fullmatch(
        r"ended by SIGKILL: it used \d{3} MiB of memory, and its limit is 100 MiB",
        finished.outcome.details,
    )
    assert bench.finish().outcome == NOTHING
    assert bench.count_starts() == 2


def test_an_idle_child_over_its_memory_costs_no_task(benches: Any) -> None:
    hungry = {"on": {"availability": ["reply", ["eat", 200]]}}
    bench = benches(spawn={"memory": 100 * MIB}, per_start=[hungry, {"on": {}}])
    bench.ref.tell(StartChild())
    bench.await_state(lambda state: state.failures_in_a_row == 1)
    assert bench.finish().outcome == NOTHING


@pytest.mark.parametrize("command", [("/bin/false",), ("/missing/program",), ("",)])
def test_a_command_that_never_speaks_fails_the_task(benches: Any, command: Any) -> None:
    bench = benches(command=command)
    for number in (3, 6):
        finished = bench.finish()
        assert code_of(finished) == "agent_crashed"
        assert finished.generation == number


def test_a_task_waits_through_failed_starts(benches: Any) -> None:
    dead = {"on": {"start": [["exit", 1]]}}
    bench = benches(per_start=[dead, dead, {"on": {}}])
    assert bench.finish().outcome == NOTHING
    assert bench.count_starts() == 3


def test_a_child_that_dies_after_each_handshake_is_started_ever_more_slowly(benches: Any) -> None:
    bench = benches(on={"remember": [["exit", 1]]})
    for count in range(1, 6):
        assert code_of(bench.finish()) == "agent_crashed"
        assert bench.count_starts() == count
        assert bench.state().failures_in_a_row == count


def test_the_death_of_an_idle_child_costs_no_task(benches: Any) -> None:
    bench = benches()
    for _ in range(10):
        assert bench.finish().outcome == NOTHING
        pid = bench.state().pid
        os.kill(pid, signal.SIGKILL)
        await_gone(pid)
        bench.await_state(lambda state: state.pid is None)
        assert bench.finish().outcome == NOTHING


def test_stderr_is_drained_for_the_whole_life(benches: Any) -> None:
    bench = benches(on={"remember": [["flood_stderr", 300_000], "reply"]})
    for _ in range(3):
        assert bench.finish().outcome == NOTHING
    assert bench.state().stderr_tail_bytes == 8192


def test_noise_before_the_answer_is_ignored(benches: Any) -> None:
    noise = 'ready\n\n"hello"\n[1]\n{"level":"info","id":2}\n\x1b[31mred\x1b[0m\n'
    bench = benches(on={"start": [["raw", noise]], "remember": [["raw", noise], "reply"]})
    assert bench.finish().outcome == NOTHING


def test_endless_noise_fails_the_task(benches: Any) -> None:
    bench = benches(on={"remember": [["raw", "\n" * 1_002], "hang"]})
    finished = bench.finish()
    assert code_of(finished) == "agent_crashed"
    assert "no message" in finished.outcome.details


def test_text_arrives_byte_for_byte(benches: Any) -> None:
    text = "记忆🚀é\u2028"
    result = {"summary": text, "filesTouched": [], "touchedScopes": []}
    bench = benches(on={"remember": [["reply_bytewise", result]]})
    assert bench.finish().outcome.summary == text
    bench = benches(on={"remember": [["reply_summary", ["记", 400_000]]]})
    assert bench.finish().outcome.summary == "记" * 400_000


def test_requests_of_the_child_are_refused_and_notifications_ignored(benches: Any) -> None:
    asked = [
        {"id": "c1", "method": "x/unknown"},
        {"id": "c2", "method": "fs/read_text_file", "params": {"path": "/etc/hostname"}},
        {"id": 0, "method": "session/request_permission", "params": {}},
        {"id": None, "method": "terminal/create"},
        {"method": "qwen/notify/channel/active-work", "params": {}},
    ]
    bench = benches(on={"remember": [*(["request", message] for message in asked), "reply"]})
    assert bench.finish().outcome == NOTHING
    lines = [json.loads(line) for line in bench.log.read_text().splitlines()]
    answers = [line for line in lines if "error" in line]
    assert [answer["id"] for answer in answers] == ["c1", "c2", 0, None]
    assert {answer["error"]["code"] for answer in answers} == {-32601}


def test_a_notification_before_the_handshake_answer(benches: Any) -> None:
    note = {"method": "qwen/notify/channel/active-work", "params": {}}
    bench = benches(on={"initialize": [["request", note], "reply"]})
    assert bench.finish().outcome == NOTHING


def test_errors_of_the_child_become_failures(benches: Any) -> None:
    error = {
        "code": -32099,
        "message": "m",
        "data": {"errorKind": "remember_no_update", "details": "Authorization: Bearer abc"},
    }
    bench = benches(on={"remember": [["error", error]], "dream": [["reply", {"summary": 1}]]})
    finished = bench.finish()
    assert code_of(finished) == "remember_no_update"
    assert "abc" not in finished.outcome.details
    finished = bench.finish("dream")
    assert finished.outcome == TaskFailure.of(
        "dream_failed", "`touchedTopics` is not a list of strings"
    )


def test_the_environment_of_the_child_is_exactly_what_was_given(benches: Any) -> None:
    bench = benches(env={"ONE": "1"}, on={"remember": ["environment"]})
    seen = json.loads(bench.finish().outcome.summary)
    assert {key: value for key, value in seen.items() if key != "LC_CTYPE"} == {"ONE": "1"}


def test_a_task_over_its_limit_writes_nothing_later(benches: Any, tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    late = {"on": {"remember": [["sleep", 0.5], ["append", [str(trace), "late"]], "reply"]}}
    bench = benches(
        task_timeout=0.1,
        ignore=["TERM", "EOF"],
        per_start=[late, {"on": {}}],
    )
    assert code_of(bench.finish()) == "remember_timeout"
    (pid,) = map(int, bench.starts.read_text().split())
    assert not psutil.pid_exists(pid)
    assert bench.finish().outcome == NOTHING
    assert bench.count_starts() == 2
    assert not trace.exists()


def test_an_applied_change_completes_a_task_whose_child_died(benches: Any) -> None:
    settled: list[tuple[Task, str]] = []

    def settle(task: Task) -> RememberResult:
        settled.append((task, threading.current_thread().name))
        return APPLIED

    bench = benches(settle=settle, on={"remember": [["exit", 1]]})
    task = bench.run()
    assert bench.next(TaskFinished).outcome == APPLIED
    ((asked, thread),) = settled
    assert asked == task
    assert thread == "qmemd-child-1"


def test_an_answered_task_is_not_settled(benches: Any) -> None:
    settled: list[Task] = []
    bench = benches(settle=settled.append, on={"remember": ["reply", ["exit", 0]]})
    assert bench.finish().outcome == NOTHING
    bench.await_state(lambda state: state.phase is ChildPhase.NONE)
    assert settled == []


def test_settling_that_fails_counts_as_nothing_applied(
    benches: Any, caplog: pytest.LogCaptureFixture
) -> None:
    def settle(_: Task) -> None:
        raise SystemExit(3)

    bench = benches(settle=settle, on={"remember": [["exit", 1]]})
    assert code_of(bench.finish()) == "agent_crashed"
    assert "could not be settled" in caplog.text
    assert code_of(bench.finish()) == "agent_crashed"


def test_a_cancel_is_obeyed(benches: Any) -> None:
    error = {"code": -32099, "message": "m", "data": {"errorKind": "task_cancelled"}}
    bench = benches(
        limits=replace(QUICK, cancel_grace=LIMIT),
        on={"remember": ["until_cancelled", ["error", error]]},
    )
    task = bench.run()
    bench.await_log(task.task_id)
    bench.ref.tell(CancelTask(task.task_id))
    assert code_of(bench.next(TaskFinished)) == "task_cancelled"
    assert bench.finish("dream").generation == 1


def test_a_child_that_ignores_a_cancel_is_replaced(benches: Any) -> None:
    bench = benches(on={"remember": ["silent"]})
    task = bench.run()
    bench.await_log(task.task_id)
    bench.ref.tell(CancelTask(task.task_id))
    assert code_of(bench.next(TaskFinished)) == "task_cancelled"
    assert bench.finish("dream").generation == 2


def test_silence_on_availability(benches: Any) -> None:
    bench = benches(on={"availability": ["silent"]})
    bench.ref.tell(StartChild())
    bench.await_availability(Availability.FAILED)
    bench.ref.tell(RefreshAvailability())
    bench.await_availability(Availability.ASKING)
    assert bench.finish().outcome == NOTHING
    bench.await_availability(Availability.FAILED)


def test_an_unavailable_memory(benches: Any) -> None:
    error = {
        "code": -32009,
        "message": "m",
        "data": {"errorKind": "managed_memory_unavailable"},
    }
    bench = benches(
        on={"availability": [["reply", {"available": False}]], "dream": [["error", error]]}
    )
    assert code_of(bench.finish("dream")) == "managed_memory_unavailable"
    bench.await_availability(Availability.ASKING)
    bench.await_availability(Availability.UNAVAILABLE)
    bench.await_log('"id":3')


def test_an_idle_child_leaves_and_a_session_keeps_it(benches: Any) -> None:
    bench = benches(idle_timeout=0.01)
    bench.ref.tell(SessionsLive(1))
    bench.finish()
    pid = bench.state().pid
    assert not bench.state().idle_timer_runs
    bench.ref.tell(SessionsLive(0))
    bench.await_state(lambda state: state.phase is ChildPhase.NONE)
    await_gone(pid)
    assert bench.state().failures_in_a_row == 0


@pytest.mark.parametrize("idle_timeout", [0, 0.001, 0.01])
def test_no_task_is_lost_at_the_idle_limit(benches: Any, idle_timeout: float) -> None:
    bench = benches(idle_timeout=idle_timeout)
    for count in range(12):
        if count % 2:
            time.sleep(idle_timeout)
        assert bench.finish().outcome == NOTHING
    if idle_timeout == 0:
        assert bench.count_starts() == 12


def test_a_slow_settling_delays_nobody_but_its_task(benches: Any) -> None:
    release = threading.Event()
    bench = benches(settle=lambda _: release.wait(LIMIT) and None, on={"remember": [["exit", 1]]})
    bench.run()
    bench.await_state(lambda state: state.pid is None and state.generation == 1)
    started = time.monotonic()
    assert bench.state().task_id == "remember-1"
    assert time.monotonic() - started < 0.5
    release.set()
    assert code_of(bench.next(TaskFinished)) == "agent_crashed"


def test_a_stop_leaves_nothing_alive(benches: Any, tmp_path: Path) -> None:
    pid_file = tmp_path / "grandchild"
    bench = benches(
        ignore=["TERM", "EOF"],
        on={"remember": [["grandchild", [str(pid_file), False]], "reply"]},
    )
    bench.finish()
    pid = bench.state().pid
    bench.stop(0.05)
    await_gone(pid)
    await_gone(int(pid_file.read_text()))
    assert bench.state().phase is ChildPhase.NONE


def test_a_stop_in_the_middle_of_the_handshake(benches: Any) -> None:
    bench = benches(on={"initialize": ["hang"]}, ignore=["TERM", "EOF"])
    bench.ref.tell(StartChild())
    bench.await_log("initialize")
    pid = bench.state().pid
    bench.stop(0.05)
    await_gone(pid)


def test_a_stop_gives_a_running_task_back(benches: Any) -> None:
    bench = benches(on={"remember": ["silent"]})
    task = bench.run()
    bench.await_log(task.task_id)
    bench.stop(0.05)
    assert code_of(bench.next(TaskFinished)) == "daemon_restarted"


def test_stopping_the_actor_kills_the_child_and_its_timers(benches: Any) -> None:
    bench = benches(idle_timeout=60, ignore=["TERM", "EOF"])
    bench.finish()
    pid = bench.state().pid
    bench.ref.stop(timeout=LIMIT)
    await_gone(pid)
    deadline = time.monotonic() + LIMIT
    while any(
        thread.name.startswith(("qmemd-child", "qmemd-bridge")) for thread in threading.enumerate()
    ):
        assert time.monotonic() < deadline
        time.sleep(0.005)


def test_a_fault_of_ours_fails_the_task_and_leaves_the_actor_alive(benches: Any) -> None:
    faults = iter([OSError("clock"), SystemExit(1)])

    def clock() -> float:
        for fault in faults:
            raise fault
        return time.monotonic()

    bench = benches(bridge={"clock": clock})
    assert code_of(bench.finish()) == "remember_failed"
    assert code_of(bench.finish()) == "remember_failed"
    assert bench.finish().outcome == NOTHING


def test_a_task_without_a_request_fails_alone(benches: Any) -> None:
    bench = benches()
    for _ in range(2):
        bench.ref.tell(RunTask(replace(bench.task(), request=None), "/w"))
        assert code_of(bench.next(TaskFinished)) == "remember_failed"
    assert bench.finish().outcome == NOTHING


def test_a_host_that_forgets_to_stop_exits_and_takes_the_child_along(tmp_path: Path) -> None:
    code = """
import sys
from pathlib import Path
from qmemd.messages import (
    TaskFinished,
)
from tests.actors.bridge_bench import BridgeBench
bench = BridgeBench(Path(sys.argv[1]), idle_timeout=60)
bench.run()
bench.next(TaskFinished)
print(bench.state().pid)
"""
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=True,
    )
    assert done.stderr == ""
    await_gone(int(done.stdout))
