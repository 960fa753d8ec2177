"""What the doctor finds, and what it says to do."""

from __future__ import annotations

import json
import shlex
from typing import Any

import pytest

from qmemd import Daemon
from qmemd.cli.exits import Exit
from tests.cli.conftest import Run
from tests.conftest import Home
from tests.fakes import child_command


def findings(run: Run, env: dict[str, str] | None = None) -> tuple[int, dict[str, Any]]:
    done = run("doctor", "--json", env=env)
    return done.exit_code, {one["what"]: one for one in json.loads(done.stdout)}


def test_all_is_well_before_the_first_start(run: Run, home: Home) -> None:
    code, found = findings(run)
    assert code == Exit.DONE, found
    assert list(found) == [
        *("settings", "memory directory", "state directory", "token", "model", "daemon", "agent")
    ]
    assert "qmemd-agent" in found["agent"]["says"]
    # It looks, and leaves nothing.
    assert not home.state.exists()
    assert not home.base.exists()


def test_all_is_well_with_a_daemon(run: Run, daemon: Daemon) -> None:
    code, found = findings(run)
    assert (code, found["daemon"]["says"]) == (Exit.DONE, daemon.url)
    assert run("doctor").stdout.count("ok  ") == len(found)


@pytest.mark.parametrize(
    ("variable", "value", "what", "mend"),
    [
        ("QMEMD_PORT", "soon", "settings", "QMEMD_PORT"),
        ("QMEMD_STATE_DIR", "/dev/null/x", "state directory", "QMEMD_STATE_DIR"),
        ("QWEN_CODE_MEMORY_BASE_DIR", "/dev/null/x", "memory directory", "BASE_DIR"),
        ("QMEMD_AGENT_COMMAND", "python3 -c 'raise SystemExit(3)'", "agent", "--agent-command"),
    ],
)
def test_what_is_wrong_is_named_with_what_to_do(
    run: Run, variable: str, value: str, what: str, mend: str
) -> None:
    code, found = findings(run, {variable: value})
    assert code == Exit.FAILED
    assert not found[what]["ok"]
    assert mend in found[what]["says"] + found[what]["mend"]
    assert "FAIL" in run("doctor", env={variable: value}).stdout


def test_a_token_that_others_can_read(run: Run, home: Home) -> None:
    home.state.mkdir()
    (home.state / "token").write_text("x" * 40)
    (home.state / "token").chmod(0o644)
    code, found = findings(run)
    assert code == Exit.FAILED
    assert "chmod 600" in found["token"]["mend"]
    assert "x" * 40 not in str(found)


def test_a_model_that_is_not_reached(run: Run) -> None:
    env = {"OPENAI_MODEL": "small", "OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}
    code, found = findings(run, env)
    assert code == Exit.FAILED
    assert found["model"]["says"].startswith("127.0.0.1:9 is not reached")


def test_an_agent_that_refuses(run: Run) -> None:
    refuses = child_command(on={"initialize": [["error", {"code": -1, "message": "no key"}]]})
    code, found = findings(run, {"QMEMD_AGENT_COMMAND": shlex.join(refuses)})
    assert (code, found["agent"]["says"]) == (Exit.FAILED, "no key")
