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

PATIENCE = 5.0
"""Seconds for a daemon to say that it is there."""


@dataclass(frozen=True, slots=True)
class Context:
    """One call of one command."""

    workspace: Path
    url: str | None
    """Where the daemon is, when somebody says so."""
    may_start: bool
    as_json: bool

    def client(self) -> Client:
        """The daemon of the workspace; where there is none one is started, if that is wanted.

        Raises:
            DaemonNotFoundError: there is none.
            ClientError: nobody answers there.
        """
        if self.url is not None:
            return answering(Client(self.url))
        try:
            return answering(Client(workspace=self.workspace))
        except DaemonNotFoundError:
            if not self.may_start:
                raise
        except DaemonUnreachableError as error:
            # One that hangs keeps the memory to itself; a file that was left names nobody.
            if not self.may_start or not isinstance(error.__cause__, ConnectionRefusedError):
                raise
        from qmemd.cli.starting import start_daemon  # noqa: PLC0415 — rarely needed

        return start_daemon(self.workspace)

    def show(self, value: Any, *lines: str, style: Callable[[str], str] = str) -> None:
        """The value as JSON where that is wanted, else the lines for people.

        What ``style`` adds for a terminal is left out where there is none.
        """
        if self.as_json:
            # Half a surrogate pair, which a command line can hold, is no text that can be printed.
            click.echo(json.dumps(value, ensure_ascii=False).encode(errors="backslashreplace"))
            return
        for line in lines:
            click.echo(style(printable(line)))


def answering(client: Client) -> Client:
    """The client, once its daemon has answered.

    Asked once: a client repeats what is refused for half a minute, which is long for who types.

    Raises:
        ClientError: it does not.
    """
    client.call("GET", "/health", repeat=False, timeout=PATIENCE)
    return client


def printable(text: str) -> str:
    """Without control characters, which a remembered text must not send to a terminal."""
    return "".join(
        letter if letter.isprintable() or letter in "\n\t" else "\N{REPLACEMENT CHARACTER}"
        for letter in text
    )


def talks_to_daemon(command: Callable[..., None]) -> Callable[..., None]:
    """Gives a command the shared options and a ``Context``, and turns errors into exit codes.

    It starts a daemon when none runs, unless somebody says ``--no-start``.
    """
    no_start = click.option("--no-start", is_flag=True, help="Do not start a daemon.")
    return no_start(asks_daemon(command))


def asks_daemon(command: Callable[..., None]) -> Callable[..., None]:
    """The same for a command that makes no sense without a running daemon: it starts none."""

    @click.option(
        "--workspace",
        type=click.Path(path_type=Path, file_okay=False, exists=True),
        envvar="QMEMD_WORKSPACE",
        help="Whose memory. [default: here]",
    )
    @click.option(
        "--url",
        envvar="QMEMD_URL",
        help="A daemon elsewhere; QMEMD_TOKEN has its token. [default: the workspace's]",
    )
    @click.option("--json", "as_json", is_flag=True, help="Print JSON and nothing else.")
    @wraps(command)
    def run(
        *given: Any,
        workspace: Path | None,
        url: str | None,
        as_json: bool,
        no_start: bool = True,
        **options: Any,
    ) -> None:
        context = Context((workspace or Path.cwd()).resolve(), url, not no_start, as_json)
        try:
            command(context, *given, **options)
        except ClientError as error:
            status = Exit.NO_DAEMON if is_missing(error) else Exit.REFUSED
            fail(context, error.message, error.code, status)

    return run


def only_here(context: Context) -> None:
    """For a command that reads or writes the memory files of this machine by itself.

    Raises:
        UsageError: a daemon elsewhere is meant.
    """
    if context.url is not None:
        raise click.UsageError("this is about the memory of this machine: leave out --url")


def is_missing(error: ClientError) -> bool:
    """Whether no daemon was there to answer."""
    return isinstance(error, DaemonNotFoundError | DaemonUnreachableError)


def fail(context: Context, message: str, code: str, status: Exit = Exit.REFUSED) -> NoReturn:
    """Says what is wrong, and ends."""
    if context.as_json:
        click.echo(json.dumps({"error": message, "code": code}))
    else:
        click.echo(printable(f"qmemd: {message} ({code})"), err=True)
    sys.exit(status)
