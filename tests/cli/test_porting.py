"""``qmemd export`` and ``import`` as processes of their own, beside a daemon."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from qmemd import Daemon
from qmemd.cli.exits import Exit
from tests.cli.conftest import Run, Terminal
from tests.conftest import Home
from tests.fakes import child_command

Start = Callable[..., Terminal]
TOKEN = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"


def qmemd(
    home: Home, *argv: str, given: str = "", code: Exit = Exit.DONE
) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-m", "qmemd", *argv],
        cwd=home.workspace,
        env=home.environ,
        input=given,
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )
    assert done.returncode == code, (done.stdout, done.stderr)
    return done


def told(home: Home, source: str, *options: str, code: Exit = Exit.DONE) -> dict[str, Any]:
    wire: dict[str, Any] = json.loads(
        qmemd(home, "import", source, "--json", *options, code=code).stdout
    )
    return wire


def put(home: Home, relative: str, text: str) -> Path:
    path = home.memories / relative
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def memory(home: Home) -> dict[str, tuple[bytes, int]]:
    return {
        str(path.relative_to(home.base)): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in home.base.rglob("*.md")
        if path.name != "MEMORY.md"
    }


def wipe(home: Home) -> None:
    shutil.rmtree(home.memories)
    for project in (home.base / "projects").glob("*/memory"):
        shutil.rmtree(project)


@pytest.mark.slow
@pytest.mark.usefixtures("daemon")
def test_a_round_trip_beside_a_daemon(home: Home, run: Run) -> None:
    run("remember", "The user prefers dark mode")
    run("remember", "We deploy on Fridays at noon")
    put(home, "pinned/keep.md", "Kept by hand\r\n")
    before = memory(home)
    assert len(before) == 3
    assert qmemd(home, "export", "memory.jsonl").stdout == "3 documents exported\n"
    wipe(home)
    assert run("list").stdout == "Nothing.\n"

    first = told(home, "memory.jsonl")
    assert first["counts"] == {"added": 3, "alreadyThere": 0, "conflicts": 0, "skipped": 0}
    assert memory(home) == before
    assert run("list").stdout.count("\n") == 3
    assert json.loads(run("history", "--json").stdout)[0]["changeSetId"] == first["changeSets"][0]

    again = qmemd(home, "import", "memory.jsonl").stdout
    assert "nothing is new: the memory was not changed" in again
    assert memory(home) == before
    run("undo", "--yes")
    assert memory(home) == {}
    run("redo", "--yes")
    assert {path: text for path, (text, _) in memory(home).items()} == {
        path: text for path, (text, _) in before.items()
    }


@pytest.mark.slow
@pytest.mark.usefixtures("daemon")
def test_facts_are_tasks_of_the_daemon(home: Home, run: Run) -> None:
    facts = [f"The service {number} listens on a port of its own" for number in range(20)]
    (home.workspace / "facts.txt").write_text("\n".join([*facts, f"- Our key is {TOKEN}"]))
    report = told(home, "facts.txt", code=Exit.FAILED)
    assert report["counts"] == {"added": 20, "alreadyThere": 0, "conflicts": 0, "skipped": 1}
    assert TOKEN not in json.dumps(report)
    assert len(json.loads(run("list", "--json").stdout)) == 20
    assert told(home, "facts.txt", code=Exit.FAILED)["counts"]["alreadyThere"] == 20

    (home.workspace / "AGENTS.md").write_text("# App\n\n## Never\n\n- commit to main\n")
    assert "Never: commit to main" in qmemd(home, "import", "AGENTS.md").stdout
    assert qmemd(home, "import", "-", given="From a pipe\n").stdout.startswith("added ")


def test_documents_need_no_daemon_and_a_dry_run_writes_nothing(home: Home) -> None:
    notes = home.root / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("---\ntype: user\n---\n\nA\n")
    assert "would add      user:a.md" in qmemd(home, "import", str(notes), "--dry-run").stdout
    assert not home.base.exists()
    assert told(home, str(notes), "--no-start")["counts"]["added"] == 1
    assert not (home.state / "daemons").exists()


def test_facts_without_a_daemon_are_told(home: Home) -> None:
    (home.workspace / "facts.txt").write_text("one\ntwo\n")
    report = told(home, "facts.txt", "--no-start", code=Exit.NO_DAEMON)
    assert [one["reason"][:9] for one in report["skipped"]] == ["no daemon", "no daemon"]


def test_what_is_there_is_kept(home: Home) -> None:
    put(home, "a.md", "Mine")
    qmemd(home, "export", "memory.jsonl")
    put(home, "a.md", "Mine, changed")
    shown = qmemd(home, "import", "memory.jsonl", code=Exit.FAILED).stdout
    assert "conflict       user:a.md: Another text is there; it was kept." in shown
    assert (home.memories / "a.md").read_text() == "Mine, changed"
    assert "--force" in qmemd(home, "export", "memory.jsonl", code=Exit.REFUSED).stderr
    qmemd(home, "export", "memory.jsonl", "--force")
    assert told(home, "memory.jsonl")["counts"]["alreadyThere"] == 1


def test_an_export_goes_to_a_pipe_and_says_what_it_left_out(home: Home) -> None:
    put(home, "a.md", "A")
    (home.memories / "b.md").write_bytes(b"\xff")
    done = qmemd(home, "export", "-", code=Exit.FAILED)
    assert [json.loads(line).get("path") for line in done.stdout.splitlines()] == [
        *(None, "a.md", None)
    ]
    assert done.stderr.splitlines() == [
        "left out of the user memory: b.md: The document cannot be read: it is not UTF-8.",
        "1 document exported",
    ]
    read_back = qmemd(home, "import", "-", "--dry-run", given=done.stdout)
    assert "1 already there" in read_back.stdout


@pytest.mark.parametrize("source", ["none", "/dev/null", "archive.zip"])
def test_what_cannot_be_read_is_refused(home: Home, source: str) -> None:
    (home.workspace / "archive.zip").write_bytes(b"PK\x03\x04")
    report = told(home, source, code=Exit.REFUSED)
    assert report["code"] == "source_refused"


def test_both_are_about_this_machine(home: Home) -> None:
    for command in ("export", "import"):
        done = qmemd(home, command, "x", "--url", "http://127.0.0.1:1", code=Exit.USAGE)
        assert "leave out --url" in done.stderr


@pytest.mark.slow
def test_ctrl_c_cancels_the_fact_and_reports(home: Home, terminal: Start, run: Run) -> None:
    command = child_command(
        on={"remember": ["until_cancelled", ["error", {"code": -32800, "message": "cancelled"}]]}
    )
    (home.workspace / "facts.txt").write_text("one fact\nanother fact\n")
    with Daemon(home.settings(agent_command=command)) as daemon:
        importing = terminal("import", "facts.txt")
        while daemon.status()["tasks"]["running"] == 0:
            assert importing.process.poll() is None
        importing.process.send_signal(signal.SIGINT)
        code, shown = importing.end()
        assert code == Exit.INTERRUPTED, shown
        assert "skipped        line 1 (one fact): " in shown
        assert "interrupted: the same import again goes on from here" in shown
        assert "another fact" not in shown
        (task,) = json.loads(run("tasks", "--json").stdout)
        assert task["error"]["code"] == "task_cancelled"


@pytest.mark.slow
def test_a_killed_import_is_finished_by_the_next(home: Home) -> None:
    for number in range(1500):
        put(home, f"n{number}.md", f"Note {number}\n")
    qmemd(home, "export", "memory.jsonl")
    before = memory(home)
    wipe(home)
    for _ in range(2):
        process = subprocess.Popen(
            [sys.executable, "-m", "qmemd", "import", "memory.jsonl"],
            cwd=home.workspace,
            env=home.environ,
            stdout=subprocess.DEVNULL,
        )
        count = len(list(home.memories.glob("n*.md")))
        while process.poll() is None and len(list(home.memories.glob("n*.md"))) < count + 50:
            pass
        process.kill()
        process.wait()
    report = told(home, "memory.jsonl")
    assert report["counts"]["conflicts"] == report["counts"]["skipped"] == 0
    assert memory(home) == before
    assert told(home, "memory.jsonl")["counts"]["alreadyThere"] == len(before)
    assert not list(home.base.rglob(".qmemd-*.tmp"))
