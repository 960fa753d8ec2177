"""The text as a scraper reads it."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import prometheus_client
import pytest
from prometheus_client.parser import text_string_to_metric_families

from qmemd.events import TaskUpdated
from qmemd.kinds import TaskKind, TaskStatus
from qmemd.metrics import Metrics
from qmemd.results import Usage

STATUS = {
    "pid": os.getpid(),
    "uptimeSeconds": 7,
    "qmemdVersion": "1.2",
    "pythonVersion": "3.11",
    "tasks": {"queued": 3, "running": 1, "completed": 9, "failed": 0},
    "child": {"phase": "live", "generation": 4, "pid": os.getpid(), "failuresInARow": 2},
    "streams": {"open": 5, "limit": 256},
    "sessions": 6,
}


def samples(metrics: Metrics) -> dict[str, float]:
    """Values by name and labels, as they are written."""
    media_type, text = metrics.render()
    assert media_type.startswith("text/plain; version=")
    return {
        sample.name
        + "".join(f" {key}={value}" for key, value in sorted(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text.decode())
        for sample in family.samples
    }


def test_what_was_counted_and_what_the_status_says() -> None:
    metrics = Metrics(lambda: STATUS)
    step = TaskUpdated("dream-1", TaskKind.DREAM, TaskStatus.RUNNING, None, None, 0.02)
    metrics.tasks.heard(step)
    metrics.tasks.heard(
        TaskUpdated(
            *("dream-1", TaskKind.DREAM, TaskStatus.FAILED, None),
            before=TaskStatus.RUNNING,
            seconds=2.0,
            code="dream_unsafe",
            usage=Usage(2, 30, 4),
        )
    )
    metrics.requests.answered("GET", 200)
    found = samples(metrics)
    assert found["qmemd_tasks_total kind=dream outcome=dream_unsafe"] == 1
    assert found["qmemd_tasks_total kind=dream outcome=completed"] == 0
    assert found["qmemd_task_queue_seconds_bucket kind=dream le=0.025"] == 1
    assert found["qmemd_task_queue_seconds_bucket kind=dream le=0.01"] == 0
    assert found["qmemd_task_run_seconds_sum kind=dream"] == 2
    assert found["qmemd_task_run_seconds_count kind=dream"] == 1
    assert found["qmemd_task_run_seconds_bucket kind=dream le=+Inf"] == 1
    assert found["qmemd_model_calls_total"] == 2
    assert found["qmemd_model_tokens_total direction=input"] == 30
    assert found["qmemd_model_tokens_total direction=output"] == 4
    assert found["qmemd_http_requests_total method=GET status=200"] == 1
    assert found["qmemd_build_info python_version=3.11 version=1.2"] == 1
    assert found["qmemd_uptime_seconds"] == 7
    assert found["qmemd_queue_length"] == 3
    assert found["qmemd_tasks_running"] == 1
    assert found["qmemd_streams_open"] == 5
    assert found["qmemd_streams_limit"] == 256
    assert found["qmemd_sessions_open"] == 6
    assert found["qmemd_child_starts_total"] == 4
    assert found["qmemd_child_up"] == 1
    assert found["qmemd_child_failures_in_a_row"] == 2
    assert found["qmemd_resident_memory_bytes process=daemon"] > 1_000_000
    assert found["qmemd_resident_memory_bytes process=agent"] > 1_000_000


def test_what_is_not_known_is_left_out() -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    child: dict[str, Any] = {"phase": "ending", "generation": 1, "pid": gone.pid}
    found = samples(Metrics(lambda: STATUS | {"child": child | {"failuresInARow": 0}}))
    assert found["qmemd_child_up"] == 0
    assert "qmemd_resident_memory_bytes process=agent" not in found
    found = samples(Metrics(lambda: STATUS | {"child": None}))
    assert not [name for name in found if "child" in name or "agent" in name]
    assert found["qmemd_uptime_seconds"] == 7


def test_several_daemons_share_nothing_and_leave_the_global_registry_alone() -> None:
    before = prometheus_client.generate_latest()
    one, two = Metrics(lambda: STATUS), Metrics(lambda: STATUS)
    one.requests.answered("GET", 200)
    assert "qmemd_http_requests_total method=GET status=200" in samples(one)
    assert "qmemd_http_requests_total method=GET status=200" not in samples(two)
    assert b"qmemd" not in prometheus_client.generate_latest()
    assert b"qmemd" not in before


def test_a_status_that_breaks_is_the_askers_trouble_and_the_next_one_is_answered() -> None:
    broken = [True]

    def status() -> dict[str, Any]:
        if broken.pop() if broken else False:
            raise OSError("no status")
        return STATUS

    metrics = Metrics(status)
    with pytest.raises(OSError, match="no status"):
        metrics.render()
    assert samples(metrics)["qmemd_queue_length"] == 3


WITHOUT = """
import sys
sys.modules["prometheus_client"] = None  # as if it were not installed
from qmemd.errors import RequestError
from qmemd.metrics import Metrics
metrics = Metrics(dict)
metrics.requests.answered("GET", 200)
for _ in range(2):
    try:
        metrics.render()
    except RequestError as refusal:
        print(refusal.status, refusal.code, refusal.message)
"""


def test_without_the_extra_it_says_what_to_install() -> None:
    shown = subprocess.run(
        [sys.executable, "-c", WITHOUT], check=True, capture_output=True, text=True
    ).stdout.splitlines()
    assert len(shown) == 2
    for line in shown:
        assert line.startswith("501 metrics_unavailable ")
        assert "pip install 'qmemd[metrics]'" in line
