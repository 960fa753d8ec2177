"""What every command that speaks to a daemon shares: options, connection, errors, output."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any, NoReturn

import click

from qmemd.cli.exits import Exit
from qmemd.client import (
    Client,
    ClientError,
    DaemonNotFoundError,
    DaemonUnreachableError,
)


@dataclass(frozen=True, slots=True)
class Context:
    """One call of one command."""

    workspace: Path
    may_start: bool
    as_json: bool

    def client(self) -> Client:
        """The daemon of the workspace; where there is none one is started, if that is wanted.

        Raises:
            DaemonNotFoundError: there is none.
        """
        try:
            return Client(workspace=self.workspace)
        except DaemonNotFoundError:
            if not self.may_start:
                raise
        from qmemd.cli.starting import start_daemon  # noqa: PLC0415 — rarely needed

        return start_daemon(self.workspace)

    def show(self, value: Any, *lines: str) -> None:
        """The value as JSON where that is wanted, else the lines for people."""
        if self.as_json:
            click.echo(json.dumps(value, ensure_ascii=False))
            return
        for line in lines:
            click.echo(printable(line))


def printable(text: str) -> str:
    """Without control characters, which a remembered text must not send to a terminal."""
    return "".join(
        letter if letter.isprintable() or letter in "\n\t" else "\N{REPLACEMENT CHARACTER}"
        for letter in text
    )


def talks_to_daemon(command: Callable[..., None]) -> Callable[..., None]:
    """Gives a command the shared options and a ``Context``, and turns errors into exit codes."""

    @click.option(
        "--workspace", type=click.Path(path_type=Path), help="Whose memory. [default: here]"
    )
    @click.option("--no-start", is_flag=True, help="Do not start a daemon when none runs.")
    @click.option("--json", "as_json", is_flag=True, help="Print JSON and nothing else.")
    @wraps(command)
    def run(
        *given: Any, workspace: Path | None, no_start: bool, as_json: bool, **options: Any
    ) -> None:
        context = Context((workspace or Path.cwd()).resolve(), not no_start, as_json)
        try:
            command(context, *given, **options)
        except ClientError as error:
            fail(context, error)

    return run


def fail(context: Context, error: ClientError) -> NoReturn:
    """Says what is wrong, and ends."""
    if context.as_json:
        click.echo(json.dumps({"error": error.message, "code": error.code}))
    else:
        click.echo(printable(f"qmemd: {error.message} ({error.code})"), err=True)
    unreachable = isinstance(error, DaemonNotFoundError | DaemonUnreachableError)
    sys.exit(Exit.NO_DAEMON if unreachable else Exit.REFUSED)
