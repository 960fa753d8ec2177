"""Where ``qmemd.toml`` is, and what it says.

A workspace may be a stranger's repository, so what its file may say is little. The user's own file
may say all, and therefore nobody else may be able to write it.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from qmemd.config.table import BY_NAME, Kind, Option
from qmemd.errors import SettingsError

FILE_NAME = "qmemd.toml"
MAX_BYTES = 65_536
_TYPES: dict[Kind, tuple[type, ...]] = {
    Kind.TEXT: (str,),
    Kind.PATH: (str,),
    Kind.WHOLE: (int,),
    Kind.NUMBER: (int, float),
    Kind.SWITCH: (bool,),
    Kind.TEXTS: (list,),
}


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """A file that is there, with what it says by name."""

    path: Path
    values: Mapping[str, Any]


def user_path(env: Mapping[str, str]) -> Path | None:
    """The user's own file, be it there or not; None when ``QMEMD_CONFIG`` is set and blank."""
    if "QMEMD_CONFIG" in env:
        named = env["QMEMD_CONFIG"].strip()
        return Path(named).expanduser() if named else None
    home = Path(env.get("HOME") or Path.home())
    if sys.platform == "darwin":
        return home / "Library" / "Application Support" / "qmemd" / FILE_NAME
    return Path(env.get("XDG_CONFIG_HOME") or home / ".config") / "qmemd" / FILE_NAME


def user_file(env: Mapping[str, str]) -> SettingsFile | None:
    """What the user says; None without a file, which only ``QMEMD_CONFIG`` insists on.

    Raises:
        SettingsError: the file is unsound, or somebody else may have written it.
    """
    path = user_path(env)
    if path is None:
        return None
    found = _read(path)
    if found is None:
        if "QMEMD_CONFIG" in env:
            raise SettingsError(f"QMEMD_CONFIG names {path}, which is not there")
        return None
    status, text = found
    if status.st_uid not in (os.geteuid(), 0) or status.st_mode & 0o022:
        raise SettingsError(f"{path} can be written by other users; run: chmod go-w {path}")
    values = dict(_checked(path, text, stranger=False))
    if "token" in values and status.st_mode & 0o077:
        raise SettingsError(f"{path} holds a token and is open to others; run: chmod 600 {path}")
    return SettingsFile(path, values)


def workspace_file(workspace: Path) -> SettingsFile | None:
    """What the project says; None without a file.

    Raises:
        SettingsError: the file is unsound, or says what is the user's to say.
    """
    path = workspace / FILE_NAME
    found = _read(path)
    return None if found is None else SettingsFile(path, dict(_checked(path, found[1])))


def _read(path: Path) -> tuple[os.stat_result, str] | None:
    try:
        # O_NONBLOCK: a FIFO must not hold us up before we can see that it is one.
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise SettingsError(f"{path} cannot be read: {error.strerror}") from None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise SettingsError(f"{path} is not a regular file")
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            data = file.read(MAX_BYTES + 1)
    finally:
        os.close(descriptor)
    if len(data) > MAX_BYTES:
        raise SettingsError(f"{path} is over {MAX_BYTES} bytes")
    try:
        return status, data.decode()
    except UnicodeDecodeError:
        raise SettingsError(f"{path} is not UTF-8") from None


def _checked(path: Path, text: str, *, stranger: bool = True) -> Iterator[tuple[str, Any]]:
    import tomllib  # noqa: PLC0415 — most have no file

    try:
        said = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise SettingsError(f"{path} is not TOML: {error}") from None
    for key, value in said.items():
        option = BY_NAME.get(key)
        if option is None or not option.in_files:
            raise SettingsError(f"{path}: there is no setting {key!r}; see `qmemd config`")
        if stranger and not option.harmless:
            raise SettingsError(
                f"{path}: {key!r} is not for a project to say, since a stranger may have written "
                "this file; put it into the user's own, or set "
                + (option.variables[0] if option.variables else f"--{key}")
            )
        yield key, _value(path, option, value)


def _value(path: Path, option: Option, value: Any) -> Any:
    fits = isinstance(value, _TYPES[option.kind])
    if isinstance(value, bool) and option.kind is not Kind.SWITCH:
        fits = False
    if fits and option.kind is Kind.TEXTS:
        fits = all(isinstance(item, str) for item in value)
    if not fits:
        raise SettingsError(f"{path}: {option.name!r} must be {option.kind.value}")
    if option.kind is Kind.PATH:
        named = Path(value).expanduser()
        return str(named if named.is_absolute() else path.parent / named)
    return value
