"""``qmemd open``."""

from __future__ import annotations

import os
import sys

import click

from qmemd.cli.context import Context, talks_to_daemon
from qmemd.cli.exits import Exit
from qmemd.cli.opening import hand_over, in_browser
from qmemd.client.discovery import find_daemon
from qmemd.config.state_dir import state_directory


@click.command("open")
@talks_to_daemon
def open_page(context: Context) -> None:
    """Open the page in a browser.

    The file that hands over the token is removed by the next daemon or browser that is started
    more than a minute later.
    """
    if context.url is not None:
        raise click.UsageError("a page elsewhere is opened by its address: leave out --url")
    context.client()
    found = find_daemon(context.workspace, os.environ)
    try:
        file = hand_over(found.url, found.token, state_directory(os.environ))
    except OSError as error:
        click.echo(f"qmemd: the page cannot be opened: {error.strerror}", err=True)
        sys.exit(Exit.FAILED)
    in_browser(file, found.url)
    context.show({"url": found.url}, found.url)
