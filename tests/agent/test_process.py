from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path

import pytest

from qmemd._version import __version__
from qmemd.kinds import Topic
from qmemd.memory.documents import render
from qmemd.memory.history import History
from qmemd.memory.locks import FileLock
from qmemd.memory.paths import MemoryPaths
from tests.agent.child import AVAILABILITY, DREAM, FORGET, REMEMBER
from tests.agent.conftest import Start

INITIALIZE = {"protocolVersion": 1, "clientCapabilities": {}, "clientInfo": {"name": "test"}}


def test_the_handshake(start: Start) -> None:
    child = start(module="qmemd.agent")
    assert child.result("initialize", INITIALIZE) == {
        "protocolVersion": 1,
        "agentInfo": {"name": "qmemd-agent", "version": __version__},
        "agentCapabilities": {},
        "authMethods": [],
        "_meta": {"qmemd/version": __version__, "qmemd/tellsBegun": True, "qmemd/changes": True},
    }
    assert child.result(AVAILABILITY) == {"available": True}
    child.end_of_input()
    assert child.wait() == 0


def test_the_guard_is_acknowledged_when_it_is_asked_for(start: Start) -> None:
    child = start(QWEN_CODE_PRIVATE_EXTERNAL_TOOL_GUARD="required-v1")
    meta = child.result("initialize", INITIALIZE)["_meta"]
    assert meta["qwen-code/external-tool-guard-ready"] == "required-v1"
    child = start(QWEN_CODE_PRIVATE_EXTERNAL_TOOL_GUARD="required-v2")
    assert list(child.result("initialize", INITIALIZE)["_meta"]) == [
        "qmemd/version",
        "qmemd/tellsBegun",
        "qmemd/changes",
    ]


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("x/unknown", None, -32601),
        ("session/new", {"cwd": "/", "mcpServers": []}, -32601),
        ("session/prompt", {}, -32601),
        ("authenticate", {}, -32601),
        ("initialize", None, -32602),
        ("initialize", {"protocolVersion": "1"}, -32602),
        (REMEMBER, {"content": "  "}, -32602),
        (REMEMBER, ["x"], -32602),
        (FORGET, {"query": 123}, -32602),
        (DREAM, {"cwd": "relative"}, -32602),
        (DREAM, {"cwd": "/somewhere/else"}, -32602),
        (AVAILABILITY, {"cwd": 7}, -32602),
    ],
)
def test_what_is_not_served_is_answered_at_once(
    start: Start, method: str, params: object, code: int
) -> None:
    child = start()
    assert child.call(method, params)["error"]["code"] == code
    assert child.result("initialize", INITIALIZE)["protocolVersion"] == 1


def test_a_fact_of_the_largest_size_in_letters_of_three_bytes(
    start: Start, paths: MemoryPaths
) -> None:
    child = start()
    fact = "記憶é" + "記" * 21_000
    result = child.result(REMEMBER, {"content": fact, "cwd": str(paths.workspace)})
    (path,) = result["filesTouched"]
    assert Path(path).read_text().endswith(f"---\n\n{fact}\n")
    line = json.dumps({"jsonrpc": "2.0", "id": 9, "method": REMEMBER, "params": {"content": "🚀é"}})
    for byte in line.replace("\\ud83d\\ude80", "🚀").encode() + b"\r\n":
        child.send_raw(bytes([byte]))
    assert child.receive()["result"]["touchedScopes"] == ["user"]


def test_noise_between_messages_is_skipped(start: Start) -> None:
    child = start()
    child.send_raw(b'\n\xff\xfe\n"hello"\n[1]\n{"level":"info","id":1}\n{"jsonrpc":"2.0","id":1}\n')
    child.send("$/unknown", {}, call=False)
    child.send("$/cancel_request", {"id": [7]}, call=False)
    child.send("$/cancel_request", {"requestId": "nobody"}, call=False)
    assert child.result("initialize", INITIALIZE)["protocolVersion"] == 1


def test_only_the_protocol_reaches_stdout(start: Start) -> None:
    child = start()
    assert child.result(REMEMBER, {"content": "print"})["touchedScopes"] == ["user"]
    child.end_of_input()
    assert child.wait() == 0
    assert child.process.stdout is not None
    assert child.process.stdout.read() == b""
    assert b"noise on stdout" in child.stderr
    assert b"noise of a tool" in child.stderr


def test_a_subprocess_cannot_take_requests_from_stdin(start: Start) -> None:
    child = start()
    first = child.send(REMEMBER, {"content": "read-stdin"})
    second = child.send(REMEMBER, {"content": "after it"})
    for call_id in (first, second):
        answer = child.receive()
        assert answer["id"] == call_id
        assert answer["result"]["touchedScopes"] == ["user"], child.stderr
    assert child.begun == [first, second]


@pytest.mark.parametrize("fact", ["raise", "exit"])
def test_an_error_in_a_run_ends_that_run_only(start: Start, fact: str) -> None:
    child = start()
    error = child.call(REMEMBER, {"content": fact})["error"]
    assert error["code"] == -32099
    assert error["data"] == {"errorKind": "remember_failed"}
    assert child.result(REMEMBER, {"content": "next"})["touchedScopes"] == ["user"]
    child.end_of_input()
    child.wait()
    assert b"raiseraise" not in child.stderr


def test_a_running_task_holds_nothing_up_and_the_end_of_input_ends_it(
    start: Start, paths: MemoryPaths
) -> None:
    child = start()
    child.send(REMEMBER, {"content": "hang"})
    child.send(REMEMBER, {"content": "queued"})
    assert child.result(AVAILABILITY) == {"available": True}
    ended = time.monotonic()
    child.end_of_input()
    assert child.wait() == 0
    assert time.monotonic() - ended < 1.0
    assert not paths.user.path.exists()


@pytest.mark.parametrize("key", ["id", "requestId"])
def test_running_and_waiting_tasks_can_be_cancelled(
    start: Start, paths: MemoryPaths, tmp_path: Path, key: str
) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    child = start()
    calls = [child.send(REMEMBER, {"content": text}) for text in (f"wait:{gate}", "b", "c")]
    with gate.open("wb"):  # waits until the model reads
        for call_id in calls[:2]:
            child.send("$/cancel_request", {key: call_id}, call=False)
        assert child.result(AVAILABILITY) == {"available": True}
    answers = [child.receive() for _ in calls]
    assert [answer["id"] for answer in answers] == calls
    for answer in answers[:2]:
        assert answer["error"]["data"] == {"errorKind": "task_cancelled"}
    assert answers[2]["result"]["filesTouched"] == [str(paths.user.path / "c.md")]
    assert not (paths.user.path / "b.md").exists()
    assert not (paths.user.path / "waited.md").exists()


def test_nothing_is_committed_after_the_end_of_input(start: Start, paths: MemoryPaths) -> None:
    paths.base.mkdir()
    lock = FileLock(paths.user.lock_path)
    assert lock.acquire(1.0)
    child = start()
    child.send(REMEMBER, {"content": "late"})
    child.result("initialize", INITIALIZE)
    child.end_of_input()
    # The run may wait for this lock when it is set free; its own question comes after it.
    lock.release()
    assert child.wait() == 0
    assert not (paths.user.path / "late.md").exists()
    assert list(paths.history.glob("*/*.json")) == []


def test_the_last_line_counts_without_its_end(start: Start, paths: MemoryPaths) -> None:
    child = start()
    child.send_raw(b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}')
    child.end_of_input()
    assert child.receive()["result"]["protocolVersion"] == 1
    assert child.wait() == 0
    assert not paths.base.exists()


def test_endless_noise_ends_the_child_with_an_error(start: Start) -> None:
    child = start()
    child.send_raw(b"noise\n" * 2000)
    assert child.wait() == 1
    assert b"cannot be read" in child.stderr


def test_a_terminated_child_ends(start: Start) -> None:
    child = start()
    child.send(REMEMBER, {"content": "hang"})
    child.result("initialize", INITIALIZE)
    child.process.send_signal(signal.SIGTERM)
    assert child.wait() == -signal.SIGTERM
    assert b"Traceback" not in child.stderr


def test_a_call_id_in_use_is_not_taken_twice(start: Start) -> None:
    child = start()
    line = {"jsonrpc": "2.0", "id": "a", "method": REMEMBER, "params": {"content": "hang"}}
    child.send_raw(json.dumps(line).encode() + b"\n")
    child.send_raw(json.dumps(line).encode() + b"\n")
    answer = child.receive()
    assert answer["id"] == "a"
    assert answer["error"]["data"]["errorKind"] == "remember_failed"


def test_a_wrong_option_is_told_in_a_line(start: Start) -> None:
    child = start("--task-limit", "soon")
    assert child.wait() == 2
    assert b"--task-limit" in child.stderr
    assert b"Traceback" not in child.stderr


def test_a_model_that_is_not_built_in_fails_tasks_with_its_reason(start: Start) -> None:
    child = start("--model", "openai:gpt", module="qmemd.agent")
    assert child.result(AVAILABILITY) == {"available": True}
    data = child.call(REMEMBER, {"content": "x"})["error"]["data"]
    assert data["errorKind"] == "remember_failed"
    assert "openai:gpt" in data["details"]


def test_what_an_editor_writes_late_is_kept_when_the_agent_ends(
    start: Start, paths: MemoryPaths
) -> None:
    kept, extra = (paths.user.path / name for name in ("a.md", "b.md"))
    kept.parent.mkdir(parents=True)
    for path in (kept, extra):
        path.write_bytes(render("Tea", "What to drink", Topic.USER, "Likes tea."))
    child = start(module="qmemd.agent")
    with extra.open("r+b", buffering=0) as editor, kept.open("r+b", buffering=0) as other:
        (gone,) = child.result(DREAM)["removedFiles"]
        late = editor if gone == str(extra) else other
        late.write(b"Likes coffee after all.")
        child.end_of_input()
        assert child.wait() == 0
    ((_, change_set),) = History(paths.history).newest_first()
    assert [b"Likes coffee after all." in text.content for text in change_set.kept] == [True]
