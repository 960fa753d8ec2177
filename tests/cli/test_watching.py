"""Status and events."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Callable

from qmemd import Daemon
from qmemd.cli.exits import Exit
from tests.cli.conftest import Run, Terminal


def test_status_says_how_the_daemon_is(daemon: Daemon, run: Run) -> None:
    run("remember", "The key is AKIAIOSFODNN7EXAMPLE")
    shown = run("status").stdout
    assert shown.startswith(daemon.url)
    assert "tasks: 0 queued, 0 running, 0 completed, 1 failed" in shown
    assert "failed: remember secret_detected at 20" in shown
    assert json.loads(run("status", "--json").stdout)["url"] == daemon.url


def test_events_come_as_they_happen(
    daemon: Daemon, terminal: Callable[..., Terminal], run: Run
) -> None:
    watching = terminal("events", "--json")
    for _ in range(1000):
        if daemon.status()["streams"]["open"]:
            break
        time.sleep(0.01)
    run("remember", "Builds run on two cores")
    watching.until('"memory_changed"')
    watching.process.send_signal(signal.SIGINT)
    assert watching.end()[0] == Exit.INTERRUPTED
    for line in watching.shown.replace("^C", "").splitlines():
        assert json.loads(line).keys() == {"type", "data"}
