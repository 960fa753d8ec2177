"""Measures a real daemon with its real child, and prints figures.

Run it with the environment of the checkout: .venv/bin/python scripts/measure.py [ROUNDS].
Nothing is asserted: machines differ; compare the figures of one run.
"""

from __future__ import annotations

import http.client
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import psutil

TOKEN = "measure"  # noqa: S105 — of a daemon that lives for seconds
MEMORY = "/workspace/memory"


class Client:
    """One kept-alive connection."""

    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        self._headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}

    def call(self, method: str, path: str, body: Any = None) -> Any:
        data = None if body is None else json.dumps(body)
        self._connection.request(method, path, data, self._headers)
        return json.loads(self._connection.getresponse().read())

    def run(self, kind: str, body: Any) -> float:
        """Milliseconds from the POST to a poll that shows the end."""
        began = time.perf_counter()
        task = self.call("POST", f"{MEMORY}/{kind}", body)
        while True:
            polled = self.call("GET", f"{MEMORY}/{kind}/{task['taskId']}")
            if polled["status"] in ("completed", "failed"):
                break
        assert polled["status"] == "completed", polled  # noqa: S101
        return (time.perf_counter() - began) * 1000


def show(name: str, values: list[float], unit: str = "ms") -> None:
    values = sorted(values)
    p95 = values[int(0.95 * (len(values) - 1))]
    print(f"{name:<44} median {statistics.median(values):8.2f}  p95 {p95:8.2f} {unit}")


def start(root: Path) -> tuple[subprocess.Popen[str], int, float]:
    environ = os.environ | {
        "QWEN_CODE_MEMORY_BASE_DIR": str(root / "base"),
        "QMEMD_STATE_DIR": str(root / "state"),
        "QMEMD_TOKEN": TOKEN,
    }
    (root / "work").mkdir(exist_ok=True)
    began = time.perf_counter()
    daemon = subprocess.Popen(
        [sys.executable, "-m", "qmemd", "serve", "--workspace", str(root / "work"), "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=environ,
    )
    assert daemon.stdout  # noqa: S101
    line = daemon.stdout.readline()
    return daemon, int(line.split(":")[2].split()[0]), (time.perf_counter() - began) * 1000


def stop(daemon: subprocess.Popen[str]) -> float:
    began = time.perf_counter()
    daemon.send_signal(signal.SIGTERM)
    daemon.wait(10)
    if daemon.stdout:
        daemon.stdout.close()
    return (time.perf_counter() - began) * 1000


def polls(port: int, path: str, connections: int, seconds: float) -> None:
    counts: list[float] = []
    deadline = time.perf_counter() + seconds

    def work() -> None:
        client = Client(port)
        while time.perf_counter() < deadline:
            began = time.perf_counter()
            client.call("GET", path)
            counts.append((time.perf_counter() - began) * 1000)

    threads = [threading.Thread(target=work) for _ in range(connections)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    show(f"poll, {connections} connections (clients in Python)", counts)
    print(f"{'':<44} {len(counts) / seconds:8.0f} requests/s")


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        listening, ready, stopping = [], [], []
        for number in range(7):
            home = root / f"start{number}"
            home.mkdir()
            daemon, port, took = start(home)
            listening.append(took)
            began = time.perf_counter()
            Client(port).run("dream", {})
            ready.append(took + (time.perf_counter() - began) * 1000)
            stopping.append(stop(daemon))
        show("start to listening", listening)
        show("start to the end of a first dream", ready)
        show("SIGTERM to exit", stopping)
        daemon, port, _ = start(root)
        client = Client(port)
        client.run("dream", {})
        show(
            "remember, POST to completed",
            [
                client.run("remember", {"content": f"The user likes tea number {n}"})
                for n in range(rounds)
            ],
        )
        show(
            "remember what is there already",
            [
                client.run("remember", {"content": "The user likes tea number 0"})
                for _ in range(rounds)
            ],
        )
        show("dream without a change", [client.run("dream", {}) for _ in range(rounds)])
        show(
            "forget, one entry",
            [client.run("forget", {"query": f"tea number {n}"}) for n in range(min(rounds, 20))],
        )
        task = client.call("POST", f"{MEMORY}/dream", {})
        path = f"{MEMORY}/dream/{task['taskId']}"
        polls(port, path, 1, 2)
        polls(port, path, 16, 3)
        tree = [psutil.Process(daemon.pid), *psutil.Process(daemon.pid).children(recursive=True)]
        for process in tree:
            memory = process.memory_full_info()
            rss, uss = memory.rss / 2**20, memory.uss / 2**20
            print(f"{f'memory of {process.pid}':<44} rss {rss:6.1f}  uss {uss:6.1f} MiB")
        stop(daemon)


if __name__ == "__main__":
    main()
