"""The child's command line. Read by hand: argparse costs more than the rest of the start."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from qmemd.agent.limits import Limits
from qmemd.errors import SettingsError
from qmemd.memory.secrets import SecretPolicy

USAGE = (
    "usage: python -m qmemd.agent [--workspace DIR] [--task-limit SECONDS] [--model NAME]\n"
    "    [--max-model-calls N] [--max-tokens-per-day N] [--secrets allow|mask|refuse]"
)

_OPTIONS = (
    *("--workspace", "--task-limit", "--model", "--max-model-calls", "--max-tokens-per-day"),
    "--secrets",
)


@dataclass(frozen=True, slots=True)
class Options:
    """What the command line says."""

    workspace: str | None = None
    """None: each task names its own, else the current directory."""
    task_limit: float = 295.0
    """Seconds."""
    model: str = "auto"
    limits: Limits = field(default_factory=Limits)
    secrets: SecretPolicy = SecretPolicy.REFUSE


def parse_options(argv: Sequence[str]) -> Options:
    """Reads ``--name value`` and ``--name=value``.

    Raises:
        SettingsError: an option is unknown, lacks its value, or the value is of no use.
    """
    values: dict[str, str] = {}
    words = iter(argv)
    for word in words:
        name, equals, value = word.partition("=")
        if name not in _OPTIONS:
            raise SettingsError(f"{name!r} is not an option.\n{USAGE}")
        values[name] = value if equals else next(words, "")
        if not values[name]:
            raise SettingsError(f"{name} needs a value.\n{USAGE}")
    defaults = Options()
    calls = _count(values, "--max-model-calls")
    return Options(
        workspace=values.get("--workspace"),
        task_limit=_seconds(values.get("--task-limit"), defaults.task_limit),
        model=values.get("--model", defaults.model),
        limits=Limits(
            model_calls=defaults.limits.model_calls if calls is None else calls,
            tokens_a_day=_count(values, "--max-tokens-per-day"),
        ),
        secrets=_policy(values.get("--secrets"), defaults.secrets),
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


def _policy(value: str | None, default: SecretPolicy) -> SecretPolicy:
    if value is None:
        return default
    try:
        return SecretPolicy(value)
    except ValueError:
        allowed = ", ".join(SecretPolicy)
        raise SettingsError(f"--secrets must be one of {allowed}, not {value!r}.") from None


def _count(values: dict[str, str], name: str) -> int | None:
    value = values.get(name)
    if value is None:
        return None
    if not (value.isascii() and value.isdigit() and len(value) < 16 and int(value)):  # noqa: PLR2004 - far more than anybody pays for
        raise SettingsError(f"{name} must be a whole number above 0, not {value!r}.")
    return int(value)
