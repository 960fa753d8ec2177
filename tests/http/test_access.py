from __future__ import annotations

import pytest
from falcon import testing

from qmemd.errors import SettingsError
from qmemd.http.app import create_app
from qmemd.http.ports import Access
from qmemd.http.server import HttpServer
from tests.http import raw
from tests.http.fake_door import FakeDoor

AUTH = {"Authorization": "Bearer s3cret"}


def bare_client(
    door: FakeDoor, hostname: str = "127.0.0.1", port: int = 4170
) -> testing.TestClient:
    return testing.TestClient(create_app(door, Access("s3cret", hostname, port)))


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1:4170",
        "127.0.0.1",
        "localhost:4170",
        "LocalHost",
        "LOCALHOST:4170",
        "[::1]:4170",
        "[::1]",
    ],
)
def test_names_of_the_daemon_are_accepted(door: FakeDoor, host: str) -> None:
    reply = bare_client(door).simulate_get("/health", headers={"Host": host})
    assert reply.status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "localhost:4171",
        "localhost.evil.example",
        "localhost, evil.example",
        "user@localhost",
        "127.0.0.2:4170",
        "::1",
        "",
        "10.0.0.7:4170",
    ],
)
def test_other_hosts_are_refused_even_for_health(door: FakeDoor, host: str) -> None:
    reply = bare_client(door).simulate_get("/health", headers={"Host": host} | AUTH)
    assert (reply.status_code, reply.json["code"]) == (403, "invalid_host")


def test_the_bound_name_is_accepted_in_any_case(door: FakeDoor) -> None:
    client = bare_client(door, hostname="Box.Lan")
    assert client.simulate_get("/health", headers={"Host": "BOX.lan:4170"}).status_code == 200


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("10.0.0.7:4170", 200),
        ("10.0.0.7", 200),
        ("[fe80::1]:4170", 200),
        ("10.0.0.7:4171", 403),
        ("fe80::1", 403),
        ("rebound.example:4170", 403),
    ],
)
def test_a_wildcard_bind_believes_addresses_but_not_names(
    door: FakeDoor, host: str, status: int
) -> None:
    client = bare_client(door, hostname="0.0.0.0")  # noqa: S104 - a made-up setting
    assert client.simulate_get("/health", headers={"Host": host}).status_code == status


@pytest.mark.parametrize("host_lines", [[], ["Host: localhost", "Host: localhost"]])
def test_a_missing_or_doubled_host_is_refused(server: HttpServer, host_lines: list[str]) -> None:
    request = "\r\n".join(["GET /health HTTP/1.1", *host_lines, "", ""]).encode()
    answer = raw.exchange(server.port, request)
    assert (answer.status, answer.json["code"]) == (403, "invalid_host")


@pytest.mark.parametrize(
    "origin", ["http://127.0.0.1:4170", "http://localhost:4170", "HTTP://LOCALHOST:4170"]
)
def test_the_own_origin_is_allowed(client: testing.TestClient, origin: str) -> None:
    assert client.simulate_get("/capabilities", headers={"Origin": origin}).status_code == 200


@pytest.mark.parametrize(
    "origin",
    [
        "null",
        "",
        "https://127.0.0.1:4170",
        "http://127.0.0.1",
        "http://127.0.0.1:4171",
        "http://evil.example",
        "http://127.0.0.1:4170, http://127.0.0.1:4170",
        "http://127.0.0.1:4170.evil.example",
    ],
)
def test_foreign_origins_are_denied_even_for_health(
    client: testing.TestClient, origin: str
) -> None:
    reply = client.simulate_get("/health", headers={"Origin": origin})
    assert (reply.status_code, reply.json["code"]) == (403, "origin_denied")


def test_browsers_leave_port_80_out_of_the_origin(door: FakeDoor) -> None:
    client = bare_client(door, port=80)
    headers = {"Host": "localhost", "Origin": "http://localhost"}
    assert client.simulate_get("/health", headers=headers).status_code == 200


def test_a_preflight_needs_no_token(door: FakeDoor) -> None:
    headers = {
        "Host": "localhost",
        "Origin": "http://localhost:4170",
        "Access-Control-Request-Method": "POST",
    }
    client = bare_client(door)
    assert client.simulate_options("/session", headers=headers).status_code == 204
    without_origin = {"Host": "localhost", "Access-Control-Request-Method": "POST"}
    assert client.simulate_options("/session", headers=without_origin).status_code == 401
    foreign = headers | {"Origin": "http://evil.example"}
    assert client.simulate_options("/session", headers=foreign).status_code == 403


@pytest.mark.parametrize(
    "authorization", ["Bearer s3cret", "bearer s3cret", "BEARER   s3cret", "bEaReR s3cret"]
)
def test_the_token_opens(door: FakeDoor, authorization: str) -> None:
    headers = {"Host": "localhost", "Authorization": authorization}
    assert bare_client(door).simulate_get("/capabilities", headers=headers).status_code == 200


@pytest.mark.parametrize(
    "authorization",
    [
        "",
        "Bearer",
        "Bearer ",
        "Bearer s3cretx",
        "Bearer S3CRET",
        "Bearer s3cre",
        "Bearer\ts3cret",
        "Basic s3cret",
        "s3cret",
        "Bearer s3cret, Bearer s3cret",
        "Bearer caf\u20ac",
    ],
)
def test_anything_else_does_not(door: FakeDoor, authorization: str) -> None:
    headers = {"Host": "localhost", "Authorization": authorization}
    reply = bare_client(door).simulate_get("/capabilities", headers=headers)
    assert (reply.status_code, reply.json["code"]) == (401, "unauthorized")
    assert reply.headers["WWW-Authenticate"] == "Bearer"


@pytest.mark.parametrize("value", [b"Bearer caf\xe9", b"\xff\xfe", b"Bearer \xf0\x9f\x94\x91"])
def test_bytes_that_are_not_ascii_are_unauthorized(server: HttpServer, value: bytes) -> None:
    request = b"GET /capabilities HTTP/1.1\r\nHost: localhost\r\nAuthorization: " + value
    answer = raw.exchange(server.port, request + b"\r\n\r\n")
    assert (answer.status, answer.json["code"]) == (401, "unauthorized")


def test_a_token_beyond_ascii_is_compared_as_bytes(door: FakeDoor) -> None:
    client = testing.TestClient(create_app(door, Access("schlüssel", "localhost", 4170)))
    as_wsgi = "schlüssel".encode().decode("latin-1")
    headers = {"Host": "localhost", "Authorization": f"Bearer {as_wsgi}"}
    assert client.simulate_get("/capabilities", headers=headers).status_code == 200


def test_a_missing_token_hides_which_routes_exist(door: FakeDoor) -> None:
    client = bare_client(door)
    for path in ("/nope", "/workspace/memory/dream", "/health/deeper"):
        assert client.simulate_get(path, headers={"Host": "localhost"}).status_code == 401
    assert client.simulate_post("/health", headers={"Host": "localhost"}).status_code == 401


@pytest.mark.parametrize("token", ["", "  ", "\t"])
def test_a_blank_token_is_no_setting(token: str) -> None:
    with pytest.raises(SettingsError, match="token is blank"):
        Access(token, "localhost", 4170)


def test_a_stopping_daemon_answers_polls_and_health_only(
    client: testing.TestClient, door: FakeDoor
) -> None:
    task_id = client.simulate_post("/workspace/memory/dream").json["taskId"]
    door.stopping = True
    assert client.simulate_get(f"/workspace/memory/dream/{task_id}").status_code == 200
    assert client.simulate_head(f"/workspace/memory/dream/{task_id}").status_code == 200
    assert client.simulate_get("/workspace/memory/dream/unknown").status_code == 404
    assert client.simulate_get("/health").status_code == 200
    for method, path in [
        ("POST", "/workspace/memory/dream"),
        ("POST", "/session"),
        ("DELETE", "/session/s1"),
        ("GET", "/capabilities"),
        ("GET", "/nope"),
        ("DELETE", f"/workspace/memory/dream/{task_id}"),
    ]:
        reply = client.simulate_request(method, path)
        assert (reply.status_code, reply.json["code"]) == (503, "daemon_stopping")
        assert reply.headers["Retry-After"] == "5"
    unauthorized = bare_client(door).simulate_post("/session", headers={"Host": "localhost"})
    assert unauthorized.status_code == 401


PAGE = "https://shell.example"


def allowing(door: FakeDoor, *origins: str, **more: bool) -> testing.TestClient:
    access = Access("s3cret", "127.0.0.1", 4170, origins, **more)
    return testing.TestClient(create_app(door, access), headers={"Host": "127.0.0.1:4170"})


@pytest.mark.parametrize("allowed", [(PAGE,), ("*",), ("http://other:1", PAGE)])
def test_every_answer_to_an_allowed_page_can_be_read_by_it(
    door: FakeDoor, allowed: tuple[str, ...]
) -> None:
    client = allowing(door, *allowed)
    page = {"Origin": PAGE}
    for reply in (
        client.simulate_get("/capabilities", headers=page | AUTH),
        client.simulate_get("/capabilities", headers=page),
        client.simulate_get("/nowhere", headers=page | AUTH),
        client.simulate_get("/health", headers=page),
    ):
        assert reply.headers["Access-Control-Allow-Origin"] == PAGE
        assert reply.headers["Vary"] == "Origin"
        assert "Retry-After" in reply.headers["Access-Control-Expose-Headers"]
        assert "Access-Control-Allow-Credentials" not in reply.headers


@pytest.mark.parametrize(
    "asks", ["Access-Control-Request-Method", "Access-Control-Request-Headers"]
)
def test_a_preflight_of_an_allowed_page_needs_no_token(door: FakeDoor, asks: str) -> None:
    headers = {"Origin": PAGE, asks: "x"}
    reply = allowing(door, PAGE).simulate_options("/workspace/memory/dream", headers=headers)
    assert (reply.status_code, reply.content) == (204, b"")
    assert "DELETE" in reply.headers["Access-Control-Allow-Methods"]
    assert "Last-Event-ID" in reply.headers["Access-Control-Allow-Headers"]
    assert reply.headers["Access-Control-Max-Age"] == "86400"


@pytest.mark.parametrize("origin", ["https://evil.example", f"{PAGE}.evil", "null", f"{PAGE}:444"])
def test_other_pages_are_told_nothing(door: FakeDoor, origin: str) -> None:
    for client in (allowing(door, PAGE), allowing(door)):
        reply = client.simulate_get("/capabilities", headers={"Origin": origin} | AUTH)
        assert (reply.status_code, reply.json["code"]) == (403, "origin_denied")
        assert "Access-Control-Allow-Origin" not in reply.headers


def test_a_page_from_nowhere_is_not_anybody(door: FakeDoor) -> None:
    reply = allowing(door, "*").simulate_get("/health", headers={"Origin": "null"})
    assert reply.status_code == 403


def test_the_daemon_s_own_page_needs_no_such_headers(door: FakeDoor) -> None:
    own = {"Origin": "http://127.0.0.1:4170"} | AUTH
    reply = allowing(door, PAGE).simulate_get("/capabilities", headers=own)
    assert reply.status_code == 200
    assert "Access-Control-Allow-Origin" not in reply.headers


def test_health_may_need_the_token(door: FakeDoor) -> None:
    client = allowing(door, require_auth=True)
    assert client.simulate_get("/health").status_code == 401
    assert client.simulate_get("/health", headers=AUTH).status_code == 200


def test_a_large_body_is_refused_readably(server: HttpServer) -> None:
    head = raw.get(
        "/workspace/memory/dream",
        "Origin: https://evil.example",
        "Content-Length: 5000000",
        method="POST",
    )
    answer = raw.exchange(server.port, head)
    assert (answer.status, answer.json["code"]) == (403, "origin_denied")
