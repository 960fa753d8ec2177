"""``qmemd dream``."""

from __future__ import annotations

from typing import Any

import click

from qmemd.cli.changing import decide, discard, need_somebody
from qmemd.cli.context import Context, talks_to_daemon
from qmemd.cli.diffs import coloured, diff_lines
from qmemd.cli.running import run_task
from qmemd.results import DreamResult


@click.command()
@click.option("--yes", is_flag=True, help="Do not show and ask first.")
@click.option("--dry-run", is_flag=True, help="Show what would change, and stop.")
@talks_to_daemon
def dream(context: Context, yes: bool, dry_run: bool) -> None:
    """Merge what is there twice, after showing what would change."""
    if not (yes or dry_run):
        need_somebody(context)
    client = context.client()
    task = run_task(context, lambda: client.dream(preview=dry_run or not yes))
    result = task.result
    if not isinstance(result, DreamResult):
        return
    wire: dict[str, Any] = {"taskId": task.task_id, **result.to_wire()}
    if result.change_set_id is None or (yes and not dry_run):
        context.show(wire, result.summary)
        return
    files = client.change_set(result.change_set_id)["files"]
    lines = (result.summary, *diff_lines(files))
    context.show(wire | {"files": files}, *lines, style=coloured)
    if dry_run:
        discard(context, client, result.change_set_id)
    else:
        decide(context, client, result.change_set_id, question="Do this?")
