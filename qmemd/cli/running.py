"""A task in the foreground: shown while it runs, cancelled by Ctrl-C."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import click

from qmemd.cli.context import Context, printable
from qmemd.cli.exits import Exit
from qmemd.cli.interruption import held_back
from qmemd.cli.streams import somebody_watches
from qmemd.client import ClientError, TaskHandle
from qmemd.tasks import Task

AFTER_CANCEL = 10.0
"""Seconds for a task to end once it was cancelled."""


def run_task(context: Context, start: Callable[[], TaskHandle]) -> Task:
    """The completed task. Ends the program when it fails, or when somebody interrupts it."""
    handle: TaskHandle | None = None
    try:
        with held_back():
            handle = start()
        with _shown(context, handle) as show:
            task = handle.wait(on_progress=show)
    except KeyboardInterrupt:
        if handle is not None:
            _cancel(handle)
        sys.exit(Exit.INTERRUPTED)
    if task.error is None:
        return task
    details = f": {task.error.details}" if task.error.details else ""
    wire = {"taskId": task.task_id, "error": task.error.to_wire()}
    if context.as_json:
        context.show(wire)
    else:
        click.echo(printable(f"qmemd: {task.error.message} ({task.error.code}){details}"), err=True)
    sys.exit(Exit.FAILED)


def cancel(handle: TaskHandle) -> Task:
    """Ends the task; how it ended, which may be well, or how it was last seen."""
    with suppress(ClientError):
        handle.cancel()
    with suppress(ClientError):
        handle.wait(AFTER_CANCEL)
    return handle.task


def _cancel(handle: TaskHandle) -> None:
    error = cancel(handle).error
    why = f" ({error.code})" if error else ""
    click.echo(f"qmemd: {handle.task_id} {handle.status}{why}", err=True)


@contextmanager
def _shown(context: Context, handle: TaskHandle) -> Iterator[Callable[[Task], object]]:
    """Tells of progress on a terminal, and of nothing in a pipe."""
    if context.as_json or not somebody_watches():
        yield lambda _: None
        return
    from rich.console import Console  # noqa: PLC0415 — heavy, and only for terminals

    with Console(stderr=True).status(f"{handle.task.kind} {handle.status}") as status:
        yield lambda task: status.update(f"{task.kind} {task.status}")
