"""The set-up of logging: to stderr, in the form that was asked for."""

from __future__ import annotations

import logging
import os
import sys
import threading
from types import TracebackType

import click

from qmemd.errors import SettingsError
from qmemd.logs import JsonFormatter, TextFormatter

FORMATS = ("text", "json")
"""The first one is the default."""

LEVELS = ("info", "debug", "warning", "error")
"""The first one is the default."""

log = logging.getLogger(__name__)


class Stderr:
    """Where the log goes, in the form that was chosen."""

    def __init__(self, *, in_json: bool) -> None:
        self._in_json = in_json

    def complain(self, mistake: SettingsError | str) -> None:
        """Says why the daemon ends: a line for people, or one more object of the log."""
        if self._in_json:
            code = mistake.code if isinstance(mistake, SettingsError) else None
            log.critical("%s", mistake, extra={"code": code})
        else:
            click.echo(f"qmemd: {mistake}", err=True)


def set_up_logging(level: str | None, log_format: str | None) -> Stderr:
    """Everything that is logged goes to stderr from now on.

    Args:
        level: one of ``LEVELS``.
        log_format: one of ``FORMATS``; None asks the environment.

    Raises:
        SettingsError: the environment or a file names one that is none.
    """
    level = _one_of(LEVELS, "log-level", level)
    in_json = _one_of(FORMATS, *_named(log_format)) == "json"
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter() if in_json else TextFormatter())
    logging.basicConfig(level=level.upper(), handlers=[handler])
    logging.getLogger("waitress").setLevel(logging.WARNING)  # says more of each stream than we do
    if in_json:
        _log_what_python_prints()
    return Stderr(in_json=in_json)


def _named(log_format: str | None) -> tuple[str, str | None]:
    """Who says which."""
    if log_format is not None:
        return "log-format", log_format
    return "QMEMD_LOG_FORMAT", os.environ.get("QMEMD_LOG_FORMAT", "").strip() or None


def _one_of(choices: tuple[str, ...], what: str, chosen: str | None) -> str:
    if chosen is not None and chosen not in choices:
        raise SettingsError(f"{what} must be one of {', '.join(choices)}, not {chosen!r}")
    return chosen or choices[0]


def _log_what_python_prints() -> None:
    """Warnings, and exceptions that nobody caught, would come between the objects as plain text."""
    logging.captureWarnings(capture=True)

    def uncaught(
        kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        log.critical("an error was not caught", exc_info=(kind, error, trace))

    def in_thread(args: threading.ExceptHookArgs) -> None:
        name = args.thread.name if args.thread else "?"
        if args.exc_value is not None and not isinstance(args.exc_value, SystemExit):
            error = (args.exc_type, args.exc_value, args.exc_traceback)
            log.error("the thread %s broke", name, exc_info=error)

    sys.excepthook = uncaught
    threading.excepthook = in_thread
