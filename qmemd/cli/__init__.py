"""The ``qmemd`` command: the only room that touches argv, signals and the set-up of logging."""

from __future__ import annotations

import click

from qmemd._version import __version__
from qmemd.cli.serve import serve


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="qmemd")
def main() -> None:
    """Durable facts for coding agents, kept in markdown files."""


main.add_command(serve)
