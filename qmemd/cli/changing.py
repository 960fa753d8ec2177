"""Looking at a preview, and asking before it is done."""

from __future__ import annotations

import sys

import click

from qmemd.cli.context import Context
from qmemd.cli.exits import Exit
from qmemd.cli.running import run_task
from qmemd.client import Client
from qmemd.results import ChangeResult


def ask(context: Context, question: str) -> None:
    """Returns when somebody says yes; else ends the program.

    Raises:
        UsageError: there is nobody to ask.
    """
    if context.as_json or not sys.stdin.isatty():
        raise click.UsageError("nobody can be asked here: add --yes")
    try:
        agreed = click.confirm(question)
    except click.Abort:
        sys.exit(Exit.INTERRUPTED)
    if not agreed:
        sys.exit(Exit.DECLINED)


def decide(context: Context, client: Client, change_set_id: str, *, question: str) -> None:
    """Applies a preview when somebody says yes; else discards it and ends the program."""
    try:
        ask(context, question)
    except (SystemExit, click.UsageError):
        run_task(context, lambda: client.change(change_set_id, "discard"))
        raise
    done = run_task(context, lambda: client.change(change_set_id, "apply"))
    if isinstance(done.result, ChangeResult):
        context.show(done.result.to_wire(), done.result.summary)
