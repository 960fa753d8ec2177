from __future__ import annotations

import logging

import falcon
import pytest
from falcon import testing

from qmemd.errors import ERRORS, ProtocolError, RequestError
from qmemd.http.error_handlers import code_of_status
from qmemd.http.server import HttpServer
from tests.http import raw
from tests.http.fake_door import FakeDoor


@pytest.mark.parametrize("error", [RuntimeError("hush"), ProtocolError("hush"), KeyError("hush")])
def test_surprises_are_logged_and_not_told(
    client: testing.TestClient,
    door: FakeDoor,
    caplog: pytest.LogCaptureFixture,
    error: Exception,
) -> None:
    door.refusal = error
    with caplog.at_level(logging.ERROR, "qmemd.http"):
        reply = client.simulate_post("/workspace/memory/dream")
    assert (reply.status_code, reply.json["code"]) == (500, "internal_error")
    assert "hush" not in reply.text
    (record,) = caplog.records
    assert record.exc_info
    assert record.exc_info[1] is error


def test_a_path_cannot_forge_lines_of_the_log(
    client: testing.TestClient, door: FakeDoor, caplog: pytest.LogCaptureFixture
) -> None:
    door.refusal = RuntimeError()
    client.simulate_get("/workspace/memory/dream/x%0aERROR%20forged")
    assert "forged" not in caplog.records[0].getMessage()
    assert "{task_id}" in caplog.records[0].getMessage()


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (falcon.HTTPBadRequest(), 400, "bad_request"),
        (falcon.HTTPInvalidHeader("x", "Content-Length"), 400, "bad_request"),
        (falcon.HTTPContentTooLarge(), 413, "body_too_large"),
        (falcon.HTTPConflict(), 400, "bad_request"),
        (falcon.HTTPServiceUnavailable(), 500, "internal_error"),
    ],
)
def test_errors_of_the_framework_get_our_form(
    client: testing.TestClient, door: FakeDoor, error: falcon.HTTPError, status: int, code: str
) -> None:
    door.refusal = error
    reply = client.simulate_post("/workspace/memory/dream", headers={"Accept": "text/xml"})
    assert (reply.status_code, reply.json) == (
        status,
        {"error": ERRORS[code].sentence, "code": code},
    )


def test_every_status_maps_to_a_row_of_the_table() -> None:
    for status in range(400, 600):
        assert ERRORS[code_of_status(status)].status


def test_a_code_without_a_row_is_a_server_error(client: testing.TestClient, door: FakeDoor) -> None:
    door.refusal = RequestError("never_heard_of", "What it says.")
    reply = client.simulate_post("/workspace/memory/dream")
    assert reply.status_code == 500
    assert reply.json == {"error": "What it says.", "code": "never_heard_of"}


def test_a_surprise_leaves_the_connection_usable(server: HttpServer, door: FakeDoor) -> None:
    door.refusal = RuntimeError("hush")
    with raw.Connection(server.port) as sock:
        sock.send(raw.get("/workspace/memory/dream/x"))
        assert sock.read().status == 500
        door.refusal = None
        sock.send(raw.get("/workspace/memory/dream/x"))
        assert sock.read().status == 404
