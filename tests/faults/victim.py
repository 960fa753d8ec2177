"""A daemon in a process of its own, which tests may kill."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import psutil

from qmemd.memory.documents import parse

TOKEN = "victim"
MEMORY = "/workspace/memory"
MAX_INDEXED = 150
"""Documents that an index surely has room for."""


class Victim:
    """One home; its daemon may be started and ended again and again."""

    def __init__(self, root: Path, **environ: str) -> None:
        self.root = root
        self.workspace = root / "work"
        self.workspace.mkdir()
        self.base = root / "base"
        self.state = root / "state"
        self.environ = {
            "PATH": os.environ["PATH"],
            "HOME": str(root / "home"),
            "LANG": "C.UTF-8",
            "QMEMD_TOKEN": TOKEN,
            "QMEMD_STATE_DIR": str(self.state),
            "QWEN_CODE_MEMORY_BASE_DIR": str(self.base),
        } | environ
        self.seen: set[int] = set()
        """Processes that were ours."""
        self.process: subprocess.Popen[str] | None = None
        self.port = 0
        self.prefix: tuple[str, ...] = ()
        """A command that starts it."""

    def start(self) -> None:
        with (self.root / "log").open("a") as log:
            self.process = subprocess.Popen(
                [*self.prefix, sys.executable, "-m", "qmemd", "serve", "--port", "0"],
                cwd=self.workspace,
                env=self.environ,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        assert self.process.stdout
        line = self.process.stdout.readline()
        assert "listening" in line, self.log
        self.port = int(line.split("127.0.0.1:")[1].split()[0])
        self.note()

    @property
    def log(self) -> str:
        return (self.root / "log").read_text()

    def note(self) -> list[psutil.Process]:
        """The child processes now; remembers all of ours."""
        assert self.process
        with contextlib.suppress(psutil.NoSuchProcess):
            children = psutil.Process(self.process.pid).children(recursive=True)
            self.seen |= {self.process.pid, *(child.pid for child in children)}
            return children
        return []

    def kill(self, who: str) -> None:
        """Kills without a warning: the ``daemon``, its ``child``, or ``both``."""
        assert self.process
        children = self.note()
        if who in ("child", "both"):
            for child in children:
                with contextlib.suppress(psutil.NoSuchProcess):
                    child.kill()
        if who in ("daemon", "both"):
            self.process.kill()
            self.end()

    def stop(self, number: int = signal.SIGTERM) -> int:
        assert self.process
        self.note()
        self.process.send_signal(number)
        return self.end()

    def end(self) -> int:
        assert self.process
        code = self.process.wait(20)
        assert self.process.stdout
        self.process.stdout.close()
        self.process = None
        return code

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        with contextlib.closing(connection):
            sent = {"Authorization": f"Bearer {TOKEN}"}
            sent |= {name.replace("_", "-"): value for name, value in headers.items()}
            data = None
            if body is not None:
                data, sent["Content-Type"] = json.dumps(body), "application/json"
            connection.request(method, path, data, sent)
            response = connection.getresponse()
            return response.status, json.loads(response.read() or b"null")

    def post(self, kind: str, body: Any) -> str | None:
        """The id of the accepted task; None when the daemon died first, or is full."""
        with contextlib.suppress(OSError, http.client.HTTPException, ValueError):
            status, answer = self.call("POST", f"{MEMORY}/{kind}", body)
            if status == 202:
                task_id: str = answer["taskId"]
                return task_id
        return None

    def ended(self, task_id: str) -> dict[str, Any]:
        """The task once it is terminal."""
        kind = task_id.partition("-")[0]
        deadline = time.monotonic() + 40
        while time.monotonic() < deadline:
            status, task = self.call("GET", f"{MEMORY}/{kind}/{task_id}?wait=20")
            assert status == 200, (task_id, task)
            found: dict[str, Any] = task
            if found["status"] in ("completed", "failed"):
                return found
        raise AssertionError(f"{task_id} has no end; the log: {self.log}")

    def documents(self) -> dict[Path, str]:
        return {
            path: path.read_text() for path in self.base.rglob("*.md") if path.name != "MEMORY.md"
        }

    def check_files(self) -> None:
        """No half-written document, the index equal to the files, nothing left over."""
        documents = self.documents()
        for path in documents:
            assert parse(path.read_bytes()).has_head, path
        for index in self.base.rglob("MEMORY.md"):
            inside = [path for path in documents if path.is_relative_to(index.parent)]
            names = [path.relative_to(index.parent).as_posix() for path in inside]
            lines = [unquote(line) for line in index.read_text().split("\n") if line.strip()]
            if len(names) <= MAX_INDEXED:  # a longer index is cut, and says so
                assert len(lines) == len(names), index
                assert all(any(name in line for line in lines) for name in names), index
        files = [path for path in self.base.rglob("*") if path.is_file()]
        assert not [path for path in files if path.suffix == ".tmp"], files
        assert not list((self.base / "qmemd" / "history" / "open").glob("*"))

    def check_processes(self) -> None:
        """Nothing of ours runs any more."""
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            alive = [pid for pid in self.seen if _runs(pid)]
            if not alive:
                return
            time.sleep(0.01)
        raise AssertionError(f"still running: {alive}")


def _runs(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
