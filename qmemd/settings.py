"""Settings: one frozen record, validated once, with a clear sentence per mistake.

What a caller leaves out comes from the environment, then from the defaults.
"""

from __future__ import annotations

import math
import os
import shlex
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from qmemd.access_token import clean_token
from qmemd.errors import MemoryFilesError, SettingsError
from qmemd.memory.paths import MemoryPaths, base_dir, resolve_paths
from qmemd.memory.secrets import SecretPolicy
from qmemd.model_choice import endpoint_of

T = TypeVar("T")

PathLike = str | os.PathLike[str]

_MOST = 10**15 - 1
"""Far more than anybody pays for."""


@dataclass(frozen=True, slots=True, init=False)
class Settings:
    """Everything that a daemon is told. Raises SettingsError when constructed with a mistake.

    ``Settings()`` is complete: omitted values are read from ``environ`` (the process's when None)
    and from the defaults.
    """

    workspace: Path
    """The directory whose project memory this daemon keeps; absolute, links resolved."""
    http: bool
    """False embeds the daemon without an HTTP server."""
    hostname: str
    port: int
    """0 picks a free one."""
    token: str | None = field(repr=False)
    """None: use the token file, which is made when it is absent."""
    token_file: Path | None
    """None: ``token`` in the state directory."""
    state_dir: Path
    """Where the daemon keeps what is its own, such as the token."""
    base: Path
    """Home of the memory files, shared with other programs; absolute."""
    project_scope: str
    """``workspace`` or ``git-root``: which directory is the project."""
    memory_local: bool
    """True keeps project memory in ``<workspace>/.qwen/memory``."""
    agent_command: tuple[str, ...] | None
    """Another ACP program in place of our agent."""
    model: str
    """``auto``, ``offline`` or ``openai:NAME``; the key stays in ``environ``."""
    max_model_calls: int
    """Answered requests to a real model that one task may make."""
    max_tokens_per_day: int | None
    """Tokens, in and out, that all tasks of a day in UTC may use; None: no limit."""
    secrets: SecretPolicy
    """What becomes of a text that holds a credential: ``refuse``, ``mask`` or ``allow``."""
    idle_timeout: float
    """Seconds without work or session after which the child is stopped; 0 stops it at once."""
    task_timeout: float
    """Seconds that one run may take."""
    environ: Mapping[str, str] = field(repr=False)
    """What a child's environment is made from."""

    def __init__(
        self,
        *,
        workspace: PathLike | None = None,
        http: bool = True,
        hostname: str | None = None,
        port: int | None = None,
        token: str | None = None,
        token_file: PathLike | None = None,
        state_dir: PathLike | None = None,
        base: PathLike | None = None,
        project_scope: str | None = None,
        memory_local: bool | None = None,
        agent_command: str | tuple[str, ...] | None = None,
        model: str | None = None,
        max_model_calls: int | None = None,
        max_tokens_per_day: int | None = None,
        secrets: SecretPolicy | str | None = None,
        idle_timeout: float | None = None,
        task_timeout: float | None = None,
        environ: Mapping[str, str] | None = None,
    ) -> None:
        env = os.environ if environ is None else environ
        values: dict[str, Any] = {
            "workspace": _workspace(workspace or env.get("QMEMD_WORKSPACE") or Path.cwd()),
            "http": http,
            "hostname": _hostname(_first(hostname, env, "QMEMD_HOSTNAME", str, "127.0.0.1")),
            "port": _port(_first(port, env, "QMEMD_PORT", int, 4170)),
            "state_dir": _absolute(state_dir or env.get("QMEMD_STATE_DIR") or _state_dir(env)),
            "base": _absolute(base or base_dir(env)),
            "project_scope": _choice(
                "project scope",
                _first(
                    project_scope, env, "QWEN_CODE_MEMORY_PROJECT_SCOPE", str.strip, "workspace"
                ),
                ("workspace", "git-root"),
            ),
            "memory_local": _first(memory_local, env, "QWEN_CODE_MEMORY_LOCAL", _switch, False),
            "agent_command": _command(
                _first(agent_command, env, "QMEMD_AGENT_COMMAND", str, None), env.get("PATH")
            ),
            "model": _model(_first(model, env, "QMEMD_MODEL", str.strip, "auto"), env),
            "max_model_calls": _at_least_one(
                "number of model calls",
                _first(max_model_calls, env, "QMEMD_MAX_MODEL_CALLS", int, 20),
            ),
            "max_tokens_per_day": _at_least_one(
                "number of tokens per day",
                _first(max_tokens_per_day, env, "QMEMD_MAX_TOKENS_PER_DAY", int, None),
            ),
            "secrets": SecretPolicy(
                _choice(
                    "policy for secrets",
                    str(_first(secrets, env, "QMEMD_SECRETS", str.strip, SecretPolicy.REFUSE)),
                    tuple(SecretPolicy),
                )
            ),
            "idle_timeout": _seconds(
                "idle timeout", _first(idle_timeout, env, "QMEMD_IDLE_TIMEOUT", float, 600.0), 0
            ),
            "task_timeout": _seconds(
                "task timeout", _first(task_timeout, env, "QMEMD_TASK_TIMEOUT", float, 300.0), 0.1
            ),
        }
        values |= _token(token, token_file, env) | {"environ": dict(env)}
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @property
    def memory(self) -> MemoryPaths:
        """Where this workspace's memory files are. Raises SettingsError if there is no place."""
        try:
            return resolve_paths(
                self.base, self.workspace, project_scope=self.project_scope, local=self.memory_local
            )
        except MemoryFilesError as error:
            raise SettingsError(
                f"the memory directory {self.base} cannot be used: {error.message}"
            ) from error

    @property
    def child_variables(self) -> dict[str, str]:
        """Says to a child, ours or a foreign one, where the memory files are."""
        return {
            "QWEN_CODE_MEMORY_BASE_DIR": str(self.base),
            "QWEN_CODE_MEMORY_PROJECT_SCOPE": self.project_scope,
            "QWEN_CODE_MEMORY_LOCAL": "1" if self.memory_local else "0",
        }


def _first(
    given: T | None, env: Mapping[str, str], variable: str, parse: Callable[[str], T], default: Any
) -> Any:
    if given is not None:
        return given
    text = env.get(variable)
    if text is None or not text.strip():
        return default
    try:
        return parse(text)
    except ValueError:
        raise SettingsError(f"{variable} must be a number, not {text!r}") from None


def _absolute(path: PathLike) -> Path:
    try:
        return Path(os.path.abspath(Path(path).expanduser()))  # noqa: PTH100 — links stay unresolved here
    except RuntimeError:
        raise SettingsError(f"the home directory of {path} is not known") from None


def _workspace(path: PathLike) -> Path:
    workspace = Path(path).expanduser().resolve()
    if not workspace.is_dir():
        raise SettingsError(f"the workspace {path} is not a directory; name one with --workspace")
    if workspace == Path(workspace.anchor):
        raise SettingsError("the workspace must not be /; name a project directory")
    return workspace


def _state_dir(env: Mapping[str, str]) -> PathLike:
    if sys.platform == "darwin":
        return Path("~/Library/Application Support/qmemd")
    return Path(env.get("XDG_STATE_HOME") or "~/.local/state") / "qmemd"


def _hostname(name: str) -> str:
    name = name.strip().removeprefix("[").removesuffix("]")
    if not name or any(letter in name for letter in "/@ \t\r\n"):
        raise SettingsError("the hostname must be a host name or an IP address to listen on")
    return name


def _port(port: int) -> int:
    if isinstance(port, bool) or not 0 <= port <= 65_535:  # noqa: PLR2004 — TCP's range
        raise SettingsError(f"the port must be between 0 and 65535, not {port}")
    return port


def _switch(text: str) -> bool:
    switches = {"1": True, "true": True, "0": False, "false": False}
    if text.strip().lower() not in switches:
        raise SettingsError(f"QWEN_CODE_MEMORY_LOCAL must be 1 or 0, not {text!r}")
    return switches[text.strip().lower()]


def _choice(name: str, value: str, allowed: tuple[str, ...]) -> str:
    if value not in allowed:
        raise SettingsError(f"the {name} must be one of {', '.join(allowed)}, not {value!r}")
    return value


def _seconds(name: str, value: float, least: float) -> float:
    if not math.isfinite(value) or not least <= value <= 86_400:  # noqa: PLR2004 — a day
        raise SettingsError(f"the {name} must be between {least:g} and 86400 seconds, not {value}")
    return float(value)


def _model(name: str, env: Mapping[str, str]) -> str:
    # The child decides again, by the same rule and the same environment.
    endpoint_of(name, env)
    return name


def _at_least_one(name: str, value: int | None) -> int | None:
    if value is not None and (isinstance(value, bool) or not 1 <= value <= _MOST):
        raise SettingsError(f"the {name} must be between 1 and {_MOST}, not {value}")
    return value


def _command(command: str | tuple[str, ...] | None, path: str | None) -> tuple[str, ...] | None:
    if command is None:
        return None
    try:
        parts = tuple(shlex.split(command)) if isinstance(command, str) else tuple(command)
    except ValueError as error:
        raise SettingsError(f"the agent command cannot be read: {error}") from None
    if not parts:
        raise SettingsError("the agent command is blank; leave it out to use qmemd's own agent")
    if shutil.which(parts[0], path=path) is None:
        raise SettingsError(f"the agent command's program {parts[0]!r} is not found")
    return parts


def _token(
    token: str | None, token_file: PathLike | None, env: Mapping[str, str]
) -> dict[str, Any]:
    """In this order: token, token file, QMEMD_TOKEN, QWEN_SERVER_TOKEN."""
    if token is not None:
        return {"token": clean_token(token, "--token"), "token_file": None}
    if token_file is not None:
        return {"token": None, "token_file": _absolute(token_file)}
    for variable in ("QMEMD_TOKEN", "QWEN_SERVER_TOKEN"):
        if variable in env:
            return {"token": clean_token(env[variable], variable), "token_file": None}
    return {"token": None, "token_file": None}
