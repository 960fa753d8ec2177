"""The documented reverse proxy: TLS in front, and everything still works behind it."""

from __future__ import annotations

import json
import re
import shutil
import socket
import ssl
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from qmemd import Daemon
from tests.conftest import Home

NGINX, OPENSSL = shutil.which("nginx"), shutil.which("openssl")
DOCUMENT = Path(__file__).parents[2] / "docs" / "proxy.md"
WATCHING = """
from qmemd.client import Client, WorkspaceMemoryChanged, normalize_event
client = Client({url!r}, "test-token")
with client.events() as events:
    task = client.remember("The proxy speaks TLS")
    items = (item for event in events for item in normalize_event(event))
    print(next(item for item in items if isinstance(item, WorkspaceMemoryChanged)).task_id)
    print(task.wait(timeout=20).task_id)
"""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(NGINX is None or OPENSSL is None, reason="needs nginx and openssl"),
]


@dataclass
class Proxy:
    port: int
    certificate: Path

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        request = urllib.request.Request(
            f"https://localhost:{self.port}{path}",
            None if body is None else json.dumps(body).encode(),
            {"Authorization": "Bearer test-token", "Content-Type": "application/json"} | headers,
            method=method,
        )
        context = ssl.create_default_context(cafile=str(self.certificate))
        with urllib.request.urlopen(request, timeout=20, context=context) as response:  # noqa: S310
            return response.status, response.headers, json.loads(response.read())


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        port: int = found.getsockname()[1]
        return port


def configuration(folder: Path, port: int, upstream: int) -> str:
    """What the document shows, with this test's places in it."""
    (server,) = re.findall(r"```nginx\n(.*?)```", DOCUMENT.read_text(), flags=re.DOTALL)
    for shown, put in {
        "listen 443 ssl": f"listen 127.0.0.1:{port} ssl",
        "/etc/qmemd": str(folder),
        "http://127.0.0.1:4170": f"http://127.0.0.1:{upstream}",
    }.items():
        assert shown in server
        server = server.replace(shown, put)
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    places = "\n".join(f"{kind}_temp_path {folder}/{kind};" for kind in kinds)
    return (
        f"pid {folder}/pid;\ndaemon off;\nworker_processes 1;\nerror_log stderr;\n"
        f"events {{}}\nhttp {{\naccess_log off;\n{places}\n{server}}}\n"
    )


@pytest.fixture
def proxy(home: Home, tmp_path: Path) -> Iterator[Proxy]:
    assert NGINX
    assert OPENSSL
    folder = tmp_path.resolve() / "nginx"
    folder.mkdir()
    subprocess.run(
        [
            *(OPENSSL, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1"),
            *("-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"),
            *("-keyout", str(folder / "key.pem"), "-out", str(folder / "cert.pem")),
        ],
        check=True,
        capture_output=True,
    )
    port = free_port()
    settings = home.settings(allow_origins=["https://memory.example"])
    with Daemon(settings) as daemon:
        (folder / "conf").write_text(configuration(folder, port, daemon.port))
        server = subprocess.Popen([NGINX, "-p", str(folder), "-c", str(folder / "conf")])
        try:
            wait_for(port, server)
            yield Proxy(port, folder / "cert.pem")
        finally:
            server.terminate()
            server.wait(10)


def wait_for(port: int, server: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        assert server.poll() is None, "nginx did not start"
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.02)
    raise AssertionError("nginx does not listen")


def test_tasks_and_polls_that_wait(proxy: Proxy) -> None:
    path = "/workspace/memory/remember"
    status, _, task = proxy.call("POST", path, {"content": "The proxy speaks TLS"})
    assert status == 202
    _, _, task = proxy.call("GET", f"{path}/{task['taskId']}?wait=20")
    assert task["status"] == "completed"


def test_a_page_of_the_proxys_name_is_let_in(proxy: Proxy) -> None:
    origin = "https://memory.example"
    _, headers, _ = proxy.call("GET", "/capabilities", Origin=origin)
    assert headers["Access-Control-Allow-Origin"] == origin


def test_the_python_client_and_its_events(proxy: Proxy, home: Home) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WATCHING.format(url=f"https://localhost:{proxy.port}")],
        env=home.environ | {"SSL_CERT_FILE": str(proxy.certificate)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    changed, ended = done.stdout.split()
    assert changed == ended
