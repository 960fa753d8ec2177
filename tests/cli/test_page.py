"""``qmemd open``: a browser is handed a file that leads on to the page."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import time

from qmemd import Daemon
from qmemd.cli.exits import Exit
from tests.cli.conftest import Run
from tests.conftest import Home


def opened(home: Home, browser: str) -> subprocess.CompletedProcess[str]:
    program = home.root / "browser"
    program.write_text(f"#!/bin/sh\n{browser}\n")
    program.chmod(0o755)
    return subprocess.run(
        [sys.executable, "-m", "qmemd", "open"],
        cwd=home.workspace,
        env=home.environ | {"BROWSER": str(program)},
        capture_output=True,
        text=True,
        check=False,
        timeout=20,
    )


def test_a_browser_is_led_to_the_page(daemon: Daemon, home: Home) -> None:
    shown = opened(home, f'echo "$*" > {home.root}/argv; cat "${{1#file://}}" > {home.root}/seen')
    assert (shown.returncode, shown.stdout) == (Exit.DONE, f"{daemon.url}\n")
    assert f"{daemon.url}/#token={daemon.token}" in (home.root / "seen").read_text()
    assert daemon.token not in (home.root / "argv").read_text() + shown.stderr
    (file,) = home.state.glob("open-*.html")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    long_ago = time.time() - 100
    os.utime(file, (long_ago, long_ago))
    opened(home, "true")
    assert not file.exists()


def test_without_a_browser_it_says_where_to_go(daemon: Daemon, home: Home) -> None:
    shown = opened(home, "exit 1")
    assert daemon.url in shown.stdout
    assert daemon.token not in shown.stdout + shown.stderr


def test_the_page_of_another_machine_has_an_address(daemon: Daemon, run: Run) -> None:
    refused = run("open", "--url", daemon.url, env={"QMEMD_TOKEN": daemon.token})
    assert refused.exit_code == Exit.USAGE
    assert "--url" in refused.stderr
