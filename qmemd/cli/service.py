"""``qmemd service``: what systemd or launchd needs to keep a daemon running."""

from __future__ import annotations

import plistlib
import re
import sys
from collections.abc import Sequence
from pathlib import Path

import click

STOP_SECONDS = 15
"""More than a daemon needs to stop, which is five."""
_HINTS = {
    "systemd": (
        "save it as ~/.config/systemd/user/{name}.service, then run\n"
        "  systemctl --user daemon-reload && systemctl --user enable --now {name}\n"
        "keys of a model: systemctl --user edit {name}, with Environment= or EnvironmentFile=\n"
        "to keep it after logging out: loginctl enable-linger"
    ),
    "launchd": (
        "save it as ~/Library/LaunchAgents/{name}.plist, then run\n"
        "  launchctl bootstrap gui/$(id -u) ~/Library/LaunchAgents/{name}.plist"
    ),
}


@click.command()
@click.argument("kind", type=click.Choice(["systemd", "launchd"]), required=False)
@click.option(
    "--workspace",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    envvar="QMEMD_WORKSPACE",
    help="Whose memory. [default: here]",
)
@click.option("--port", type=click.IntRange(0, 65_535), help="[default: as the settings have it]")
def service(kind: str | None, workspace: Path | None, port: int | None) -> None:
    """Print a unit for systemd or a plist for launchd, which runs the daemon of a workspace.

    What to do with it is told on standard error.
    """
    kind = kind or ("launchd" if sys.platform == "darwin" else "systemd")
    directory = (workspace or Path.cwd()).resolve()
    name = service_name(directory)
    command = [sys.executable, "-P", "-m", "qmemd", "serve", "--workspace", str(directory)]
    if port is not None:
        command += ["--port", str(port)]
    unit = systemd_unit(directory, command) if kind == "systemd" else launchd_plist(name, command)
    click.echo(unit, nl=False)
    click.echo(_HINTS[kind].format(name=name), err=True)


def service_name(workspace: Path) -> str:
    """One that files and labels may have."""
    return "qmemd-" + (re.sub(r"[^A-Za-z0-9]+", "-", workspace.name).strip("-") or "workspace")


def systemd_unit(workspace: Path, command: Sequence[str]) -> str:
    """A user unit. It holds no token: the daemon keeps its own."""
    # mixed: the daemon gets SIGTERM and ends its agent itself; what is left then is killed.
    return f"""\
[Unit]
Description=qmemd, the memory of {_described(workspace)}

[Service]
ExecStart={" ".join(map(_quoted, command))}
Restart=on-failure
RestartSec=2
KillMode=mixed
TimeoutStopSec={STOP_SECONDS}
UMask=0077
NoNewPrivileges=yes
LockPersonality=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
SystemCallArchitectures=native

[Install]
WantedBy=default.target
"""


def launchd_plist(name: str, command: Sequence[str]) -> str:
    """A launch agent, restarted unless it ended well."""
    return plistlib.dumps(
        {
            "Label": name,
            "ProgramArguments": list(command),
            "RunAtLoad": True,
            "KeepAlive": {"SuccessfulExit": False},
            "ExitTimeOut": STOP_SECONDS,
            "Umask": 0o077,
        }
    ).decode()


def _quoted(argument: str) -> str:
    """As ``systemd.service(5)`` wants it: quotes, specifiers and variables stand for themselves."""
    escaped = argument.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    escaped = escaped.replace("%", "%%").replace("$", "$$")
    return f'"{escaped}"'


def _described(workspace: Path) -> str:
    return str(workspace).replace("%", "%%").replace("\n", " ")
