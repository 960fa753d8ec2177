"""Looking at a preview, and asking before it is done."""

from __future__ import annotations

import sys

import click

from qmemd.cli.context import Context
from qmemd.cli.exits import Exit
from qmemd.cli.running import run_task
from qmemd.cli.streams import somebody_answers
from qmemd.client import Client
from qmemd.results import ChangeResult


def need_somebody(context: Context) -> None:
    """Before there is anything to ask.

    Raises:
        UsageError: there is nobody who could answer.
    """
    if context.as_json or not somebody_answers():
        raise click.UsageError("nobody can be asked here: add --yes")


def ask(question: str) -> None:
    """Returns when somebody says yes; else ends the program."""
    try:
        agreed = click.confirm(question)
    except click.Abort:
        sys.exit(Exit.INTERRUPTED)
    if not agreed:
        sys.exit(Exit.DECLINED)


def discard(context: Context, client: Client, change_set_id: str) -> None:
    """Lets go of a preview."""
    run_task(context, lambda: client.change(change_set_id, "discard"))


def decide(context: Context, client: Client, change_set_id: str, *, question: str) -> None:
    """Applies a preview when somebody says yes; else discards it and ends the program."""
    try:
        ask(question)
    except SystemExit:
        discard(context, client, change_set_id)
        raise
    done = run_task(context, lambda: client.change(change_set_id, "apply"))
    if isinstance(done.result, ChangeResult):
        context.show(done.result.to_wire(), done.result.summary)
