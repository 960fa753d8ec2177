"""``qmemd list``, ``search`` and ``show``."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Any

import click

from qmemd.cli.context import Context, talks_to_daemon
from qmemd.entry_keys import entry_id_of, entry_key

_SCOPE = click.option("--scope", type=click.Choice(["user", "project"]))
_TYPE = click.option(
    "--type", "topic", type=click.Choice(["user", "feedback", "project", "reference"])
)


@click.command("list")
@_SCOPE
@_TYPE
@talks_to_daemon
def list_memories(context: Context, scope: str | None, topic: str | None) -> None:
    """List what is remembered, the newest first."""
    _print(context, context.client().entries(scope=scope, topic=topic))


@click.command()
@click.argument("words", nargs=-1, required=True)
@_SCOPE
@_TYPE
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True)
@talks_to_daemon
def search(
    context: Context, words: tuple[str, ...], scope: str | None, topic: str | None, limit: int
) -> None:
    """Find memories by words, the best first."""
    found = context.client().entries(" ".join(words), scope=scope, topic=topic)
    _print(context, islice(found, limit))


@click.command()
@click.argument("memory")
@talks_to_daemon
def show(context: Context, memory: str) -> None:
    """Show a MEMORY and its whole document, as list and search name it."""
    # What they print holds a colon, which no key does.
    key = entry_key(memory) if ":" in memory else memory
    entry = context.client().entry(key)
    context.show(entry, entry["path"], "", entry["document"].rstrip("\n"))


def _print(context: Context, entries: Iterable[dict[str, Any]]) -> None:
    found = list(entries)
    names = [entry_id_of(one["id"]) or one["id"] for one in found]
    lines = [
        f"{name}{' (pinned)' if one['pinned'] else ''}  {one['description']}"
        for name, one in zip(names, found, strict=True)
    ]
    context.show(found, *(lines or ["Nothing."]))
