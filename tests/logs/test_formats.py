from __future__ import annotations

import json
import logging
import sys
from datetime import datetime
from typing import Any

import pytest

from qmemd.kinds import TaskKind
from qmemd.logs import JsonFormatter, TextFormatter
from qmemd.logs.fields import MAX_VALUE, fields, task_fields
from qmemd.logs.formats import MAX_MESSAGE
from qmemd.tasks import Dream, Task, TaskFailure
from tests.conftest import FakeClock


def record(message: str, *args: object, **more: Any) -> logging.LogRecord:
    extra = more.pop("extra", {})
    made = logging.LogRecord("qmemd.x", logging.INFO, "x.py", 1, message, args, None, **more)
    made.__dict__.update(extra)
    made.created = 1_893_553_445.678
    made.msecs = 678.0
    return made


def in_json(made: logging.LogRecord) -> dict[str, Any]:
    line = JsonFormatter().format(made)
    assert line.isascii()
    assert "\n" not in line
    entry: dict[str, Any] = json.loads(line)
    return entry


def test_an_object_with_what_is_known(clock: FakeClock) -> None:
    task = Task.queued("dream-1", Dream(), "client_1", clock.now)
    ended = task.finished(TaskFailure.of("dream_unsafe"), clock.now)
    entry = in_json(record("%s ended", "dream-1", extra=task_fields(ended)))
    assert entry == {
        "time": "2030-01-02T03:04:05.678Z",
        "level": "INFO",
        "logger": "qmemd.x",
        "message": "dream-1 ended",
        "taskId": "dream-1",
        "clientId": "client_1",
        "kind": "dream",
        "code": "dream_unsafe",
    }
    assert list(in_json(record("plain"))) == ["time", "level", "logger", "message"]


def test_a_duration_is_a_whole_number_of_milliseconds() -> None:
    made = record("ended", extra=fields("dream-1", TaskKind.DREAM, seconds=1.2345))
    assert in_json(made)["durationMs"] == 1234


@pytest.mark.parametrize("text", ["a\nb\r\n{}", "\u2028\x00\x1b[31m", "caf\u00e9 \ud800", '"\\'])
def test_whatever_a_message_holds_is_one_line_and_comes_back(text: str) -> None:
    assert in_json(record("%s", text))["message"] == text


def test_everything_has_a_bound() -> None:
    entry = in_json(record("x" * 10 * MAX_MESSAGE, extra={"clientId": "c" * 1000}))
    assert len(entry["message"]) == MAX_MESSAGE
    assert len(entry["clientId"]) == MAX_VALUE


def test_arguments_that_do_not_fit_cost_no_line() -> None:
    assert in_json(record("%d of %s", "typed"))["message"] == "%d of %s"


def test_an_exception_is_one_string() -> None:
    try:
        json.loads("{")
    except ValueError:
        made = logging.LogRecord("qmemd.x", logging.ERROR, "x.py", 1, "oh", (), sys.exc_info())
    entry = in_json(made)
    assert entry["message"] == "oh"
    assert entry["exception"].startswith("Traceback (most recent call last):\n")
    assert entry["exception"].endswith("\nJSONDecodeError")
    line, _, trace = TextFormatter().format(made).partition("\n")
    assert line.endswith(" ERROR qmemd.x: oh")
    assert trace == entry["exception"]


def test_a_line_for_people_ends_with_the_ids_that_it_does_not_name_already() -> None:
    made = record("dream-1 ended", extra=fields("dream-1", "dream", "client_1", "dream_failed", 2))
    shown = TextFormatter().format(made)
    assert shown.endswith(",678 INFO qmemd.x: dream-1 ended [clientId=client_1 code=dream_failed]")
    datetime.strptime(shown.partition(",")[0], "%Y-%m-%d %H:%M:%S")  # noqa: DTZ007
    assert TextFormatter().format(record("plain")).endswith(" INFO qmemd.x: plain")
