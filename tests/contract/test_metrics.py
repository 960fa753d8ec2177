"""A scrape of a real daemon."""

from __future__ import annotations

import contextlib
import http.client
from collections.abc import Callable

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.contract.conftest import Api, MakeApi

PERSIMMONS = "The user prefers persimmons"


def scraped(api: Api) -> dict[str, float]:
    answer = api.get("/metrics")
    assert answer.status == 200
    assert b"persimmons" not in answer.raw
    return {
        f"{sample.name} {' '.join(sample.labels.values())}".strip(): sample.value
        for family in text_string_to_metric_families(answer.raw.decode())
        for sample in family.samples
    }


def scraped_once(api: Api, seen: Callable[[dict[str, float]], bool]) -> dict[str, float]:
    """The bus hears of an end a moment after those who poll."""
    for _ in range(1000):
        found = scraped(api)
        if seen(found):
            return found
    raise AssertionError(found)


def test_tasks_the_child_and_streams_are_told(make_api: MakeApi) -> None:
    api = make_api(model="offline")
    assert api.get("/metrics", Authorization="").status == 401
    api.run("remember", {"content": PERSIMMONS})
    api.run("remember", {"content": "the key is ghp_" + "a1B2c3D4e5F6" * 3})
    api.run("dream")
    found = scraped_once(api, lambda told: told["qmemd_tasks_total dream completed"] == 1)
    assert found["qmemd_tasks_total remember completed"] == 1
    assert found["qmemd_tasks_total remember secret_detected"] == 1
    assert found["qmemd_task_queue_seconds_count remember"] == 1
    assert found["qmemd_task_run_seconds_count remember"] == 1
    assert found["qmemd_queue_length"] == 0
    assert (found["qmemd_child_starts_total"], found["qmemd_child_up"]) == (1, 1)
    assert found["qmemd_http_requests_total GET 401"] == 1
    assert found["qmemd_http_requests_total POST 202"] == 3
    assert found["qmemd_resident_memory_bytes agent"] > 1_000_000
    assert found["qmemd_streams_open"] == 0
    connection = http.client.HTTPConnection("127.0.0.1", api.daemon.port, timeout=10)
    with contextlib.closing(connection):
        connection.request("GET", "/workspace/events", headers=api.headers)
        stream = connection.getresponse()  # it holds the socket
        stream.readline()
        assert scraped(api)["qmemd_streams_open"] == 1


@pytest.mark.slow
def test_a_child_that_crashes_is_counted_when_it_is_replaced(make_api: MakeApi) -> None:
    api = make_api(agent_command=("false",))
    task = api.run("dream")
    assert task["error"]["code"] == "agent_crashed"
    found = scraped_once(
        api,
        lambda told: (
            told["qmemd_tasks_total dream completed"] == 0
            and "qmemd_tasks_total dream agent_crashed" in told
        ),
    )
    assert found["qmemd_child_starts_total"] >= 3
    assert found["qmemd_child_failures_in_a_row"] >= 3
