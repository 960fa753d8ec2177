"""``qmemd history`` and ``undo``."""

from __future__ import annotations

from itertools import islice
from typing import Any

import click

from qmemd.cli.changing import ask
from qmemd.cli.context import Context, talks_to_daemon
from qmemd.cli.running import run_task
from qmemd.results import ChangeResult


@click.command()
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True)
@talks_to_daemon
def history(context: Context, limit: int) -> None:
    """List what was changed, the newest first."""
    changes = list(islice(context.client().changes(), limit))
    context.show(changes, *(_line(change) for change in changes))


@click.command()
@click.argument("change_set_id", required=False)
@click.option("--yes", is_flag=True, help="Do not ask.")
@talks_to_daemon
def undo(context: Context, change_set_id: str | None, yes: bool) -> None:
    """Take back a change; the last one that is in force when none is named."""
    client = context.client()
    if change_set_id is None:
        applied = (one for one in client.changes() if one["state"] == "applied")
        last = next(applied, None)
        if last is None:
            context.show(None, "There is nothing to undo.")
            return
    else:
        last = client.change_set(change_set_id)
    if not yes:
        if not context.as_json:
            context.show(None, _line(last))
        ask(context, "Undo this?")
    named = str(last["changeSetId"])
    task = run_task(context, lambda: client.change(named, "revert"))
    if isinstance(task.result, ChangeResult):
        context.show(task.result.to_wire(), task.result.summary)


def _line(change: dict[str, Any]) -> str:
    files = ", ".join(f"{file['change']} {file['path']}" for file in change["files"])
    what = f"{change['kind']} {change['state']}"
    return f"{change['changeSetId']}  {change['createdAt']}  {what}: {files}"
