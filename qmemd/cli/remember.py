"""``qmemd remember``."""

from __future__ import annotations

import click

from qmemd.cli.context import Context, talks_to_daemon
from qmemd.cli.running import run_task
from qmemd.cli.streams import standard_input
from qmemd.results import RememberResult
from qmemd.tasks import MAX_TEXT_BYTES


@click.command()
@click.argument("text")
@click.option("--scope", type=click.Choice(["user", "project"]), help="[default: by the text]")
@click.option("--clean", is_flag=True, help="Without a look at what is known already.")
@talks_to_daemon
def remember(context: Context, text: str, scope: str | None, clean: bool) -> None:
    """Keep a fact; - reads it from standard input."""
    if text == "-":
        text = _standard_input()
    client = context.client()
    mode = "clean" if clean else "workspace"
    task = run_task(context, lambda: client.remember(text, scope=scope, context_mode=mode))
    result = task.result
    if isinstance(result, RememberResult):
        context.show({"taskId": task.task_id, **result.to_wire()}, result.summary)


def _standard_input() -> str:
    given = standard_input().read(MAX_TEXT_BYTES + 1)
    if len(given) > MAX_TEXT_BYTES:
        raise click.UsageError(f"standard input holds more than {MAX_TEXT_BYTES} bytes")
    try:
        return given.decode()
    except UnicodeDecodeError:
        raise click.UsageError("standard input is not UTF-8") from None
