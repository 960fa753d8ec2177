"""The examples of docs/embedding.md, as they stand there."""

from __future__ import annotations

import contextlib
import http.client
import importlib.util
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

import pytest

from tests.conftest import Home
from tests.http.raw import Connection
from tests.http.sse import StreamClient

TEXT = (Path(__file__).parents[1] / "docs" / "embedding.md").read_text()
BLOCKS: list[str] = re.findall(r"```python\n(.*?)```", TEXT, flags=re.DOTALL)
APP = next(block for block in BLOCKS if "wsgi_app" in block)
CONFIGURATION = next(block for block in BLOCKS if "worker_exit" in block)

pytestmark = pytest.mark.slow


def run(code: str, home: Home) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        cwd=home.workspace,
        env=home.environ,
        capture_output=True,
        text=True,
        timeout=40,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


@pytest.mark.parametrize(
    ("holding", "printed"),
    [
        ("daemon.forget(", r"completed \('.*\.md',\)\ncompleted \['.*Fridays.*'\]\n"),
        ("daemon.subscribe(", r"workspace_memory_remember \['user'\]\n"),
        ("as two", r"\['completed', 'completed'\]\n"),
    ],
)
def test_an_example_prints_what_it_should(home: Home, holding: str, printed: str) -> None:
    (code,) = [block for block in BLOCKS if holding in block]
    assert re.fullmatch(printed, run(code, home))


def test_all_examples_are_run() -> None:
    assert len(BLOCKS) == 5


@pytest.fixture
def port(home: Home) -> Iterator[int]:
    """Gunicorn with the command of the document, on a port that is free."""
    if importlib.util.find_spec("gunicorn") is None:
        pytest.skip("gunicorn is not installed; it is in the extra `test`")
    (home.workspace / "app.py").write_text(APP)
    (command,) = re.findall(r"^gunicorn (.*)$", TEXT, flags=re.MULTILINE)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        number = free.getsockname()[1]
    configuration = CONFIGURATION.replace(":4180", f":{number}")
    (home.workspace / "gunicorn.conf.py").write_text(configuration)
    server = subprocess.Popen(
        [sys.executable, "-m", "gunicorn", *command.split()],
        cwd=home.workspace,
        env=home.environ | {"QMEMD_TOKEN": "s3cret"},
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        for _ in range(2_000):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", number)):
                break
            time.sleep(0.005)
        yield number
    finally:
        server.send_signal(signal.SIGTERM)
        try:
            _, log = server.communicate(timeout=20)
        finally:
            server.kill()
        assert server.returncode == 0, log
        assert "Traceback" not in log, log


def ask(port: int, method: str, path: str, body: Any = None) -> Any:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    with contextlib.closing(connection):
        headers = {"Authorization": "Bearer s3cret"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        connection.request(method, path, json.dumps(body) if body is not None else None, headers)
        response = connection.getresponse()
        assert response.status in (200, 202), response.read()
        return json.loads(response.read())


def test_the_api_works_under_gunicorn(port: int) -> None:
    with Connection(port) as connection:
        connection.send(
            b"GET /workspace/events HTTP/1.1\r\nHost: localhost\r\n"
            b"Authorization: Bearer s3cret\r\n\r\n"
        )
        stream = StreamClient(connection)
        assert stream.head()[0] == 200
        assert stream.block() == "retry: 3000"
        task = ask(port, "POST", "/workspace/memory/remember", {"content": "I prefer tabs"})
        ended = ask(port, "GET", f"/workspace/memory/remember/{task['taskId']}?wait=20")
        assert ended["status"] == "completed"
        kinds = [stream.event()["type"] for _ in range(4)]
        assert kinds == ["task_updated"] * 3 + ["memory_changed"]
    assert ask(port, "GET", "/health") == {"status": "ok"}
