"""``qmemd config``."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import click

from qmemd.cli.exits import Exit
from qmemd.cli.logs import FORMATS, LEVELS
from qmemd.config.files import user_path
from qmemd.config.layers import Layers, layered
from qmemd.config.table import OPTIONS, Option
from qmemd.errors import SettingsError
from qmemd.settings import Settings


@click.command()
@click.option("--workspace", type=click.Path(path_type=Path), help="[default: here]")
@click.option("--json", "as_json", is_flag=True, help="Print JSON and nothing else.")
def config(workspace: Path | None, as_json: bool) -> None:
    """Print the settings that are in force here, and where each comes from."""
    try:
        layers = layered({"workspace": workspace}, os.environ)
        settings = layers.settings()
    except SettingsError as error:
        if as_json:
            click.echo(json.dumps({"error": error.message, "code": error.code}))
        else:
            click.echo(f"qmemd: {error.message}", err=True)
        sys.exit(Exit.FAILED)
    rows = {option.name: _value(option, settings, layers) for option in OPTIONS}
    if as_json:
        found = {
            name: {"value": value, "source": layers.sources[name]} for name, value in rows.items()
        }
        click.echo(json.dumps(found))
        return
    for name, value in rows.items():
        click.echo(f"{name:<22}{_shown(value):<30}  {layers.sources[name]}")
    for file in layers.files:
        click.echo(f"read {file.path}")
    path = user_path(os.environ)
    if path is not None and path not in [file.path for file in layers.files]:
        click.echo(f"no file at {path}")


def _value(option: Option, settings: Settings, layers: Layers) -> Any:
    if option.name == "token":
        return None if settings.token is None else "(given)"
    if option.name == "log-level":
        return layers.given.get("log_level", LEVELS[0])
    if option.name == "log-format":
        named = layers.environ.get("QMEMD_LOG_FORMAT", "").strip()
        return layers.given.get("log_format") or named or FORMATS[0]
    value = getattr(settings, option.argument)
    if isinstance(value, tuple):
        return list(value)
    return str(value) if isinstance(value, Path) else value


def _shown(value: Any) -> str:
    return "-" if value is None else value if isinstance(value, str) else json.dumps(value)
