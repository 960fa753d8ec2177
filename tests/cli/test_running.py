"""A task in the foreground: what is shown of it, and what Ctrl-C does."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable, Iterator

import pytest

from qmemd import Daemon
from qmemd.cli.exits import Exit
from tests.cli.conftest import Run, Terminal
from tests.conftest import Home
from tests.fakes import child_command

Start = Callable[..., Terminal]


@pytest.fixture
def slow(home: Home) -> Iterator[Daemon]:
    """A daemon whose agent answers no remember, until it is cancelled."""
    command = child_command(
        on={"remember": ["until_cancelled", ["error", {"code": -32800, "message": "cancelled"}]]}
    )
    with Daemon(home.settings(agent_command=command)) as daemon:
        yield daemon


@pytest.mark.usefixtures("slow")
def test_ctrl_c_cancels_the_task(terminal: Start, run: Run) -> None:
    running = terminal("remember", "Builds run on two cores")
    running.until("remember running")
    running.process.send_signal(signal.SIGINT)
    code, shown = running.end()
    assert code == Exit.INTERRUPTED, shown
    assert "failed (task_cancelled)" in shown
    (task,) = json.loads(run("tasks", "--json").stdout)
    assert task["error"]["code"] == "task_cancelled"


@pytest.mark.usefixtures("slow")
def test_another_command_can_cancel_it(terminal: Start, run: Run) -> None:
    running = terminal("remember", "Builds run on two cores")
    running.until("remember running")
    (task,) = json.loads(run("tasks", "--json").stdout)
    assert run("cancel", task["taskId"]).exit_code == Exit.DONE
    code, shown = running.end()
    assert code == Exit.FAILED
    assert "(task_cancelled)" in shown
    assert "(task_cancelled)" in run("tasks").stdout
    assert "(task_finished)" in run("cancel", task["taskId"]).stderr


@pytest.mark.usefixtures("daemon")
@pytest.mark.parametrize("task_id", ["dream-1", "nothing", "", "a/b-c"])
def test_what_is_no_task_cannot_be_cancelled(run: Run, task_id: str) -> None:
    assert run("cancel", task_id).exit_code == Exit.REFUSED
