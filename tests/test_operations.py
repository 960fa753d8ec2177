"""docs/operations.md names what is there, and all of it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from qmemd import Daemon
from qmemd.logs.fields import FIELDS
from qmemd.metrics import Metrics
from tests.conftest import Home

TEXT = (Path(__file__).parents[1] / "docs" / "operations.md").read_text()


def section(title: str) -> str:
    return TEXT.split(f"\n## {title}\n")[1].split("\n## ")[0]


def first_cells(title: str) -> set[str]:
    """What the first column of a section's table names."""
    rows = re.findall(r"^\| (`[^|]*) \|", section(title), flags=re.MULTILINE)
    return {name for row in rows for name in re.findall(r"`([A-Za-z_]+)`", row)}


def test_every_key_of_the_status_is_told_of(home: Home) -> None:
    with Daemon(home.settings(http=False)) as daemon:
        told = daemon.status()
    assert told.keys() - {"v"} == first_cells("The status")
    for nested in ("child", "streams", "usage"):
        for key in told[nested]:
            assert f"`{key}`" in section("The status"), key


def test_every_metric_is_told_of(home: Home) -> None:
    with Daemon(home.settings(http=False)) as daemon:
        _, text = Metrics(daemon.status).render()
    names = set(re.findall(r"^# TYPE (\S+)", text.decode(), flags=re.MULTILINE))
    assert names == first_cells("Metrics")
    for label in set(re.findall(r'[{,](\w+)="', text.decode())) - {"le"}:
        assert f"`{label}`" in section("Metrics"), label


def test_every_field_of_the_log_is_told_of() -> None:
    told = first_cells("The log")
    assert told == {"time", "level", "logger", "message", "exception", *FIELDS}


def test_a_host_can_have_the_json() -> None:
    [code] = re.findall(r"```python\n(.*?)```", section("The log"), flags=re.DOTALL)
    say = 'logging.getLogger("qmemd.x").warning("hello", extra={"taskId": "dream-1"})'
    shown = subprocess.run(
        [sys.executable, "-c", f"{code}\n{say}"], check=True, capture_output=True, text=True
    )
    assert shown.stderr.startswith('{"time":"')
    assert '"message":"hello","taskId":"dream-1"}' in shown.stderr
