"""The child's command line. Read by hand: argparse costs more than the rest of the start."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from qmemd.errors import SettingsError

USAGE = "usage: python -m qmemd.agent [--workspace DIR] [--task-limit SECONDS] [--model NAME]"


@dataclass(frozen=True, slots=True)
class Options:
    """What the command line says."""

    workspace: str | None = None
    """None: each task names its own, else the current directory."""
    task_limit: float = 295.0
    """Seconds."""
    model: str = "auto"


def parse_options(argv: Sequence[str]) -> Options:
    """Reads ``--name value`` and ``--name=value``.

    Raises:
        SettingsError: an option is unknown, lacks its value, or the value is of no use.
    """
    values: dict[str, str] = {}
    words = iter(argv)
    for word in words:
        name, equals, value = word.partition("=")
        if name not in ("--workspace", "--task-limit", "--model"):
            raise SettingsError(f"{name!r} is not an option.\n{USAGE}")
        values[name] = value if equals else next(words, "")
        if not values[name]:
            raise SettingsError(f"{name} needs a value.\n{USAGE}")
    defaults = Options()
    return Options(
        workspace=values.get("--workspace"),
        task_limit=_seconds(values.get("--task-limit"), defaults.task_limit),
        model=values.get("--model", defaults.model),
    )


def _seconds(value: str | None, default: float) -> float:
    if value is None:
        return default
    try:
        seconds = float(value)
    except ValueError:
        seconds = math.nan
    if not 0 < seconds < math.inf:
        raise SettingsError(f"--task-limit must be a number of seconds above 0, not {value!r}.")
    return seconds
