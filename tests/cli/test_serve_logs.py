"""What the command writes to stderr, line by line."""

from __future__ import annotations

import json
import re
import signal
import subprocess
from typing import Any

import pytest

from tests.cli.test_serve import Served, command, refused, script, serving
from tests.conftest import Home

TOKEN = "a-token-of-mine"
FACT = "The user prefers persimmons"
CHATTER = "WARNING qmemd.agent.x: " + "e\u2028" * 2000 + "\n"


def objects(stderr: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in stderr.splitlines()]


def run_dream(served: Served) -> str:
    _, task = served.call("POST", "/workspace/memory/dream")
    task_id: str = task["taskId"]
    served.call("GET", f"/workspace/memory/dream/{task_id}?wait=20")
    return task_id


def test_every_line_is_an_object_and_a_task_can_be_followed_by_its_id(home: Home) -> None:
    with serving(home, "--log-format", "json") as served:
        _, task = served.call("POST", "/workspace/memory/remember", {"content": FACT})
        served.call("GET", f"/workspace/memory/remember/{task['taskId']}?wait=20")
        code, out, err = served.end()
    assert (code, out) == (0, "")
    entries = objects(err)
    for entry in entries:
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", entry["time"])
        assert entry["level"] in ("INFO", "WARNING")
        assert entry["logger"].startswith("qmemd.")
    mine = [entry for entry in entries if entry.get("taskId") == task["taskId"]]
    assert [entry["message"].split()[1] for entry in mine] == ["accepted", "started", "completed"]
    assert {entry["kind"] for entry in mine} == {"remember"}
    assert isinstance(mine[-1]["durationMs"], int)


@pytest.mark.slow
@pytest.mark.parametrize("log_format", ["json", "text"])
def test_neither_the_token_nor_what_was_typed_is_logged(home: Home, log_format: str) -> None:
    flags = ("--log-level", "debug")
    environ = {"QMEMD_TOKEN": "t", "QMEMD_LOG_FORMAT": log_format, "QMEMD_MODEL": "offline"}
    with serving(home, *flags, environ=environ) as served:
        secret = "ghp_" + "a1B2c3D4e5F6" * 3
        for content in (FACT, FACT, f"the key is {secret}"):
            _, task = served.call("POST", "/workspace/memory/remember", {"content": content})
            served.call("GET", f"/workspace/memory/remember/{task['taskId']}?wait=20")
        for body in ({"query": "persimmons"}, {"query": 7, "persimmons": "persimmons"}):
            _, task = served.call("POST", "/workspace/memory/forget", body)
            if "taskId" in task:
                served.call("GET", f"/workspace/memory/forget/{task['taskId']}?wait=20")
        served.call("GET", "/persimmons?persimmons=1")
        served.call("GET", "/workspace/memory/dream/persimmons")
        served.call("POST", "/workspace/memory/change", {"changeSetId": "persimmons"})
        code, _, err = served.end()
    assert code == 0
    assert "secret_detected" in err
    assert "persimmons" not in err
    assert secret not in err
    assert "Bearer" not in err


def test_a_childs_lines_come_out_bounded_and_each_in_an_object(home: Home) -> None:
    talking = script(on={"start": [["stderr", CHATTER]]})
    with serving(home, "--log-format", "json", "--agent-command", talking) as served:
        run_dream(served)
        _, _, err = served.end()
    [said] = [entry for entry in objects(err) if entry["logger"] == "qmemd.agent"]
    assert said["level"] == "WARNING"
    assert said["message"].startswith("qmemd.agent.x: e e ")
    assert len(said["message"]) <= 1000


def test_a_line_for_people_looks_as_ever_and_names_the_task(home: Home) -> None:
    with serving(home) as served:
        task_id = run_dream(served)
        _, _, err = served.end()
    stamp = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}"
    logger = r"qmemd\.actors\.task_updates"
    assert re.search(rf"^{stamp} INFO {logger}: {task_id} accepted$", err, re.MULTILINE)
    assert re.search(rf"^{stamp} INFO {logger}: {task_id} completed after ", err, re.MULTILINE)


def test_a_mistake_is_one_object_too(home: Home) -> None:
    ended = subprocess.run(
        command(home, "--port", "70000", "--log-format", "json"),
        capture_output=True,
        text=True,
        env=home.environ,
        timeout=20,
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (1, "")
    [entry] = objects(ended.stderr)
    assert (entry["level"], entry["code"]) == ("CRITICAL", "invalid_settings")
    assert "port must be" in entry["message"]


def test_another_format_is_one_clear_line(home: Home) -> None:
    line = refused(home, environ={"QMEMD_LOG_FORMAT": "xml"})
    assert line == "qmemd: QMEMD_LOG_FORMAT must be one of text, json, not 'xml'\n"


@pytest.mark.slow
def test_a_signal_shows_what_each_thread_does_and_hurts_nobody(home: Home) -> None:
    with serving(home, "--log-format", "json", "--log-level", "error") as served:
        for _ in range(3):
            served.process.send_signal(signal.SIGUSR1)
            run_dream(served)
        code, _, err = served.end()
    assert code == 0
    [first, *_] = [
        each["message"] for each in objects(err) if "what each thread" in each["message"]
    ]
    assert "MainThread:" in first
    assert "qmemd/cli/serve.py" in first


@pytest.mark.slow
def test_a_crash_shows_what_each_thread_did(home: Home) -> None:
    with serving(home) as served:
        code, _, err = served.end(signal.SIGABRT)
    assert code < 0
    assert "Fatal Python error: Aborted" in err  # the stacks follow, as far as they can be read
