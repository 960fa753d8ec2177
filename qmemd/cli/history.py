"""``qmemd history``, ``undo`` and ``redo``."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice, takewhile
from typing import Any

import click

from qmemd.cli.changing import ask, need_somebody
from qmemd.cli.context import Context, talks_to_daemon
from qmemd.cli.diffs import coloured, diff_lines
from qmemd.cli.running import run_task
from qmemd.client import Client
from qmemd.results import ChangeResult

_SHOWN_FILES = 3
_YES = click.option("--yes", is_flag=True, help="Do not ask.")


@click.command()
@click.argument("change_set_id", required=False)
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True)
@talks_to_daemon
def history(context: Context, change_set_id: str | None, limit: int) -> None:
    """List what was changed, the newest first; or show one change with its diff."""
    if change_set_id is not None:
        change = context.client().change_set(change_set_id)
        lines = (_line(change), *diff_lines(change["files"]))
        context.show(change, *lines, style=coloured)
        return
    changes = list(islice(context.client().changes(), limit))
    context.show(changes, *([_line(change) for change in changes] or ["Nothing."]))


@click.command()
@click.argument("change_set_id", required=False)
@_YES
@talks_to_daemon
def undo(context: Context, change_set_id: str | None, yes: bool) -> None:
    """Take back a change; the last one that is in force when none is named."""
    _turn(context, change_set_id, "revert", _last_applied, yes=yes)


@click.command()
@click.argument("change_set_id", required=False)
@_YES
@talks_to_daemon
def redo(context: Context, change_set_id: str | None, yes: bool) -> None:
    """Do again what was undone; the last one, if nothing was done since, when none is named."""
    _turn(context, change_set_id, "apply", _last_undone, yes=yes)


def _turn(
    context: Context,
    change_set_id: str | None,
    action: str,
    last: Callable[[Client], dict[str, Any] | None],
    *,
    yes: bool,
) -> None:
    if not yes:
        need_somebody(context)
    client = context.client()
    change = last(client) if change_set_id is None else client.change_set(change_set_id)
    if change is None:
        context.show(None, "There is nothing to do.")
        return
    if not yes:
        context.show(None, _line(change))
        ask(f"{action.capitalize()} this?")
    task = run_task(context, lambda: client.change(str(change["changeSetId"]), action))
    if isinstance(task.result, ChangeResult):
        context.show({"taskId": task.task_id, **task.result.to_wire()}, task.result.summary)


def _last_applied(client: Client) -> dict[str, Any] | None:
    return next((one for one in client.changes() if one["state"] == "applied"), None)


def _last_undone(client: Client) -> dict[str, Any] | None:
    """The oldest that is not in force any more, of those since the last that is."""
    since = takewhile(lambda one: one["state"] != "applied", client.changes())
    undone = [one for one in since if one["state"] == "reverted"]
    return undone[-1] if undone else None


def _line(change: dict[str, Any]) -> str:
    files = [f"{file['change']} {file['path']}" for file in change["files"]]
    more = len(files) - _SHOWN_FILES
    named = ", ".join(files[:_SHOWN_FILES]) + (f" and {more} more" if more > 0 else "")
    what = f"{change['kind']} {change['state']}"
    return f"{change['changeSetId']}  {change['createdAt']}  {what}: {named}"
