"""``qmemd status`` and ``events``."""

from __future__ import annotations

import json
import sys

import click

from qmemd.cli.context import Context, asks_daemon, talks_to_daemon
from qmemd.cli.exits import Exit


@click.command()
@asks_daemon
def status(context: Context) -> None:
    """Say how the daemon is; it starts none."""
    client = context.client()
    now = client.status()
    tasks, child = now["tasks"], now["child"] or {"phase": "unknown"}
    context.show(
        now | {"url": client.base_url},
        f"{client.base_url}  process {now['pid']}, up {now['uptimeSeconds']} s, "
        f"qmemd {now['qmemdVersion']}",
        f"workspace {now['workspaceCwd']}",
        f"tasks: {tasks['queued']} queued, {tasks['running']} running, "
        f"{tasks['completed']} completed, {tasks['failed']} failed",
        f"agent: {child['phase']}, model {now['model']}",
        *(f"failed: {one['kind']} {one['code']} at {one['at']}" for one in now["lastErrors"]),
    )


@click.command()
@talks_to_daemon
def events(context: Context) -> None:
    """Print what happens, an event a line, until Ctrl-C."""
    try:
        with context.client().events() as stream:
            for event in stream:
                data = json.dumps(event.data, ensure_ascii=False)
                context.show({"type": event.type, "data": event.data}, f"{event.type} {data}")
    except KeyboardInterrupt:
        sys.exit(Exit.INTERRUPTED)
