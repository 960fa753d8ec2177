"""Units that systemd and launchd can read, for workspaces with any name."""

from __future__ import annotations

import plistlib
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from qmemd.cli.service import service_name
from tests.cli.conftest import Run
from tests.conftest import Home

ODD = 'my $HOME %h "quoted" \\ ü'


def odd(home: Home) -> Path:
    workspace = home.root / ODD
    workspace.mkdir()
    return workspace


def command(workspace: Path) -> list[str]:
    return [sys.executable, "-P", "-m", "qmemd", "serve", "--workspace", str(workspace)]


def test_a_unit_runs_the_daemon_of_the_workspace(run: Run, home: Home) -> None:
    workspace = odd(home)
    shown = run("service", "systemd", "--workspace", str(workspace), "--port", "4180")
    (line,) = [one for one in shown.stdout.splitlines() if one.startswith("ExecStart=")]
    # It reads quotes and backslashes as systemd does; what is left are doubled signs.
    words = shlex.split(line.removeprefix("ExecStart="))
    assert [word.replace("%%", "%").replace("$$", "$") for word in words] == [
        *command(workspace),
        "--port",
        "4180",
    ]
    assert "systemctl --user enable --now qmemd-my-HOME-h-quoted" in shown.stderr


def test_a_plist_is_one(run: Run, home: Home) -> None:
    workspace = odd(home)
    shown = run("service", "launchd", "--workspace", str(workspace))
    told = plistlib.loads(shown.stdout.encode())
    assert told["ProgramArguments"] == command(workspace)
    assert f"{told['Label']}.plist" in shown.stderr
    assert told["KeepAlive"] == {"SuccessfulExit": False}


@pytest.mark.parametrize("name", ["ü", "...", "a b"])
def test_every_service_has_a_name(name: str) -> None:
    assert service_name(Path("/") / name).strip("-") in ("qmemd-workspace", "qmemd-a-b")


def test_no_token_is_in_it(run: Run) -> None:
    for kind in ("systemd", "launchd"):
        shown = run("service", kind, env={"QMEMD_TOKEN": "secret-of-mine"})
        assert "secret-of-mine" not in shown.stdout + shown.stderr


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd-analyze")
def test_systemd_finds_nothing_to_complain_of(run: Run, home: Home) -> None:
    unit = home.root / "qmemd-odd.service"
    unit.write_text(run("service", "systemd", "--workspace", str(odd(home))).stdout)
    done = subprocess.run(
        ["systemd-analyze", "--user", "verify", str(unit)],  # noqa: S607
        capture_output=True,
        text=True,
        check=False,
    )
    assert str(unit.name) not in done.stderr, done.stderr
