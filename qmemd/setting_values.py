"""How each kind of setting is read, with a clear sentence per mistake."""

from __future__ import annotations

import ipaddress
import math
import os
import re
import shlex
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from qmemd.access_token import clean_token
from qmemd.errors import SettingsError
from qmemd.model_choice import endpoint_of

T = TypeVar("T")

PathLike = str | os.PathLike[str]

_ORIGIN = re.compile(r"https?://(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:]+\])(?::[0-9]{1,5})?")
_LEAST_MEMORY = 64
"""Mebibytes. An agent in Python or Node that does nothing has 20 to 50."""
_MOST_MEMORY = 1_048_576
_MOST = 10**15 - 1
"""Far more than anybody pays for."""


def first(
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


def absolute(path: PathLike) -> Path:
    try:
        return Path(os.path.abspath(Path(path).expanduser()))  # noqa: PTH100 — links stay unresolved here
    except RuntimeError:
        raise SettingsError(f"the home directory of {path} is not known") from None


def workspace_directory(path: PathLike) -> Path:
    workspace = Path(path).expanduser().resolve()
    if not workspace.is_dir():
        raise SettingsError(f"the workspace {path} is not a directory; name one with --workspace")
    if workspace == Path(workspace.anchor):
        raise SettingsError("the workspace must not be /; name a project directory")
    return workspace


def default_state_dir(env: Mapping[str, str]) -> PathLike:
    if sys.platform == "darwin":
        return Path("~/Library/Application Support/qmemd")
    return Path(env.get("XDG_STATE_HOME") or "~/.local/state") / "qmemd"


def hostname_value(name: str) -> str:
    name = name.strip().removeprefix("[").removesuffix("]")
    if not name or any(letter in name for letter in "/@ \t\r\n"):
        raise SettingsError("the hostname must be a host name or an IP address to listen on")
    return name


def is_loopback(hostname: str) -> bool:
    """Whether nobody beyond this machine can reach it. A name that has to be looked up may."""
    if hostname.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(hostname).is_loopback
    except ValueError:
        return False


def origins(given: Sequence[str] | None, listed: str) -> tuple[str, ...]:
    """Those that were given, else those of a list with commas."""
    named = [name.strip() for name in (listed.split(",") if given is None else given)]
    for name in filter(None, named):
        if name != "*" and not _ORIGIN.fullmatch(name):
            raise SettingsError(
                f"an allowed origin must be * or like http://host:1234 without a path, not {name!r}"
            )
    return tuple(name.lower() for name in named if name)


def port_value(port: int) -> int:
    if isinstance(port, bool) or not 0 <= port <= 65_535:  # noqa: PLR2004 — TCP's range
        raise SettingsError(f"the port must be between 0 and 65535, not {port}")
    return port


def switch(variable: str, text: str) -> bool:
    switches = {"1": True, "true": True, "0": False, "false": False}
    if text.strip().lower() not in switches:
        raise SettingsError(f"{variable} must be 1 or 0, not {text!r}")
    return switches[text.strip().lower()]


def choice(name: str, value: str, allowed: tuple[str, ...]) -> str:
    if value not in allowed:
        raise SettingsError(f"the {name} must be one of {', '.join(allowed)}, not {value!r}")
    return value


def seconds(name: str, value: float, least: float) -> float:
    if not math.isfinite(value) or not least <= value <= 86_400:  # noqa: PLR2004 — a day
        raise SettingsError(f"the {name} must be between {least:g} and 86400 seconds, not {value}")
    return float(value)


def model_name(name: str, env: Mapping[str, str]) -> str:
    # The child decides again, by the same rule and the same environment.
    endpoint_of(name, env)
    return name


def count(name: str, value: int | None, most: int = _MOST) -> int | None:
    if value is not None and (isinstance(value, bool) or not 1 <= value <= most):
        raise SettingsError(f"the {name} must be between 1 and {most}, not {value}")
    return value


def mebibytes(name: str, value: int) -> int:
    """0 stands for no limit."""
    within = value == 0 or _LEAST_MEMORY <= value <= _MOST_MEMORY
    if isinstance(value, bool) or not within:
        raise SettingsError(
            f"the {name} must be 0 for no limit, or between {_LEAST_MEMORY} and {_MOST_MEMORY} "
            f"MiB, not {value}"
        )
    return value


def command(command: str | tuple[str, ...] | None, path: str | None) -> tuple[str, ...] | None:
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


def token_source(
    token: str | None, token_file: PathLike | None, env: Mapping[str, str]
) -> dict[str, Any]:
    """In this order: token, token file, QMEMD_TOKEN, QWEN_SERVER_TOKEN."""
    if token is not None:
        return {"token": clean_token(token, "--token"), "token_file": None}
    if token_file is not None:
        return {"token": None, "token_file": absolute(token_file)}
    for variable in ("QMEMD_TOKEN", "QWEN_SERVER_TOKEN"):
        if variable in env:
            return {"token": clean_token(env[variable], variable), "token_file": None}
    return {"token": None, "token_file": None}
