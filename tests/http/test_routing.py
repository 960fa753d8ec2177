from __future__ import annotations

import falcon
import pytest
from falcon import testing

from qmemd.http.routing import MethodRouter
from qmemd.http.server import HttpServer
from tests.http import raw

ALLOWED = {
    "/health": "GET, HEAD, OPTIONS",
    "/capabilities": "GET, HEAD, OPTIONS",
    "/workspace/memory/remember": "OPTIONS, POST",
    "/workspace/memory/remember/x": "DELETE, GET, HEAD, OPTIONS",
    "/workspace/memory/tasks": "GET, HEAD, OPTIONS",
    "/session": "OPTIONS, POST",
    "/session/s1": "DELETE, OPTIONS",
}


@pytest.mark.parametrize("path", ALLOWED)
def test_options_tell_what_is_allowed(client: testing.TestClient, path: str) -> None:
    reply = client.simulate_options(path)
    assert (reply.status_code, reply.content) == (204, b"")
    assert reply.headers["Allow"] == ALLOWED[path]


@pytest.mark.filterwarnings("ignore:Unknown REQUEST_METHOD")
@pytest.mark.parametrize("path", ALLOWED)
@pytest.mark.parametrize("method", ["PUT", "PATCH", "TRACE", "PROPFIND", "BREW"])
def test_other_methods_are_refused(client: testing.TestClient, path: str, method: str) -> None:
    reply = client.simulate_request(method, path)
    assert (reply.status_code, reply.json["code"]) == (405, "method_not_allowed")
    assert reply.headers["Allow"] == ALLOWED[path]


@pytest.mark.parametrize("path", ALLOWED)
@pytest.mark.parametrize("method", ["WEBSOCKET", "CONNECT", "FOO!#$"])
def test_names_that_the_framework_knows_are_no_exception(
    server: HttpServer, path: str, method: str
) -> None:
    answer = raw.exchange(server.port, raw.get(path, method=method))
    assert (answer.status, answer.json["code"]) == (405, "method_not_allowed")
    assert answer.headers["Allow"] == ALLOWED[path]
    stranger = raw.get(path, method=method).replace(b"s3cret", b"wrong")
    assert raw.exchange(server.port, stranger).status == 401
    assert raw.exchange(server.port, raw.get("/nope", method=method)).status == 404


def test_get_where_only_post_is(client: testing.TestClient) -> None:
    reply = client.simulate_get("/workspace/memory/dream")
    assert (reply.status_code, reply.json["code"]) == (405, "method_not_allowed")


@pytest.mark.parametrize(
    "path",
    [
        "/page",
        "/page/nope.js",
        "/nope",
        "/health//",
        "/HEALTH",
        "/workspace/memories",
        "/workspace/memory/changing",
        "/workspace/memory/remember/x/y",
        "/session/s1/x",
        "/%ff",
        "/{task_id}",
    ],
)
@pytest.mark.parametrize("accept", ["application/xml", "text/html", "*/*"])
def test_unknown_paths_are_json_whatever_is_accepted(
    client: testing.TestClient, path: str, accept: str
) -> None:
    reply = client.simulate_get(path, headers={"Accept": accept})
    assert (reply.status_code, reply.json["code"]) == (404, "not_found")
    assert reply.headers["Content-Type"] == "application/json"


def test_a_resource_may_do_without_head() -> None:
    class Stream:
        head = False

        def on_get(self, _req: falcon.Request, resp: falcon.Response) -> None:
            resp.text = "x"

    app = falcon.App(router=MethodRouter())
    app.add_route("/events", Stream())
    reply = testing.TestClient(app).simulate_head("/events")
    assert (reply.status_code, reply.headers["Allow"]) == (405, "GET, OPTIONS")
