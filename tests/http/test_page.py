"""The files of the page: who may read them, and what browsers are told with them."""

from __future__ import annotations

import re
from importlib.resources import files
from typing import Any

import pytest
from falcon import testing

from qmemd.http.app import create_app
from qmemd.http.page_resources import MEDIA_TYPES, POLICY
from qmemd.http.ports import Access
from qmemd.http.rate_limit import RateLimit, Rates
from qmemd.http.server import HttpServer
from tests.http import raw
from tests.http.fake_door import FakeDoor

FOLDER = files("qmemd.http") / "page"
NAMES = sorted(file.name for file in FOLDER.iterdir())
PATHS = ["/", *(f"/page/{name}" for name in NAMES)]
NO_TOKEN: dict[str, Any] = {"Authorization": None}
DIRECTIVES = [
    *("default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'"),
    *("img-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"),
    *("require-trusted-types-for 'script'", "trusted-types 'none'"),
]


@pytest.fixture
def stranger(door: FakeDoor, access: Access) -> testing.TestClient:
    """Comes without a token."""
    return testing.TestClient(create_app(door, access), headers={"Host": "127.0.0.1:4170"})


@pytest.mark.parametrize("path", PATHS)
def test_the_files_need_no_token_and_come_with_a_strict_policy(
    stranger: testing.TestClient, path: str
) -> None:
    answer = stranger.simulate_get(path)
    assert answer.status_code == 200
    name = path.rpartition("/")[2] or "index.html"
    assert answer.content == (FOLDER / name).read_bytes()
    assert answer.headers["Content-Type"] == MEDIA_TYPES[name.rpartition(".")[2]]
    assert answer.headers["Content-Security-Policy"].split("; ") == DIRECTIVES
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert answer.headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert answer.headers["Cache-Control"] == "no-cache"
    assert "Access-Control-Allow-Origin" not in answer.headers


@pytest.mark.parametrize("path", ["/", "/page/app.js", "/page/app.js/"])
def test_head_is_get_without_the_body(stranger: testing.TestClient, path: str) -> None:
    got, head = stranger.simulate_get(path), stranger.simulate_head(path)
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers == got.headers


def test_what_a_browser_has_already_is_not_sent_again(stranger: testing.TestClient) -> None:
    etag = stranger.simulate_get("/").headers["ETag"]
    assert re.fullmatch(r'"[0-9a-f]{32}"', etag)
    for known in (etag, f"W/{etag}", f'"other", {etag}'):
        again = stranger.simulate_get("/", headers={"If-None-Match": known})
        assert (again.status_code, again.content) == (304, b"")
        assert again.headers["ETag"] == etag
        assert again.headers["Content-Security-Policy"] == POLICY
    assert stranger.simulate_get("/", headers={"If-None-Match": '"other"'}).status_code == 200
    other = stranger.simulate_get("/page/app.js").headers["ETag"]
    assert other != etag


def test_on_the_wire_an_unchanged_file_has_no_body(server: HttpServer) -> None:
    whole = raw.exchange(server.port, raw.get("/"))
    assert (whole.status, whole.body[:15]) == (200, b"<!doctype html>")
    known = raw.get("/", f"If-None-Match: {whole.headers['ETag']}")
    unchanged = raw.exchange(server.port, known)
    assert (unchanged.status, unchanged.body) == (304, b"")
    head = raw.exchange(server.port, raw.get("/", method="HEAD"), "HEAD")
    assert (head.status, head.body) == (200, b"")
    assert head.headers["Content-Length"] == whole.headers["Content-Length"]


@pytest.mark.parametrize(
    "path",
    [
        *("/page", "/page/", "/page/none.js", "/page/../app.py", "/page/..%2fapp.py"),
        *("/page/%2e%2e/%2e%2e/errors.py", "/page//etc/passwd", "/page/app.js%00", "/page/APP.JS"),
        *("/page/page/app.js", "/page/.", "/page/..", "/index.html", "/%2e/page/app.js"),
    ],
)
def test_nothing_else_is_there(
    stranger: testing.TestClient, client: testing.TestClient, path: str
) -> None:
    refused = stranger.simulate_get(path)
    assert (refused.status_code, refused.json["code"]) == (401, "unauthorized")
    missing = client.simulate_get(path)
    assert (missing.status_code, missing.json["code"]) == (404, "not_found")
    assert missing.headers["Content-Type"] == "application/json"


@pytest.mark.parametrize("path", ["/", "/page/app.js"])
def test_host_and_origin_come_first(stranger: testing.TestClient, path: str) -> None:
    rebound = stranger.simulate_get(path, headers={"Host": "evil.example"})
    assert (rebound.status_code, rebound.json["code"]) == (403, "invalid_host")
    for origin in ("https://evil.example", "null"):
        foreign = stranger.simulate_get(path, headers={"Origin": origin})
        assert (foreign.status_code, foreign.json["code"]) == (403, "origin_denied")
    own = stranger.simulate_get(path, headers={"Origin": "http://127.0.0.1:4170"})
    assert own.status_code == 200


@pytest.mark.parametrize("path", ["/", "/page/app.js"])
def test_other_methods_need_the_token_and_are_not_there(
    stranger: testing.TestClient, client: testing.TestClient, path: str
) -> None:
    for method in ("POST", "PUT", "DELETE"):
        assert stranger.simulate_request(method, path).status_code == 401
        refused = client.simulate_request(method, path)
        assert (refused.status_code, refused.json["code"]) == (405, "method_not_allowed")
    assert client.simulate_options(path).headers["Allow"] == "GET, HEAD, OPTIONS"


def test_who_has_no_token_uses_up_no_limit(door: FakeDoor, access: Access) -> None:
    limit = RateLimit(door, Rates(mutations=1, reads=1, per_client=True))
    client = testing.TestClient(
        create_app(door, access, rate_limit=limit), headers={"Host": "127.0.0.1:4170"}
    )
    for path in PATHS:
        answer = client.simulate_get(path)
        assert answer.status_code == 200
        assert "X-RateLimit-Remaining" not in answer.headers
    token = {"Authorization": f"Bearer {access.token}"}
    assert client.simulate_get("/capabilities", headers=token).status_code == 200


def test_it_is_there_while_the_daemon_stops(stranger: testing.TestClient, door: FakeDoor) -> None:
    door.stopping = True
    assert stranger.simulate_get("/").status_code == 200


def test_every_file_has_a_type_and_is_small() -> None:
    for name in NAMES:
        assert name.rpartition(".")[2] in MEDIA_TYPES, name
        lines = (FOLDER / name).read_text().count("\n")
        assert lines <= 150, name


def test_it_asks_for_nothing_from_elsewhere_and_makes_no_markup_of_text() -> None:
    markup = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|srcdoc"
    for name in NAMES:
        text = (FOLDER / name).read_text().replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"https?://|src=\"//|@import|url\(", text), name
        assert not re.search(markup, text), name
        assert not re.search(r"\son\w+=|style=|<style|javascript:", text), name


def test_what_the_page_names_is_there() -> None:
    texts = "".join((FOLDER / name).read_text() for name in NAMES)
    named = set(re.findall(r"/page/([\w.-]+)", texts)) | set(re.findall(r'from "\./(.+?)"', texts))
    assert named == set(NAMES) - {"index.html"}
    ids = set(re.findall(r'\bid="([\w-]+)"', (FOLDER / "index.html").read_text()))
    wanted = set(re.findall(r'byId\("([\w-]+)"\)', texts))
    assert wanted <= ids
