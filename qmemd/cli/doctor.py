"""``qmemd doctor``: looks at what a daemon needs, and says how to mend it."""

from __future__ import annotations

import json
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from urllib.parse import urlsplit

import click

from qmemd.access_token import read_token
from qmemd.cli.context import answering
from qmemd.cli.exits import Exit
from qmemd.cli.handshake import HandshakeError, shake_hands
from qmemd.client import Client, ClientError, DaemonNotFoundError
from qmemd.config.layers import layered
from qmemd.errors import QmemdError, SettingsError
from qmemd.model_choice import endpoint_of
from qmemd.settings import Settings

_CONNECT = 5.0
_PHASES = {"none": "none now; the next task starts one", "live": "runs"}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at."""

    what: str
    ok: bool
    says: str
    mend: str = ""


@click.command()
@click.option("--workspace", type=click.Path(path_type=Path), help="[default: here]")
@click.option("--json", "as_json", is_flag=True, help="Print JSON and nothing else.")
def doctor(workspace: Path | None, as_json: bool) -> None:
    """Check settings, directories, token, model and the running daemon."""
    findings = list(examine(workspace))
    if as_json:
        click.echo(json.dumps([asdict(finding) for finding in findings]))
    else:
        for finding in findings:
            click.echo(f"{'ok  ' if finding.ok else 'FAIL'}  {finding.what}: {finding.says}")
            if finding.mend:
                click.echo(f"      {finding.mend}")
    if not all(finding.ok for finding in findings):
        sys.exit(Exit.FAILED)


def examine(workspace: Path | None) -> Iterator[Finding]:
    """Everything that is looked at, in the order in which a daemon needs it."""
    try:
        settings = layered({"workspace": workspace}, os.environ).settings()
    except SettingsError as error:
        mend = "Mend the variable or file that is named; qmemd config shows them."
        yield Finding("settings", False, error.message, mend)
        return
    yield Finding("settings", True, f"workspace {settings.workspace}, model {settings.model}")
    for what, path in (("memory", settings.base), ("state", settings.state_dir)):
        yield _directory(what, path)
    yield _token(settings)
    yield _model(settings)
    yield from _daemon(settings)


def _directory(what: str, path: Path) -> Finding:
    there = path
    while not there.exists() and there != there.parent:
        there = there.parent
    if there.is_dir() and os.access(there, os.R_OK | os.W_OK | os.X_OK):
        return Finding(f"{what} directory", True, str(path))
    variable = "QWEN_CODE_MEMORY_BASE_DIR" if what == "memory" else "QMEMD_STATE_DIR"
    return Finding(
        f"{what} directory",
        False,
        f"{path} cannot be written",
        f"Make {there} a directory that you may write, or set {variable}.",
    )


def _token(settings: Settings) -> Finding:
    file = settings.token_file or settings.state_dir / "token"
    if settings.token is not None:
        return Finding("token", True, "given")
    if settings.token_file is None and not file.exists():
        return Finding("token", True, f"will be made in {file}")
    try:
        read_token(file)
    except SettingsError as error:
        return Finding("token", False, error.message, f"Make {file} yours alone: chmod 600.")
    return Finding("token", True, str(file))


def _model(settings: Settings) -> Finding:
    endpoint = endpoint_of(settings.model, settings.environ)
    if endpoint is None:
        return Finding("model", True, "offline: needs no network")
    parts = urlsplit(endpoint.base_url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    where = f"{parts.hostname}:{port}"
    try:
        with closing(socket.create_connection((parts.hostname or "", port), _CONNECT)):
            return Finding("model", True, f"{endpoint.model} at {where} is reached")
    except OSError as error:
        return Finding(
            "model",
            False,
            f"{where} is not reached: {error}",
            "Check OPENAI_BASE_URL and the network, or use --model offline.",
        )


def _agent(settings: Settings) -> Finding:
    try:
        return Finding("agent", True, f"{shake_hands(settings)} starts and answers")
    except HandshakeError as error:
        mend = "Run the command of --agent-command by hand, or leave it out to use qmemd's own."
        return Finding("agent", False, str(error), mend)


def _daemon(settings: Settings) -> Iterator[Finding]:
    try:
        client = Client(workspace=settings.workspace)
    except DaemonNotFoundError:
        yield Finding("daemon", True, "none runs; commands start one")
        yield _agent(settings)
        return
    try:
        child = answering(client).status()["child"]
    except (ClientError, QmemdError) as error:
        yield Finding("daemon", False, str(error), "Stop its process and start it again.")
        return
    yield Finding("daemon", True, client.base_url)
    fine = child is not None and child["failuresInARow"] == 0
    says = "does not say" if child is None else _PHASES.get(child["phase"], child["phase"])
    yield Finding(
        "agent", fine, says, "" if fine else "The daemon's log says why its agent does not start."
    )
