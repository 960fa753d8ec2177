"""The three streams, any of which may have been closed by whoever started us."""

from __future__ import annotations

import sys
from typing import BinaryIO

import click


def somebody_answers() -> bool:
    """Whether standard input is a terminal."""
    return sys.stdin is not None and sys.stdin.isatty()


def somebody_watches() -> bool:
    """Whether standard error is a terminal."""
    return sys.stderr is not None and sys.stderr.isatty()


def standard_input() -> BinaryIO:
    """Raises UsageError when it is closed."""
    if sys.stdin is None:
        raise click.UsageError("standard input is closed")
    return sys.stdin.buffer


def standard_output() -> BinaryIO:
    """Raises UsageError when it is closed."""
    if sys.stdout is None:
        raise click.UsageError("standard output is closed")
    return sys.stdout.buffer
