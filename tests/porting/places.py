"""Two memories side by side, and what the tests do with them."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from qmemd.kinds import Scope
from qmemd.memory.secrets import SecretPolicy
from qmemd.porting.exporting import export
from qmemd.porting.importing import Import
from qmemd.porting.reading_export import read_export
from qmemd.porting.records import Read, ReadDocument, Source
from qmemd.porting.remembering import NotRememberedError, Remember, Remembered
from qmemd.porting.report import Report
from tests.memory.world import NOW, World

LATER = datetime(2100, 1, 1, tzinfo=UTC)
"""Later than any file of a test."""


def not_asked(_text: str, _scope: Scope | None) -> Remembered:
    raise NotRememberedError("no agent here")


class Agent:
    """Files facts as they are told to it, or says why not."""

    def __init__(self, answer: Callable[[str], Remembered] | None = None) -> None:
        self.asked: list[tuple[str, Scope | None]] = []
        self._answer = answer or (lambda text: Remembered(f"Remembered {text}.", f"set-{text}"))

    def __call__(self, text: str, scope: Scope | None) -> Remembered:
        self.asked.append((text, scope))
        return self._answer(text)


def exported(world: World) -> bytes:
    out = io.BytesIO()
    export(world.paths, out, clock=lambda: NOW)
    return out.getvalue()


def import_into(
    world: World,
    source: Source,
    *,
    policy: SecretPolicy = SecretPolicy.REFUSE,
    remember: Remember | None = not_asked,
    scope: Scope | None = None,
    lock_timeout: float = 5.0,
    goes_on: Callable[[], bool] = lambda: True,
) -> Report:
    run = Import(
        world.paths,
        policy=policy,
        clock=lambda: LATER,
        remember=remember,
        scope=scope,
        lock_timeout=lock_timeout,
        goes_on=goes_on,
    )
    return run.run(source)


def import_export(world: World, data: bytes, remember: Remember | None = not_asked) -> Report:
    return import_into(world, read_export(io.BytesIO(data)), remember=remember)


def documents(*items: Read) -> Source:
    return Source("documents", iter(items), len(items))


def user(relative: str, text: str, *, modified_ns: int | None = None) -> ReadDocument:
    return ReadDocument(Scope.USER, relative, text.encode(), modified_ns)


def counts(report: Report) -> tuple[int, int, int, int]:
    """Added, already there, in conflict, skipped."""
    return len(report.added), len(report.present), len(report.conflicts), len(report.skipped)


def reasons(report: Report) -> Sequence[str]:
    return [one.said for one in report.skipped]


def other(directory: Path) -> World:
    """An empty memory."""
    return World(directory / "other")
