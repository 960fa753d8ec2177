"""Remember, look, search: what people type most."""

from __future__ import annotations

import json

import pytest

from qmemd import Daemon
from qmemd.cli.exits import Exit
from tests.cli.conftest import Run
from tests.conftest import Home

pytestmark = pytest.mark.usefixtures("daemon")


def test_a_fact_is_remembered_listed_found_and_shown(run: Run) -> None:
    done = run("remember", "The user prefers tabs over spaces")
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout == "Remembered in user memory: user/prefers-tabs-over-spaces.md.\n"
    line = "user:user/prefers-tabs-over-spaces.md  The user prefers tabs over spaces\n"
    assert run("list").stdout == line
    assert run("search", "spaces", "tabs").stdout == line
    assert run("search", "rockets").stdout == "Nothing.\n"
    name = line.split(maxsplit=1)[0]
    shown = run("show", name).stdout
    assert shown.endswith("\n---\n\nThe user prefers tabs over spaces\n")
    (entry,) = json.loads(run("list", "--json").stdout)
    assert run("show", entry["id"]).stdout == shown
    assert shown.splitlines()[0] == entry["path"]


def test_json_is_all_that_is_printed(run: Run, home: Home) -> None:
    done = json.loads(
        run("remember", "We deploy on Fridays", "--scope", "project", "--json").stdout
    )
    assert done["touchedScopes"] == ["project"]
    assert done["taskId"].startswith("remember-")
    (entry,) = json.loads(run("search", "deploy", "--json").stdout)
    assert json.loads(run("show", entry["id"], "--json").stdout)["text"] == "We deploy on Fridays"
    assert json.loads(run("search", "rockets", "--json").stdout) == []
    assert json.loads(run("tasks", "--json").stdout)[0]["taskId"] == done["taskId"]
    assert str(home.workspace) == json.loads(run("status", "--json").stdout)["workspaceCwd"]


def test_lists_can_be_narrowed(run: Run) -> None:
    run("remember", "The user prefers dark mode")
    run("remember", "We deploy on Fridays", "--scope", "project")
    assert run("list", "--scope", "project").stdout.count("\n") == 1
    assert "dark mode" in run("list", "--type", "user").stdout
    assert run("search", "mode", "deploy", "--limit", "1").stdout.count("\n") == 1


def test_standard_input_can_be_the_fact(run: Run) -> None:
    assert run("remember", "-", given="Builds run on two cores\n").exit_code == 0
    assert "Builds run on two cores" in run("list").stdout
    for wrong in (b"not \xff UTF-8", b"x" * 70_000):
        refused = run("remember", "-", given=wrong)
        assert (refused.exit_code, refused.stdout) == (Exit.USAGE, "")
        assert "standard input" in refused.stderr


@pytest.mark.parametrize("text", ["", "  ", "half a \udce9 pair"])
def test_what_is_no_fact_is_refused(run: Run, text: str) -> None:
    refused = run("remember", text)
    assert (refused.exit_code, refused.stdout) == (Exit.REFUSED, "")
    assert refused.stderr.endswith("(invalid_content)\n")
    assert json.loads(run("remember", text, "--json").stdout)["code"] == "invalid_content"


def test_a_task_that_fails_says_why(run: Run) -> None:
    failed = run("remember", "The key is AKIAIOSFODNN7EXAMPLE")
    assert (failed.exit_code, failed.stdout) == (Exit.FAILED, "")
    assert "(secret_detected)" in failed.stderr
    assert "AKIA" not in failed.stderr
    told = json.loads(run("remember", "The key is AKIAIOSFODNN7EXAMPLE", "--json").stdout)
    assert told["error"]["code"] == "secret_detected"


@pytest.mark.parametrize("name", ["user:user/none.md", "bm9uZQ", "a/b", "user:\udce9"])
def test_what_is_not_there_cannot_be_shown(run: Run, name: str) -> None:
    missing = run("show", name)
    assert (missing.exit_code, missing.stdout) == (Exit.REFUSED, "")
    assert "not_found)" in missing.stderr


def test_a_text_cannot_command_the_terminal(run: Run, daemon: Daemon) -> None:
    run("remember", "The user likes \x1b]0;owned\x07 titles")
    for command in (["list"], ["history"], ["search", "titles"]):
        shown = run(*command).stdout
        assert "\x1b" not in shown
        assert "\x07" not in shown
    (entry,) = daemon.entries()["entries"]
    assert "\x1b" not in run("show", entry["id"]).stdout
