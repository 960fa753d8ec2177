"""The numbers in the text form of Prometheus. Imports prometheus-client, and so only when asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from qmemd.metrics.request_tally import RequestTally
from qmemd.metrics.status_families import status_families
from qmemd.metrics.task_families import request_family, task_families
from qmemd.metrics.task_tally import TaskTally


class Exposition(Collector):
    """Collects for a registry of its own: the package's global one belongs to the host."""

    def __init__(
        self, tasks: TaskTally, requests: RequestTally, status: Callable[[], dict[str, Any]]
    ) -> None:
        self._tasks = tasks
        self._requests = requests
        self._status = status
        self._registry = CollectorRegistry()
        self._registry.register(self)

    def render(self) -> tuple[str, bytes]:
        """The media type and the text."""
        return CONTENT_TYPE_LATEST, generate_latest(self._registry)

    def describe(self) -> Iterator[Metric]:
        """Nothing: else the registry would collect once in order to learn the names."""
        return iter(())

    def collect(self) -> Iterator[Metric]:
        """Everything, from one look at the status."""
        yield from status_families(self._status())
        yield from task_families(self._tasks.numbers())
        yield request_family(self._requests.numbers())
