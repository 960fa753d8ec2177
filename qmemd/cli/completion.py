"""``qmemd completion``."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print what a shell needs to complete this command; source it from the shell's start file."""
    from qmemd.cli import main  # noqa: PLC0415 — it is being imported while this module is

    found = get_completion_class(shell)
    if found is None:
        raise click.UsageError(f"click knows no completion for {shell}")
    click.echo(found(main, {}, "qmemd", "_QMEMD_COMPLETE").source())
