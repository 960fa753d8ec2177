"""With no daemon running, a command starts one, which ``stop`` ends."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
from pathlib import Path

import psutil
import pytest

from qmemd.announcement import Announcement, announce, announcement_path, read_announcement
from qmemd.cli.exits import Exit
from qmemd.cli.starting import MAX_LOG_BYTES
from tests.cli.conftest import Run
from tests.conftest import Home


def popen(home: Home, *argv: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "qmemd", *argv],
        cwd=home.workspace,
        env=home.environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.slow
def test_the_first_command_starts_one_that_the_next_finds(started: Home, run: Run) -> None:
    first = popen(started, "remember", "Builds run on two cores")
    out, err = first.communicate(timeout=30)
    assert first.returncode == Exit.DONE
    assert out.startswith("Remembered")
    assert err.startswith(f"started a daemon for {started.workspace} (process ")
    second = run("list")
    assert "two cores" in second.stdout
    assert second.stderr == ""
    pid = json.loads(run("status", "--json").stdout)["pid"]
    assert run("stop").stdout == f"stopped process {pid}\n"
    assert not psutil.pid_exists(pid)
    assert run("status").exit_code == Exit.NO_DAEMON


@pytest.mark.slow
def test_commands_at_once_share_one(started: Home) -> None:
    facts = ("One is a fact", "Two is a fact", "Three is a fact")
    all_of_them = [popen(started, "remember", fact) for fact in facts]
    ended = [(*one.communicate(timeout=30), one.returncode) for one in all_of_them]
    assert [code for _, _, code in ended] == [0, 0, 0], ended
    (line,) = [err for _, err, _ in ended if err]
    (file,) = (started.state / "daemons").glob("*.json")
    found = read_announcement(file)
    assert found
    assert f"started a daemon for {started.workspace} (process {found.pid}, " in line
    assert len(started.documents()) == 3


@pytest.mark.parametrize(
    "argv", [["list", "--no-start"], ["status"], ["stop"], ["cancel", "dream-1"]]
)
def test_some_start_none(run: Run, home: Home, argv: list[str]) -> None:
    refused = run(*argv)
    assert (refused.exit_code, refused.stdout) == (Exit.NO_DAEMON, "")
    assert "(daemon_not_found)" in refused.stderr
    assert not home.state.exists()


@pytest.mark.slow
def test_one_that_cannot_start_says_why(run: Run, home: Home) -> None:
    failed = run("list", env={"QMEMD_MODEL": "psychic"})
    assert (failed.exit_code, failed.stdout) == (Exit.NO_DAEMON, "")
    assert "the model must be auto, offline or openai:NAME, not 'psychic'" in failed.stderr
    assert str(home.state / "serve.log") in failed.stderr


def test_where_nothing_can_be_written_it_says_so(run: Run, home: Home) -> None:
    home.state.write_text("not a directory")
    failed = run("list")
    assert failed.exit_code == Exit.NO_DAEMON
    assert str(home.state) in failed.stderr


@pytest.mark.slow
def test_the_log_does_not_grow_for_ever(run: Run, home: Home) -> None:
    home.state.mkdir()
    log = home.state / "serve.log"
    log.write_text("x" * (MAX_LOG_BYTES + 1))
    run("list", env={"QMEMD_MODEL": "psychic"})
    assert log.stat().st_size < 1000
    assert log.stat().st_mode & 0o777 == 0o600
    assert (home.state / "serve.log.1").stat().st_size > MAX_LOG_BYTES


def test_a_daemon_elsewhere_is_named_by_its_address(run: Run) -> None:
    for argv in (["--url", "http://127.0.0.1:9"], []):
        refused = run("status", *argv, env={"QMEMD_URL": "http://127.0.0.1:9"})
        assert (refused.exit_code, refused.stdout) == (Exit.NO_DAEMON, "")
        assert "(daemon_unreachable)" in refused.stderr
    assert run("stop", "--url", "http://127.0.0.1:9").exit_code == Exit.USAGE


def test_a_file_that_names_a_strangers_process_ends_nothing(run: Run, home: Home) -> None:
    file = announcement_path(home.state, home.workspace)
    file.parent.mkdir(parents=True)
    wire = {"url": "http://127.0.0.1:9", "token": "t", "workspace": str(home.workspace)}
    file.write_text(json.dumps(wire | {"pid": os.getppid()}))
    Path(file).chmod(0o600)
    assert run("stop").exit_code == Exit.NO_DAEMON
    assert psutil.pid_exists(os.getppid())


def test_one_that_hangs_is_not_joined_by_another(run: Run, home: Home) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        file = announcement_path(home.state, home.workspace)
        announce(file, Announcement(url, "t", os.getpid(), str(home.workspace)))
        silent.settimeout(10)

        def hang_up() -> None:
            silent.accept()[0].close()

        hanging = threading.Thread(target=hang_up)
        hanging.start()
        refused = run("list")
        hanging.join()
    assert refused.exit_code == Exit.NO_DAEMON
    assert "(daemon_unreachable)" in refused.stderr
    assert not (home.state / "serve.log").exists()
