"""A daemon in the background, for who types a command while none runs."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import click

from qmemd.cli.context import answering
from qmemd.client import Client, DaemonNotFoundError, DaemonUnreachableError
from qmemd.client.discovery import find_daemon
from qmemd.config.state_dir import state_directory
from qmemd.errors import SettingsError

PATIENCE = 20.0
"""Seconds for a daemon to be there."""
FOR_ANOTHER = 2.0
"""Seconds more, once ours has ended: another command may have started one at the same time."""
MAX_LOG_BYTES = 1 << 20
"""Of the log of earlier daemons; then it becomes ``serve.log.1``, in place of the one before."""
_ROUND = 0.02


def start_daemon(workspace: Path, *, clock: Callable[[], float] = time.monotonic) -> Client:
    """Starts ``qmemd serve`` for a workspace, detached, and returns once it listens.

    Raises:
        DaemonNotFoundError: it did not come up; the sentence says where its log is.
    """
    try:
        log = state_directory(os.environ) / "serve.log"
    except SettingsError as error:
        raise DaemonNotFoundError(error.message, "daemon_not_found") from error
    try:
        started = _spawn(workspace, log)
    except OSError as error:
        raise DaemonNotFoundError(
            f"no daemon can be started: {error.strerror} ({error.filename})", "daemon_not_found"
        ) from error
    deadline = clock() + PATIENCE
    ended = False
    while clock() < deadline:
        try:
            client = answering(Client(workspace=workspace))
        except (DaemonNotFoundError, DaemonUnreachableError):
            if not ended and started.poll() is not None:
                ended, deadline = True, clock() + FOR_ANOTHER
            time.sleep(_ROUND)
        else:
            if find_daemon(workspace, os.environ).pid == started.pid:
                click.echo(
                    f"started a daemon for {workspace} (process {started.pid}, log {log}); "
                    "qmemd stop ends it",
                    err=True,
                )
            return client
    raise DaemonNotFoundError(
        f"no daemon came up: {_last_line(log)} (its log is {log})", "daemon_not_found"
    )


def _spawn(workspace: Path, log: Path) -> subprocess.Popen[bytes]:
    log.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with suppress(FileNotFoundError):
        if log.stat().st_size > MAX_LOG_BYTES:
            log.replace(log.with_suffix(".log.1"))
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW
    with os.fdopen(os.open(log, flags, 0o600), "ab") as output:
        return subprocess.Popen(
            [
                *(sys.executable, "-P", "-m", "qmemd", "serve"),
                *("--port", "0", "--log-level", "warning"),
            ],
            cwd=workspace,
            env=os.environ | {"QMEMD_WORKSPACE": str(workspace)},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )


def _last_line(log: Path) -> str:
    with suppress(OSError), log.open("rb") as file:
        file.seek(max(0, log.stat().st_size - 4096))
        lines = file.read().decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else "it said nothing"
    return "it said nothing"
