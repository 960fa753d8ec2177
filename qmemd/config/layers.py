"""Flags over environment over the workspace's file over the user's file over defaults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from qmemd.config.files import SettingsFile, user_file, workspace_file
from qmemd.config.table import OF_SERVE, OPTIONS, Option
from qmemd.errors import SettingsError
from qmemd.setting_values import workspace_directory
from qmemd.settings import Settings

_TOKENS = ("token", "token-file")


@dataclass(frozen=True, slots=True)
class Layers:
    """What is in force, and who says so."""

    given: Mapping[str, Any]
    """Arguments by name: flags and what files say. What variables say is not among them."""
    sources: Mapping[str, str]
    """By the setting's name: ``flag``, ``variable NAME``, a file's path, or ``default``."""
    files: tuple[SettingsFile, ...]
    environ: Mapping[str, str]

    def settings(self) -> Settings:
        """The settings of a daemon. Raises SettingsError."""
        of_serve = {option.argument for option in OPTIONS if option.name in OF_SERVE}
        given = {name: value for name, value in self.given.items() if name not in of_serve}
        try:
            return Settings(**given, environ=self.environ)
        except SettingsError as error:
            said = [str(file.path) for file in self.files if file.values]
            hint = f" ({' and '.join(said)} have a say in this)" if said else ""
            raise SettingsError(f"{error.message}{hint}") from error


def layered(flags: Mapping[str, Any], env: Mapping[str, str]) -> Layers:
    """Puts the layers over each other.

    Args:
        flags: by argument; None for what was not given.
        env: environment variables.

    Raises:
        SettingsError: a file is unsound, or the workspace is no directory.
    """
    workspace = workspace_directory(
        flags.get("workspace") or env.get("QMEMD_WORKSPACE") or Path.cwd()
    )
    found = (workspace_file(workspace), user_file(env))
    files = tuple(file for file in found if file is not None)
    given: dict[str, Any] = {}
    sources: dict[str, str] = {}
    for option in OPTIONS:
        flag = flags.get(option.argument)
        if flag is not None:
            given[option.argument], sources[option.name] = flag, "flag"
        elif (variable := _variable(option, env)) is not None:
            sources[option.name] = f"variable {variable}"
        elif option.name in _TOKENS and any(flags.get(_argument(name)) for name in _TOKENS):
            sources[option.name] = "default"  # the other one is a flag
        elif (file := _saying(option, files)) is not None:
            given[option.argument] = file.values[option.name]
            sources[option.name] = str(file.path)
        else:
            sources[option.name] = "default"
    return Layers(given, sources, files, env)


def _variable(option: Option, env: Mapping[str, str]) -> str | None:
    return next((name for name in option.variables if env.get(name, "").strip()), None)


def _saying(option: Option, files: tuple[SettingsFile, ...]) -> SettingsFile | None:
    return next((file for file in files if option.name in file.values), None)


def _argument(name: str) -> str:
    return name.replace("-", "_")
