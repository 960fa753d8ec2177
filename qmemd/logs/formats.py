"""Two forms of a log record: a line for people, and an object of JSON for programs."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime
from types import TracebackType
from typing import Any

from qmemd.logs.exceptions import exception_text
from qmemd.logs.fields import fields_of
from qmemd.tasks import iso

MAX_MESSAGE = 16_384
"""Characters of a message in JSON."""

_ExcInfo = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


class TextFormatter(logging.Formatter):
    """``2030-01-02 03:04:05,678 INFO qmemd.x: what happened [clientId=c]``."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's name
        """The line, with those fields at its end that the message does not hold already."""
        line = super().formatMessage(record)
        told = [
            f"{name}={value}"
            for name, value in fields_of(record).items()
            if isinstance(value, str) and value not in record.message
        ]
        return f"{line} [{' '.join(told)}]" if told else line

    def formatException(self, ei: _ExcInfo) -> str:  # noqa: N802 - logging's name
        """See ``exception_text``."""
        return "" if ei[1] is None else exception_text(ei[1])


class JsonFormatter(logging.Formatter):
    """One object a line, in ASCII: ``time``, ``level``, ``logger``, ``message``, and what is known.

    That is ``taskId``, ``clientId``, ``kind``, ``code``, ``durationMs`` and ``exception``.
    """

    def format(self, record: logging.LogRecord) -> str:
        entry: dict[str, Any] = {
            "time": iso(datetime.fromtimestamp(record.created, UTC)),
            "level": record.levelname,
            "logger": record.name,
            "message": _message(record),
            **fields_of(record),
        }
        if record.exc_info and record.exc_info[1] is not None:
            entry["exception"] = exception_text(record.exc_info[1])
        # ASCII alone: no separator of lines that only some parsers know can hide in a text.
        return json.dumps(entry, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def _message(record: logging.LogRecord) -> str:
    try:
        message = record.getMessage()
    except Exception:  # noqa: BLE001 - logging itself would print the arguments
        message = str(record.msg)
    return message if len(message) <= MAX_MESSAGE else f"{message[: MAX_MESSAGE - 1]}…"
