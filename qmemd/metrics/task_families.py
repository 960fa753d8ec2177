"""What was counted, as families of Prometheus."""

from __future__ import annotations

from collections.abc import Iterator

from prometheus_client.metrics_core import CounterMetricFamily, HistogramMetricFamily, Metric

from qmemd.metrics.task_tally import Durations, TaskNumbers


def task_families(numbers: TaskNumbers) -> Iterator[Metric]:
    """Of the tasks since the start."""
    ended = CounterMetricFamily(
        "qmemd_tasks",
        "Tasks that ended; the outcome is completed, or the code of the failure.",
        labels=("kind", "outcome"),
    )
    for labels, count in sorted(numbers.ended.items()):
        ended.add_metric(labels, count)
    yield ended
    yield _histogram(
        "qmemd_task_queue_seconds", "How long tasks waited that began to run.", numbers.queued
    )
    yield _histogram("qmemd_task_run_seconds", "How long runs of tasks took.", numbers.ran)
    yield CounterMetricFamily(
        "qmemd_model_calls", "Requests to a language model that it answered.", numbers.model_calls
    )
    tokens = CounterMetricFamily(
        "qmemd_model_tokens", "Tokens that a language model counted.", labels=("direction",)
    )
    tokens.add_metric(("input",), numbers.input_tokens)
    tokens.add_metric(("output",), numbers.output_tokens)
    yield tokens


def request_family(answered: dict[tuple[str, int], int]) -> Metric:
    """Of the requests since the start."""
    requests = CounterMetricFamily(
        "qmemd_http_requests",
        "Requests that the application answered; a stream counts when it begins.",
        labels=("method", "status"),
    )
    for (method, status), count in sorted(answered.items()):
        requests.add_metric((method, str(status)), count)
    return requests


def _histogram(name: str, documentation: str, durations: list[Durations]) -> Metric:
    family = HistogramMetricFamily(name, documentation, labels=("kind",))
    for each in durations:
        family.add_metric((each.kind,), each.buckets, each.seconds)
    return family
