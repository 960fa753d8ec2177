"""``qmemd tasks`` and ``cancel``."""

from __future__ import annotations

import click

from qmemd.cli.context import Context, asks_daemon, talks_to_daemon


@click.command()
@click.option("--limit", type=click.IntRange(1, 1000), default=20, show_default=True)
@talks_to_daemon
def tasks(context: Context, limit: int) -> None:
    """List tasks, the newest first."""
    found = context.client().tasks(limit=limit)
    lines = [
        f"{task.task_id}  {task.created_at:%Y-%m-%d %H:%M:%S}  {task.status}"
        f"{f' ({task.error.code})' if task.error else ''}"
        for task in found
    ]
    context.show([task.to_wire() for task in found], *lines)


@click.command()
@click.argument("task_id")
@asks_daemon
def cancel(context: Context, task_id: str) -> None:
    """Cancel a task."""
    task = context.client().cancel(task_id.partition("-")[0], task_id)
    context.show(task.to_wire(), f"{task.task_id} {task.status}")
