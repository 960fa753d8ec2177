"""A daemon in the background, for who types a command while none runs."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import click

from qmemd.client import Client, DaemonNotFoundError
from qmemd.setting_values import absolute, default_state_dir

PATIENCE = 20.0
"""Seconds for a daemon to be there."""
_ROUND = 0.02


def start_daemon(workspace: Path, *, clock: Callable[[], float] = time.monotonic) -> Client:
    """Starts ``qmemd serve`` for a workspace, detached, and returns once it listens.

    Raises:
        DaemonNotFoundError: it did not come up; the sentence says where its log is.
    """
    log = absolute(os.environ.get("QMEMD_STATE_DIR") or default_state_dir(os.environ)) / "serve.log"
    log.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with os.fdopen(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "a") as output:
        started = subprocess.Popen(
            [sys.executable, "-P", "-m", "qmemd", "serve", "--port", "0"],
            cwd=workspace,
            env=os.environ | {"QMEMD_WORKSPACE": str(workspace)},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    deadline = clock() + PATIENCE
    while clock() < deadline:
        try:
            client = Client(workspace=workspace)
        except DaemonNotFoundError:
            if started.poll() is not None:
                break
            time.sleep(_ROUND)
        else:
            click.echo(
                f"started a daemon for {workspace} (process {started.pid}, log {log})", err=True
            )
            return client
    raise DaemonNotFoundError(f"no daemon came up; its log is {log}", "daemon_not_found")
