"""In a process of its own, since it sets up what is global."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

BREAKS = """
import sys, threading, warnings
from qmemd.cli.logs import set_up_logging
set_up_logging("info", FORMAT)
warnings.warn("old ways", DeprecationWarning)
def breaks():
    {}["typed"]
def exits():
    raise SystemExit(3)
for work in (breaks, exits):
    thread = threading.Thread(target=work, name="worker")
    thread.start()
    thread.join()
raise RuntimeError("the end")
"""


def stderr_of(log_format: str) -> str:
    code = BREAKS.replace("FORMAT", repr(log_format))
    ended = subprocess.run(
        [sys.executable, "-W", "always", "-c", code],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (1, "")
    return ended.stderr


def test_in_json_python_itself_prints_nothing_between_the_objects() -> None:
    entries: list[dict[str, Any]] = [json.loads(line) for line in stderr_of("json").splitlines()]
    assert [entry["level"] for entry in entries] == ["WARNING", "ERROR", "CRITICAL"]
    warned, broke, ended = entries
    assert "old ways" in warned["message"]
    assert broke["message"] == "the thread worker broke"
    assert broke["exception"].endswith("\nKeyError")
    assert ended["exception"].endswith("\nRuntimeError: the end")


def test_for_people_it_prints_as_ever() -> None:
    shown = stderr_of("text")
    assert "Exception in thread worker" in shown
    assert shown.endswith("RuntimeError: the end\n")
