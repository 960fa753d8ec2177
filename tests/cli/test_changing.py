"""Forget, dream, history, undo and redo; who is asked and who cannot be."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from qmemd.cli.exits import Exit
from tests.cli.conftest import Run, Terminal
from tests.conftest import Home, bytes_below

pytestmark = pytest.mark.usefixtures("daemon")

Start = Callable[..., Terminal]


def test_forget_shows_asks_and_can_be_undone(run: Run, terminal: Start, home: Home) -> None:
    run("remember", "The user prefers dark mode")
    before = home.documents()
    asked = terminal("forget", "dark mode")
    asked.until("Forget this? [y/N]: ")
    assert "The user prefers dark mode" in asked.shown
    assert home.documents() == before
    asked.type("y\n")
    code, shown = asked.end()
    assert code == Exit.DONE, shown
    assert home.documents() == {}
    assert run("undo", "--yes").exit_code == Exit.DONE
    assert home.documents() == before
    assert run("redo", "--yes").exit_code == Exit.DONE
    assert home.documents() == {}


def test_who_says_no_has_changed_nothing(run: Run, terminal: Start, home: Home) -> None:
    run("remember", "The user prefers dark mode")
    asked = terminal("forget", "dark mode")
    asked.until("[y/N]: ")
    asked.type("\n")
    assert asked.end()[0] == Exit.DECLINED
    assert home.documents() != {}
    states = [one["state"] for one in json.loads(run("history", "--json").stdout)]
    assert states == ["discarded", "applied"]


def test_who_presses_ctrl_c_at_the_question_has_changed_nothing(
    run: Run, terminal: Start, home: Home
) -> None:
    run("remember", "The user prefers dark mode")
    asked = terminal("forget", "dark mode", "--erase")
    asked.until("[y/N]: ")
    asked.process.send_signal(2)
    assert asked.end()[0] == Exit.INTERRUPTED
    assert home.documents() != {}


def test_erase_leaves_no_history(run: Run, terminal: Start, home: Home) -> None:
    run("remember", "The user prefers dark mode")
    asked = terminal("forget", "dark mode", "--erase")
    asked.until("[y/N]: ")
    asked.type("y\n")
    assert asked.end()[0] == Exit.DONE
    assert home.documents() == {}
    assert "dark" not in run("history").stdout
    run("remember", "The user prefers light mode")
    assert run("forget", "light mode", "--erase", "--yes").exit_code == Exit.DONE
    assert b"light mode" not in b"".join(bytes_below(home.root).values())


@pytest.mark.parametrize("argv", [["forget", "mode"], ["dream"], ["undo"], ["redo"]])
def test_nobody_is_asked_in_a_pipe(run: Run, home: Home, argv: list[str]) -> None:
    run("remember", "The user prefers dark mode")
    before = home.documents()
    for flags in ([], ["--json"]):
        refused = run(*argv, *flags, given="y\n")
        assert (refused.exit_code, refused.stdout) == (Exit.USAGE, "")
        assert "--yes" in refused.stderr
    assert home.documents() == before
    assert len(json.loads(run("tasks", "--json").stdout)) == 1


def test_a_dry_run_changes_nothing(run: Run, home: Home) -> None:
    run("remember", "The user prefers dark mode")
    before = home.documents()
    shown = run("forget", "dark mode", "--dry-run")
    assert shown.exit_code == Exit.DONE
    assert shown.stdout == "Would forget 1 entry.\n  user: The user prefers dark mode\n"
    assert json.loads(run("forget", "dark", "--dry-run", "--json", "--yes").stdout)[
        "removedEntries"
    ]
    assert home.documents() == before
    assert "Nothing" in run("forget", "rockets", "--dry-run").stdout


def test_dream_shows_its_diff(run: Run, terminal: Start, home: Home) -> None:
    run("remember", "The user prefers dark mode")
    twice = home.memories / "user" / "again.md"
    (original,) = (home.memories / "user").glob("*.md")
    twice.write_text(original.read_text())
    shown = run("dream", "--dry-run")
    assert shown.exit_code == Exit.DONE
    assert "-The user prefers dark mode" in shown.stdout
    assert json.loads(run("dream", "--dry-run", "--json").stdout)["files"][0]["diff"]
    assert len(home.documents()) == 2
    asked = terminal("dream")
    asked.until("Do this? [y/N]: ")
    assert "\x1b[31m-The user prefers dark mode" in asked.shown
    asked.type("y\n")
    assert asked.end()[0] == Exit.DONE
    assert len(home.documents()) == 1
    assert run("dream", "--yes").stdout.startswith("Nothing to merge")


def test_history_shows_a_change_with_its_diff(run: Run) -> None:
    assert run("history").stdout == "Nothing.\n"
    run("remember", "The user prefers dark mode")
    (line,) = run("history").stdout.splitlines()
    shown = run("history", line.split()[0]).stdout.splitlines()
    assert shown[0] == line
    assert "+The user prefers dark mode" in shown


def test_undo_goes_back_step_by_step_and_redo_forward(run: Run, home: Home) -> None:
    states = [home.documents()]
    for fact in ("Builds run on two cores", "Tests run on Debian"):
        run("remember", fact)
        states.append(home.documents())
    for expected in (states[1], states[0]):
        assert run("undo", "--yes").exit_code == Exit.DONE
        assert home.documents() == expected
    assert run("undo", "--yes").stdout == "There is nothing to do.\n"
    assert run("redo", "--yes").exit_code == Exit.DONE
    assert home.documents() == states[1]
    run("remember", "Lunch is at noon")
    # Something was done since: what was undone before must be named.
    assert run("redo", "--yes").stdout == "There is nothing to do.\n"


def test_a_change_that_is_not_there_cannot_be_undone(run: Run) -> None:
    missing = run("undo", "00000000-0000-4000-8000-000000000000", "--yes")
    assert missing.exit_code == Exit.REFUSED
    assert "(change_not_found)" in missing.stderr
