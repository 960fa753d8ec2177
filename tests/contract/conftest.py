"""A real daemon with its real child, and a plain HTTP client."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from qmemd import Daemon, Settings
from tests.contract.described import Description

TOKEN = "contract-token"
MEMORY = "/workspace/memory"
DESCRIPTION = Description()


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    """Names in lower case."""
    raw: bytes

    @property
    def body(self) -> Any:
        assert self.headers["content-type"].startswith("application/json")
        return json.loads(self.raw)

    @property
    def code(self) -> Any:
        assert isinstance(self.body["error"], str)
        assert self.body["error"]
        return self.body["code"]


@dataclass
class Api:
    """One daemon, as a client sees it."""

    daemon: Daemon
    base: Path
    headers: dict[str, str] = field(
        default_factory=lambda: {"Authorization": f"Bearer {TOKEN}"},
    )

    def call(
        self, method: str, path: str, body: Any = None, *, raw: bytes | None = None, **headers: str
    ) -> Answer:
        """Header names are given with underscores; None as a value leaves the header out."""
        sent = dict(self.headers)
        if body is not None:
            raw = json.dumps(body).encode()
        if raw is not None:
            sent["Content-Type"] = "application/json"
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        connection = http.client.HTTPConnection("127.0.0.1", self.daemon.port, timeout=30)
        with contextlib.closing(connection):
            connection.request(method, path, raw, {k: v for k, v in sent.items() if v is not None})
            response = connection.getresponse()
            names = {name.lower(): value for name, value in response.getheaders()}
            answer = Answer(response.status, names, response.read())
        DESCRIPTION.check(method, path, answer.status, answer.headers, answer.raw)
        return answer

    def get(self, path: str, **headers: str) -> Answer:
        return self.call("GET", path, **headers)

    def post(self, path: str, body: Any = None, **headers: str) -> Answer:
        return self.call("POST", path, body, **headers)

    def start(self, kind: str, body: Any = None, **headers: str) -> dict[str, Any]:
        answer = self.post(f"{MEMORY}/{kind}", body, **headers)
        assert answer.status == 202, answer.raw
        started: dict[str, Any] = answer.body
        return started

    def wait(self, kind: str, task_id: str, **headers: str) -> dict[str, Any]:
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            polled: dict[str, Any] = self.get(f"{MEMORY}/{kind}/{task_id}", **headers).body
            if polled["status"] in ("completed", "failed"):
                return polled
        raise AssertionError(f"{task_id} did not end")

    def run(self, kind: str, body: Any = None, **headers: str) -> dict[str, Any]:
        return self.wait(kind, self.start(kind, body, **headers)["taskId"], **headers)

    def client_id(self) -> str:
        opened: dict[str, str] = self.post("/session", {"sessionScope": "thread"}).body
        return opened["clientId"]

    def documents(self) -> dict[str, str]:
        return {
            str(path.relative_to(self.base)): path.read_text()
            for path in sorted(self.base.rglob("*.md"))
            if path.name != "MEMORY.md"
        }


MakeApi = Callable[..., Api]


@contextlib.contextmanager
def serving(root: Path, **given: Any) -> Iterator[Api]:
    workspace = root / "work"
    workspace.mkdir(exist_ok=True)
    environ = {"PATH": os.environ["PATH"], "HOME": str(root / "home"), "LANG": "C.UTF-8"}
    settings = Settings(
        **{
            "workspace": workspace,
            "port": 0,
            "token": TOKEN,
            "base": root / "base",
            "state_dir": root / "state",
            "environ": environ,
        }
        | given
    )
    with Daemon(settings) as daemon:
        yield Api(daemon, root / "base")


@pytest.fixture
def make_api(tmp_path: Path) -> Iterator[MakeApi]:
    """Makes daemons that are stopped at the end of the test."""
    with contextlib.ExitStack() as stack:
        yield lambda **given: stack.enter_context(serving(tmp_path.resolve(), **given))


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    """One daemon for the tests of a module that leave no trace on each other."""
    with serving(tmp_path_factory.mktemp("shared").resolve()) as api:
        yield api
