"""``qmemd stop``."""

from __future__ import annotations

import os
import signal

import click
import psutil

from qmemd.cli.context import Context, asks_daemon
from qmemd.client import DaemonUnreachableError
from qmemd.client.discovery import find_daemon

PATIENCE = 40.0
"""Seconds for a daemon to end; it lets a running task finish first."""


@click.command()
@asks_daemon
def stop(context: Context) -> None:
    """End the daemon of this workspace; what is queued runs when it is started again."""
    if context.url is not None:
        raise click.UsageError("a daemon elsewhere is not ended from here: leave out --url")
    found = find_daemon(context.workspace, os.environ)
    # Asked, so that it is the daemon that gets the signal and not who has its number by now.
    pid = context.client().status()["pid"]
    if pid != found.pid:
        raise DaemonUnreachableError("another process answers there", "daemon_unreachable")
    process = psutil.Process(pid)
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(PATIENCE)
    except psutil.TimeoutExpired:
        raise DaemonUnreachableError(
            f"process {pid} has not ended yet", "daemon_unreachable"
        ) from None
    context.show({"pid": pid}, f"stopped process {pid}")
