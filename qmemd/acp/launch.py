"""With which command line and environment a child is started."""

from __future__ import annotations

import os
import site
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

DAEMON_SECRETS = ("QMEMD_TOKEN", "QWEN_SERVER_TOKEN")
"""What belongs to the daemon alone and is never handed on."""


def task_limit(task_timeout: float) -> float:
    """Seconds after which the child gives up by itself, before the daemon's limit is reached."""
    return max(task_timeout - 5, 0.9 * task_timeout)


def child_argv(
    agent_command: Sequence[str] | None,
    *,
    workspace: str,
    model: str,
    task_timeout: float,
    max_model_calls: int | None = None,
    max_tokens_per_day: int | None = None,
    secrets: str | None = None,
) -> list[str]:
    """The user's own command as it is, or the one of our agent.

    Ours runs with ``-P``: the working directory is the workspace, and a ``json.py`` that lies
    there must not be imported. A model's key is not here: everybody can read a command line.
    """
    if agent_command is not None:
        return list(agent_command)
    options = ["--workspace", workspace, "--model", model]
    limit = ["--task-limit", f"{task_limit(task_timeout):.6g}"]
    if max_model_calls is not None:
        limit += ["--max-model-calls", str(max_model_calls)]
    if max_tokens_per_day is not None:
        limit += ["--max-tokens-per-day", str(max_tokens_per_day)]
    if secrets is not None:
        limit += ["--secrets", secrets]
    return [sys.executable, "-P", "-m", "qmemd.agent", *options, *limit]


def child_environment(environ: Mapping[str, str], extra: Mapping[str, str]) -> dict[str, str]:
    """The daemon's environment and ``extra``, less the daemon's own secrets.

    A package that is not installed (a checkout, a vendored copy) is made importable for the child,
    so that it runs the same code.
    """
    merged = {
        key: value for key, value in {**environ, **extra}.items() if key not in DAEMON_SECRETS
    }
    home = str(Path(__file__).resolve().parents[2])
    if home not in (*site.getsitepackages(), site.getusersitepackages()):
        known = merged.get("PYTHONPATH", "")
        if home not in known.split(os.pathsep):
            merged["PYTHONPATH"] = os.pathsep.join(filter(None, (known, home)))
    return merged
