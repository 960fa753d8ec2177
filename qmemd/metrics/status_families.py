"""What the status says at this moment, as families of Prometheus."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psutil
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, Metric


def status_families(told: dict[str, Any]) -> Iterator[Metric]:
    """Of ``told``, the body of ``GET /daemon/status``."""
    build = GaugeMetricFamily("qmemd_build_info", "Always 1.", labels=("version", "python_version"))
    build.add_metric((told["qmemdVersion"], told["pythonVersion"]), 1)
    yield build
    yield GaugeMetricFamily(
        "qmemd_uptime_seconds", "Since the daemon was made.", told["uptimeSeconds"]
    )
    yield _memory(told)
    tasks, streams = told["tasks"], told["streams"]
    yield GaugeMetricFamily("qmemd_queue_length", "Tasks that wait.", tasks["queued"])
    yield GaugeMetricFamily("qmemd_tasks_running", "Tasks that run: 0 or 1.", tasks["running"])
    yield GaugeMetricFamily("qmemd_streams_open", "Event streams.", streams["open"])
    yield GaugeMetricFamily("qmemd_streams_limit", "As many may be open.", streams["limit"])
    yield GaugeMetricFamily("qmemd_sessions_open", "Sessions.", told["sessions"])
    if told["child"] is not None:
        yield from _child(told["child"])


def _child(child: dict[str, Any]) -> Iterator[Metric]:
    """Left out while the daemon does not know how its agent process is."""
    yield CounterMetricFamily(
        "qmemd_child_starts", "Agent processes that were started.", child["generation"]
    )
    yield GaugeMetricFamily(
        "qmemd_child_up", "Whether an agent process is ready.", int(child["phase"] == "live")
    )
    yield GaugeMetricFamily(
        "qmemd_child_failures_in_a_row",
        "Agent processes that failed since one went well.",
        child["failuresInARow"],
    )


def _memory(told: dict[str, Any]) -> Metric:
    memory = GaugeMetricFamily(
        "qmemd_resident_memory_bytes",
        "Memory of the process that the daemon is part of, and of its agent process.",
        labels=("process",),
    )
    agent = None if told["child"] is None else told["child"]["pid"]
    for name, pid in (("daemon", told["pid"]), ("agent", agent)):
        if pid is not None and (size := _resident(pid)) is not None:
            memory.add_metric((name,), size)
    return memory


def _resident(pid: int) -> int | None:
    """Bytes; None when the process is gone, or not to be looked at."""
    try:
        size: int = psutil.Process(pid).memory_info().rss
    except psutil.Error:
        return None
    return size
