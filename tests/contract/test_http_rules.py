"""The general rules of the wire, against a whole daemon: who comes in, and in which order."""

from __future__ import annotations

from typing import Any

import pytest

from tests.contract.conftest import MEMORY, Api

REMEMBER = f"{MEMORY}/remember"


def test_health_and_capabilities(shared: Api) -> None:
    health = shared.get("/health", Authorization=None)
    assert (health.status, health.body) == (200, {"status": "ok"})
    capabilities = shared.get("/capabilities").body
    assert capabilities["v"] == 1
    assert capabilities["protocolVersions"] == {"current": "v1", "supported": ["v1"]}
    assert capabilities["mode"] == "http-bridge"
    assert capabilities["transports"] == ["rest"]
    assert capabilities["modelServices"] == []
    assert capabilities["workspaceCwd"] == str(shared.daemon.settings.workspace)
    assert {
        "workspace_memory_remember",
        "workspace_memory_forget",
        "workspace_memory_dream",
    } <= set(capabilities["features"])
    assert "session_prompt" not in capabilities["features"]


@pytest.mark.parametrize(
    "authorization",
    [
        None,
        "",
        "Bearer",
        "Bearer ",
        "Bearer contract-tokenx",
        "Basic x",
        "Bearer caf\xe9",
        "contract-token",
    ],
)
@pytest.mark.parametrize("path", ["/capabilities", "/nothing", REMEMBER])
def test_without_the_token_everything_is_a_401(shared: Api, authorization: Any, path: str) -> None:
    answer = shared.get(path, Authorization=authorization)
    assert (answer.status, answer.code) == (401, "unauthorized")
    assert answer.headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER  "])
def test_the_scheme_may_be_in_any_case(shared: Api, scheme: str) -> None:
    assert shared.get("/capabilities", Authorization=f"{scheme} contract-token").status == 200


@pytest.mark.parametrize(
    ("changes", "status", "code"),
    [
        # each row is wrong in everything that comes after it, too
        ({"Host": "evil.example", "Origin": "null", "Authorization": None}, 403, "invalid_host"),
        ({"Origin": "null", "Authorization": None}, 403, "origin_denied"),
        ({"Origin": "http://evil.example", "Authorization": None}, 403, "origin_denied"),
        ({"Authorization": None, "path": "/nothing"}, 401, "unauthorized"),
        ({"path": "/nothing", "method": "PATCH"}, 404, "not_found"),
        ({"method": "PATCH", "Content_Type": "text/plain"}, 405, "method_not_allowed"),
        ({"Content_Type": "text/plain", "raw": b"{"}, 415, "unsupported_media_type"),
        ({"raw": b"{"}, 400, "invalid_json"),
        ({"raw": b'{"content": 1}', "X_Qwen_Client_Id": "a b"}, 400, "invalid_content"),
        ({"raw": b'{"content": "x"}', "X_Qwen_Client_Id": "a b"}, 400, "invalid_client_id"),
    ],
)
def test_the_order_of_the_checks(
    shared: Api, changes: dict[str, Any], status: int, code: str
) -> None:
    given = {"method": "POST", "path": REMEMBER, "raw": b"{"} | changes
    answer = shared.call(given.pop("method"), given.pop("path"), **given)
    assert (answer.status, answer.code) == (status, code)


@pytest.mark.parametrize(
    "content_type",
    [
        *(None, "text/plain", "application/x-www-form-urlencoded", "application/jsonx"),
        *("multipart/form-data; boundary=x", "text/plain; application/json"),
        "application/json; charset=latin-1",
    ],
)
def test_only_json_is_a_body(shared: Api, content_type: Any) -> None:
    answer = shared.call("POST", REMEMBER, raw=b'{"content":"x"}', Content_Type=content_type)
    assert (answer.status, answer.code) == (415, "unsupported_media_type")


def test_json_in_another_spelling_is_json(shared: Api) -> None:
    answer = shared.call(
        "POST",
        f"{MEMORY}/forget",
        raw=b'{"query":"zzz"}',
        Content_Type="Application/JSON; charset=UTF-8",
    )
    assert answer.status == 202


@pytest.mark.parametrize(
    "raw",
    [
        *(b"", b"{", b"[]", b'"x"', b"null", b"5", b'{"content": NaN}', b'{"content": Infinity}'),
        *(b'{"content": "\xff"}', b'{"content":' + b"[" * 70 + b"]" * 70 + b"}", b"[" * 200_000),
    ],
)
def test_what_is_not_one_json_object_is_refused(shared: Api, raw: bytes) -> None:
    answer = shared.call("POST", REMEMBER, raw=raw)
    assert (answer.status, answer.code) == (400, "invalid_json")


def test_dream_and_session_take_no_body_at_all(shared: Api) -> None:
    assert shared.post(f"{MEMORY}/dream").status == 202
    assert shared.post("/session").status == 200


@pytest.mark.parametrize("size", [10 * 2**20 + 1, 15 * 2**20])
def test_a_body_that_is_too_large_is_a_413(shared: Api, size: int) -> None:
    answer = shared.call("POST", REMEMBER, raw=b" " * size)
    assert (answer.status, answer.code) == (413, "body_too_large")


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        (REMEMBER, {"POST"}),
        (f"{REMEMBER}/x", {"GET", "HEAD", "DELETE"}),
        (f"{MEMORY}/tasks", {"GET", "HEAD"}),
        ("/capabilities", {"GET", "HEAD"}),
        ("/session", {"POST"}),
        ("/session/x", {"DELETE"}),
    ],
)
def test_a_method_that_is_not_there_names_those_that_are(
    shared: Api, path: str, allowed: set[str]
) -> None:
    answer = shared.call("PUT", path)
    assert (answer.status, answer.code) == (405, "method_not_allowed")
    named = {name.strip() for name in answer.headers["allow"].split(",")}
    assert named - {"OPTIONS"} == allowed
    options = shared.call("OPTIONS", path)
    assert options.status in (200, 204)
    assert {name.strip() for name in options.headers["allow"].split(",")} >= allowed


@pytest.mark.parametrize("path", ["/health", "/capabilities"])
def test_head_is_get_without_a_body(shared: Api, path: str) -> None:
    answer = shared.call("HEAD", path)
    assert (answer.status, answer.raw) == (200, b"")


def test_one_trailing_slash_is_tolerated(shared: Api) -> None:
    assert shared.get("/capabilities/").status == 200
    assert shared.get("/capabilities//").code == "not_found"


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST", "127.0.0.1", "[::1]"])
def test_loopback_names_are_hosts_with_and_without_the_port(shared: Api, host: str) -> None:
    assert shared.get("/capabilities", Host=host).status == 200
    assert shared.get("/capabilities", Host=f"{host}:{shared.daemon.port}").status == 200
    assert shared.get("/capabilities", Host=f"{host}:1").code == "invalid_host"


def test_the_daemons_own_origin_is_allowed(shared: Api) -> None:
    origin = f"http://127.0.0.1:{shared.daemon.port}"
    assert shared.post(f"{MEMORY}/dream", {}, Origin=origin).status == 202


def test_sessions(shared: Api) -> None:
    first = shared.post("/session", {})
    assert first.status == 200
    assert {"sessionId", "workspaceCwd", "attached", "clientId", "createdAt"} == set(first.body)
    second = shared.post("/session", {"cwd": first.body["workspaceCwd"]}).body
    assert second["attached"]
    assert second["sessionId"] == first.body["sessionId"]
    assert second["clientId"] != first.body["clientId"]
    spelled = shared.post("/session", {"cwd": first.body["workspaceCwd"] + "/../work/"})
    assert spelled.body["attached"]
    wrong = shared.post("/session", {"cwd": "/elsewhere"})
    assert (wrong.status, wrong.code) == (400, "workspace_mismatch")
    assert wrong.body["requestedWorkspace"] == "/elsewhere"
    assert wrong.body["boundWorkspace"] == first.body["workspaceCwd"]
    for scope in ("", "many", 1, None):
        answer = shared.post("/session", {"sessionScope": scope})
        assert (answer.status, answer.code) == (400, "invalid_session_scope")
