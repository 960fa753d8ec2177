"""``qmemd forget``."""

from __future__ import annotations

import click

from qmemd.cli.changing import ask, decide, discard, need_somebody
from qmemd.cli.context import Context, talks_to_daemon
from qmemd.cli.running import run_task
from qmemd.results import ForgetResult
from qmemd.tasks import Task


@click.command()
@click.argument("query")
@click.option("--scope", type=click.Choice(["user", "project"]), help="[default: both]")
@click.option("--yes", is_flag=True, help="Do not show and ask first.")
@click.option("--dry-run", is_flag=True, help="Show what would go, and stop.")
@click.option("--erase", is_flag=True, help="Out of the history as well; it cannot be undone.")
@talks_to_daemon
def forget(
    context: Context, query: str, scope: str | None, yes: bool, dry_run: bool, erase: bool
) -> None:
    """Remove what a query names, after showing it."""
    if not (yes or dry_run):
        need_somebody(context)
    client = context.client()
    if yes and not dry_run:
        _show(context, run_task(context, lambda: client.forget(query, scope=scope, erase=erase)))
        return
    task = run_task(context, lambda: client.forget(query, scope=scope, preview=True))
    previewed = _show(context, task)
    if previewed is None:
        return
    if dry_run:
        discard(context, client, previewed)
    elif erase:
        # An erase cannot be previewed: what was shown is let go, and the same is asked again.
        discard(context, client, previewed)
        ask("Erase this for good, out of the history too?")
        _show(context, run_task(context, lambda: client.forget(query, scope=scope, erase=True)))
    else:
        decide(context, client, previewed, question="Forget this?")


def _show(context: Context, task: Task) -> str | None:
    """Says what went or would go; the change set's id, when there is one."""
    result = task.result
    if not isinstance(result, ForgetResult):
        return None
    lines = (f"  {entry.topic}: {entry.summary}" for entry in result.removed_entries)
    context.show({"taskId": task.task_id, **result.to_wire()}, result.summary, *lines)
    return result.change_set_id
