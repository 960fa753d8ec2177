"""``qmemd forget``."""

from __future__ import annotations

import click

from qmemd.cli.changing import ask, decide
from qmemd.cli.context import Context, talks_to_daemon
from qmemd.cli.running import run_task
from qmemd.results import ForgetResult


@click.command()
@click.argument("query")
@click.option("--scope", type=click.Choice(["user", "project"]), help="[default: both]")
@click.option("--yes", is_flag=True, help="Do not show and ask first.")
@click.option("--erase", is_flag=True, help="Out of the history as well; it cannot be undone.")
@talks_to_daemon
def forget(context: Context, query: str, scope: str | None, yes: bool, erase: bool) -> None:
    """Remove what a query names, after showing it."""
    client = context.client()
    if yes:
        task = run_task(context, lambda: client.forget(query, scope=scope, erase=erase))
        if isinstance(task.result, ForgetResult):
            wire = {"taskId": task.task_id, **task.result.to_wire()}
            context.show(wire, task.result.summary, *_lines(task.result))
        return
    task = run_task(context, lambda: client.forget(query, scope=scope, preview=True))
    preview = task.result
    if not isinstance(preview, ForgetResult) or preview.change_set_id is None:
        context.show({"taskId": task.task_id, "removedEntries": []}, "Nothing matches.")
        return
    if not context.as_json:
        context.show(None, preview.summary, *_lines(preview))
    if not erase:
        decide(context, client, preview.change_set_id, question="Forget this?")
        return
    # An erase cannot be previewed: what was shown is discarded, and the same is asked again.
    run_task(context, lambda: client.change(str(preview.change_set_id), "discard"))
    ask(context, "Erase this for good, out of the history too?")
    erased = run_task(context, lambda: client.forget(query, scope=scope, erase=True))
    if isinstance(erased.result, ForgetResult):
        context.show({"taskId": erased.task_id, **erased.result.to_wire()}, erased.result.summary)


def _lines(result: ForgetResult) -> list[str]:
    return [f"  {entry.topic}: {entry.summary}" for entry in result.removed_entries]
