"""The command as people run it: a process of its own, its output, its signals."""

from __future__ import annotations

import contextlib
import http.client
import json
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.conftest import Home

FAKE = Path(__file__).parents[1] / "fakes" / "child.py"


class Served:
    """A ``qmemd serve`` process whose first line was read."""

    def __init__(self, home: Home, *flags: str, environ: dict[str, str] | None = None) -> None:
        self.process = subprocess.Popen(
            command(home, *flags),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=home.environ | {"QMEMD_TOKEN": "t"} | (environ or {}),
            cwd=home.workspace,
        )
        assert self.process.stdout
        self.line = self.process.stdout.readline()
        self.port = int(self.line.split(":")[2].split()[0]) if self.line else 0

    def call(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        with contextlib.closing(connection):
            headers = {"Authorization": "Bearer t", "Content-Type": "application/json"}
            connection.request(method, path, json.dumps(body) if body else None, headers)
            response = connection.getresponse()
            return response.status, json.loads(response.read())

    def family(self) -> list[psutil.Process]:
        return psutil.Process(self.process.pid).children(recursive=True)

    def end(self, number: int = signal.SIGTERM) -> tuple[int, str, str]:
        self.process.send_signal(number)
        out, err = self.process.communicate(timeout=10)
        return self.process.returncode, out, err


def command(home: Home, *flags: str) -> list[str]:
    port = () if "--port" in flags else ("--port", "0")
    return [
        sys.executable,
        "-m",
        "qmemd",
        "serve",
        "--workspace",
        str(home.workspace),
        *port,
        *flags,
    ]


def refused(home: Home, *flags: str, environ: dict[str, str] | None = None) -> str:
    """The one line on stderr of a start that failed with exit code 1."""
    ended = subprocess.run(
        command(home, *flags),
        capture_output=True,
        text=True,
        env=home.environ | (environ or {}),
        timeout=20,
        check=False,
    )
    assert ended.returncode == 1, ended.stderr
    assert ended.stdout == ""
    assert ended.stderr.count("\n") == 1, ended.stderr
    return ended.stderr


@contextlib.contextmanager
def serving(home: Home, *flags: str, environ: dict[str, str] | None = None) -> Iterator[Served]:
    served = Served(home, *flags, environ=environ)
    try:
        yield served
    finally:
        if served.process.poll() is None:
            served.process.kill()
        served.process.communicate()


def script(**steps: Any) -> str:
    return f"{sys.executable} {FAKE} '{json.dumps(steps)}'"


def gone(processes: list[psutil.Process]) -> bool:
    _, alive = psutil.wait_procs(processes, timeout=5)
    return not alive


def test_one_line_on_stdout_and_the_rest_on_stderr(home: Home) -> None:
    with serving(home) as served:
        assert re.fullmatch(
            rf"qmemd listening on http://127\.0\.0\.1:\d+ \(workspace {home.workspace}\)\n",
            served.line,
        )
        assert served.call("POST", "/workspace/memory/dream")[0] == 202
        code, out, err = served.end()
        assert (code, out) == (0, "")
        assert "Traceback" not in err


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_it_and_its_family_and_frees_the_port(home: Home, number: int) -> None:
    with serving(home) as served:
        served.call("POST", "/workspace/memory/dream")
        family = served.family()
        began = time.monotonic()
        assert served.end(number)[0] == 0
        assert time.monotonic() - began < 5
        assert gone(family)
        with socket.socket() as again:
            again.bind(("127.0.0.1", served.port))


@pytest.mark.slow
def test_a_full_queue_and_a_child_that_ignores_everything_do_not_hold_it(home: Home) -> None:
    stubborn = script(ignore=["TERM", "EOF"], on={"remember": ["hang"]})
    with serving(home, "--agent-command", stubborn) as served:
        for _ in range(16):
            served.call("POST", "/workspace/memory/remember", {"content": "x"})
        family = served.family()
        began = time.monotonic()
        assert served.end()[0] == 0
        assert time.monotonic() - began < 5
        assert family
        assert gone(family)


@pytest.mark.slow
def test_it_can_be_ended_while_the_child_is_still_starting(home: Home) -> None:
    mute = script(ignore=["TERM", "EOF"], on={"initialize": ["hang"]})
    with serving(home, "--agent-command", mute) as served:
        family = served.family()
        assert served.end()[0] == 0
        assert gone(family)


@pytest.mark.slow
def test_a_second_signal_ends_it_at_once(home: Home) -> None:
    stubborn = script(ignore=["TERM", "EOF"], on={"dream": ["hang"]})
    with serving(home, "--agent-command", stubborn) as served:
        served.call("POST", "/workspace/memory/dream")
        family = served.family()
        served.process.send_signal(signal.SIGTERM)
        while served.call("POST", "/workspace/memory/dream")[0] != 503:
            pass
        began = time.monotonic()
        code, _, _ = served.end()
        assert time.monotonic() - began < 1
        assert code == 128 + signal.SIGTERM
        assert gone(family)


@pytest.mark.slow
def test_requests_during_the_stop_are_refused_and_polls_still_answer(home: Home) -> None:
    slow = script(on={"dream": [["sleep", 1], "reply"]})
    with serving(home, "--agent-command", slow) as served:
        _, task = served.call("POST", "/workspace/memory/dream")
        served.process.send_signal(signal.SIGTERM)
        status, body = served.call("POST", "/workspace/memory/dream")
        while status == 202:
            status, body = served.call("POST", "/workspace/memory/dream")
        assert (status, body["code"]) == (503, "daemon_stopping")
        status, body = served.call("GET", f"/workspace/memory/dream/{task['taskId']}")
        assert status == 200
        served.process.communicate(timeout=10)
        assert served.process.returncode == 0


@pytest.mark.slow
def test_after_a_kill_the_next_one_starts_and_the_orphan_is_gone(home: Home) -> None:
    with serving(home) as served:
        assert served.call("POST", "/workspace/memory/dream")[0] == 202
        family = served.family()
        served.process.kill()
        served.process.communicate()
    with serving(home) as served:
        assert served.call("GET", "/health") == (200, {"status": "ok"})
        assert gone(family)


def test_a_port_in_use_is_one_clear_line(home: Home) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        line = refused(home, "--port", str(port), environ={"QMEMD_TOKEN": "t"})
    assert f"port {port}" in line
    assert "in use" in line


def test_each_mistake_is_one_clear_line(home: Home) -> None:
    open_file = home.root / "token"
    open_file.write_text("t")
    open_file.chmod(0o644)
    link = home.root / "link"
    link.symlink_to(open_file)
    assert "QMEMD_TOKEN is blank" in refused(home, environ={"QMEMD_TOKEN": " "})
    assert "--token is blank" in refused(home, "--token", "")
    assert "open to other users" in refused(home, "--token-file", str(open_file))
    assert "is a link" in refused(home, "--token-file", str(link))
    assert "not a directory" in refused(home, "--workspace", str(home.root / "none"))
    assert "port must be" in refused(home, "--port", "70000")
    assert "auto, offline" in refused(home, "--model", "x")


def test_a_rate_limit_is_a_flag_and_can_be_taken_back(home: Home) -> None:
    with serving(home, "--rate-limit", "--rate-limit-reads", "2") as served:
        assert "rate_limit" in served.call("GET", "/capabilities")[1]["features"]
        statuses = [served.call("GET", "/capabilities")[0] for _ in range(2)]
        assert statuses == [200, 429]
    with serving(home, "--no-rate-limit", environ={"QMEMD_RATE_LIMIT": "1"}) as served:
        assert "rate_limit" not in served.call("GET", "/capabilities")[1]["features"]


def test_a_second_daemon_for_the_workspace_says_who_has_it(home: Home) -> None:
    with serving(home) as served:
        line = refused(home, environ={"QMEMD_TOKEN": "t"})
        assert f"process {served.process.pid}" in line


def test_a_made_token_is_kept_where_only_its_owner_reads_it(home: Home) -> None:
    refused(home, "--port", "70000")
    assert not (home.state / "token").exists()
    process = subprocess.Popen(
        command(home), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=home.environ
    )
    assert process.stdout
    process.stdout.readline()
    process.terminate()
    process.communicate(timeout=10)
    path = home.state / "token"
    assert len(path.read_text().strip()) >= 43
    assert path.stat().st_mode & 0o777 == 0o600


def test_help_and_version(home: Home) -> None:
    for flags, expected in ((["--version"], "qmemd, version"), (["serve", "--help"], "--port")):
        shown = subprocess.run(
            [sys.executable, "-m", "qmemd", *flags],
            capture_output=True,
            text=True,
            env=home.environ,
            check=True,
        )
        assert expected in shown.stdout
