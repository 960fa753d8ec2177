"""How far a long command is: a bar on a terminal, nothing where nobody looks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from qmemd.cli.streams import somebody_watches

Advance = Callable[[int, int | None], object]


@contextmanager
def progress(label: str, *, wanted: bool = True) -> Iterator[Advance]:
    """Something to be told how many of how many are done. The bar is on stderr."""
    if not wanted or not somebody_watches():
        yield _nothing
        return
    from rich.console import Console  # noqa: PLC0415 — heavy, and only for terminals
    from rich.progress import Progress  # noqa: PLC0415

    with Progress(console=Console(stderr=True), transient=True) as bar:
        row = bar.add_task(label, total=None)

        def advance(done: int, of: int | None) -> None:
            bar.update(row, completed=done, total=None if of is None else max(done, of))

        yield advance


def _nothing(_done: int, _of: int | None) -> None:
    """Nobody looks."""
