"""Diffs for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import click

_COLOURS = {"+": "green", "-": "red", "@": "cyan"}


def diff_lines(files: Iterable[dict[str, Any]]) -> Iterator[str]:
    """Each line of the diffs of a change set's files."""
    for file in files:
        yield from file["diff"].rstrip("\n").split("\n")


def coloured(line: str) -> str:
    """The line as terminals show it."""
    # The two lines of a head are no changes.
    if line.startswith(("+++ ", "--- ")):
        return click.style(line, bold=True)
    return click.style(line, fg=_COLOURS[line[0]]) if line[:1] in _COLOURS else line
