"""``qmemd serve``: the daemon in the foreground."""

from __future__ import annotations

import faulthandler
import os
import sys
import threading
from contextlib import nullcontext
from typing import Any

import click

from qmemd.cli.logs import FORMATS, LEVELS, set_up_logging
from qmemd.cli.open_files import allow_open_files
from qmemd.cli.opening import page_opened, remove_old
from qmemd.cli.signals import on_signals
from qmemd.config.layers import layered
from qmemd.daemon import Daemon
from qmemd.errors import SettingsError

SWITCH_INTERVAL = 1e-4
"""Seconds a thread may keep the interpreter; short, because many threads do little each."""


OPEN_FILES = 4096
"""Enough for a thousand streams beside everything else."""


@click.command()
@click.option("--workspace", metavar="DIR", help="The project directory. [default: here]")
@click.option("--hostname", help="Address to listen on. [default: 127.0.0.1]")
@click.option("--port", type=int, help="Port to listen on; 0 picks one. [default: 4170]")
@click.option("--token", help="Bearer token; better kept in a file or in QMEMD_TOKEN.")
@click.option("--token-file", metavar="FILE", help="File (mode 0600) that holds the token.")
@click.option("--state-dir", metavar="DIR", help="Where the daemon keeps what is its own.")
@click.option("--agent-command", metavar="COMMAND", help="Another ACP program as the agent.")
@click.option(
    "--child-memory",
    type=int,
    metavar="MIB",
    help="What the agent may use; 0 for no limit. [default: 2048]",
)
@click.option("--model", metavar="NAME", help="auto, offline or openai:NAME. [default: auto]")
@click.option("--max-model-calls", type=int, metavar="N", help="Per task. [default: 20]")
@click.option("--max-tokens-per-day", type=int, metavar="N", help="[default: no limit]")
@click.option("--secrets", metavar="POLICY", help="refuse, mask or allow. [default: refuse]")
@click.option("--idle-timeout", type=float, metavar="SECONDS", help="[default: 600]")
@click.option("--task-timeout", type=float, metavar="SECONDS", help="[default: 300]")
@click.option(
    "--allow-origin",
    "allow_origins",
    multiple=True,
    metavar="ORIGIN",
    help="Web pages that may ask, such as https://shell.example; * for all.",
)
@click.option(
    "--require-auth/--no-require-auth",
    default=None,
    help="Whether /health needs the token. [default: beyond loopback]",
)
@click.option("--journal", metavar="KIND", help="sqlite or memory. [default: sqlite]")
@click.option("--max-streams", type=int, metavar="N", help="Event streams at once. [default: 256]")
@click.option(
    "--rate-limit/--no-rate-limit",
    default=None,
    help="Whether requests are counted and refused over a limit. [default: no]",
)
@click.option("--rate-limit-mutations", type=int, metavar="N", help="A minute. [default: 30]")
@click.option("--rate-limit-reads", type=int, metavar="N", help="A minute. [default: 120]")
@click.option("--open", "open_page", is_flag=True, help="Open the page in a browser.")
@click.option(
    "--log-level",
    type=click.Choice(LEVELS),
    help="How much is logged to stderr. [default: info]",
)
@click.option(
    "--log-format",
    type=click.Choice(FORMATS),
    help="Lines for people, or an object of JSON a line. [default: text]",
)
def serve(*, open_page: bool, **options: Any) -> None:
    """Run the daemon until SIGTERM, SIGINT or SIGHUP.

    What is not given here comes from the environment, then from qmemd.toml: see `qmemd config`.
    """
    try:
        options["allow_origins"] = options["allow_origins"] or None
        layers = layered(options, os.environ)
        stderr = set_up_logging(layers.given.get("log_level"), layers.given.get("log_format"))
    except SettingsError as mistake:
        click.echo(f"qmemd: {mistake}", err=True)
        sys.exit(1)
    sys.setswitchinterval(SWITCH_INTERVAL)
    faulthandler.enable()  # what each thread did, to stderr, when the interpreter crashes
    allow_open_files(OPEN_FILES)
    stopping, failed = threading.Event(), threading.Event()

    def on_failure() -> None:
        failed.set()
        stopping.set()

    def at_once(number: int) -> None:
        daemon.abort()
        os._exit(128 + number)

    try:
        daemon = Daemon(layers.settings(), on_failure=on_failure)
        with on_signals(stopping.set, at_once):
            daemon.start()
            try:
                click.echo(
                    f"qmemd listening on {daemon.url} (workspace {daemon.settings.workspace})"
                )
                state_dir = daemon.settings.state_dir
                page = page_opened(daemon.url, daemon.token, state_dir)
                with page if open_page else nullcontext():
                    stopping.wait()
            finally:
                daemon.stop()
                remove_old(daemon.settings.state_dir)
    except SettingsError as mistake:
        stderr.complain(mistake)
        sys.exit(1)
    if failed.is_set():
        stderr.complain("the HTTP server failed; the log above says why")
        sys.exit(1)
