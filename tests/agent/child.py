"""The far end of the pipe, for tests with a real process."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

REMEMBER = "qwen/control/workspace/memory/remember"
FORGET = "qwen/control/workspace/memory/forget"
DREAM = "qwen/control/workspace/memory/dream"
AVAILABILITY = "qwen/control/workspace/memory/remember/availability"


class Child:
    """Starts the agent and talks to it line by line."""

    def __init__(self, argv: list[str], environ: dict[str, str], cwd: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, *argv],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environ,
            cwd=cwd,
        )
        self.stderr = b""
        self._drain = threading.Thread(target=self._read_stderr)
        self._drain.start()
        self._ids = 0
        self.begun: list[Any] = []

    def send_raw(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, method: str, params: Any = None, *, call: bool = True) -> int:
        message: dict[str, Any] = {"jsonrpc": "2.0", "method": method}
        if params is not None:
            message["params"] = params
        self._ids += call
        if call:
            message["id"] = self._ids
        self.send_raw(json.dumps(message, ensure_ascii=False).encode() + b"\n")
        return self._ids

    def receive(self) -> dict[str, Any]:
        """The next answer; which calls the child has begun is noted in ``begun``."""
        while (found := self._next()).get("method") == "qmemd/task/begun":
            self.begun.append(found["params"]["requestId"])
        return found

    def _next(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, self.stderr.decode()
        found: dict[str, Any] = json.loads(line)
        assert found["jsonrpc"] == "2.0"
        return found

    def call(self, method: str, params: Any = None) -> dict[str, Any]:
        """The response to a call; it has to be the next thing that comes."""
        call_id = self.send(method, params)
        answer = self.receive()
        assert answer["id"] == call_id
        return answer

    def result(self, method: str, params: Any = None) -> Any:
        answer = self.call(method, params)
        assert "result" in answer, answer
        return answer["result"]

    def end_of_input(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()

    def wait(self, timeout: float = 10.0) -> int:
        code = self.process.wait(timeout)
        self._drain.join(timeout)
        return code

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.wait()
        for stream in (self.process.stdin, self.process.stdout):
            assert stream is not None
            stream.close()

    def _read_stderr(self) -> None:
        assert self.process.stderr is not None
        with self.process.stderr:
            for line in self.process.stderr:
                self.stderr += line
