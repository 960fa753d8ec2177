"""``qmemd dream``."""

from __future__ import annotations

import click

from qmemd.cli.changing import decide
from qmemd.cli.context import Context, talks_to_daemon
from qmemd.cli.running import run_task
from qmemd.results import DreamResult


@click.command()
@click.option("--yes", is_flag=True, help="Do not show and ask first.")
@talks_to_daemon
def dream(context: Context, yes: bool) -> None:
    """Merge what is there twice, after showing what would change."""
    client = context.client()
    task = run_task(context, lambda: client.dream(preview=not yes))
    result = task.result
    if not isinstance(result, DreamResult):
        return
    if yes or result.change_set_id is None:
        context.show({"taskId": task.task_id, **result.to_wire()}, result.summary)
        return
    if not context.as_json:
        change_set = client.change_set(result.change_set_id)
        diffs = [file["diff"].rstrip("\n") for file in change_set["files"]]
        context.show(None, result.summary, *diffs)
    decide(context, client, result.change_set_id, question="Do this?")
