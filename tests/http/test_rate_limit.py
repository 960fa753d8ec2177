from __future__ import annotations

from collections.abc import Callable

import pytest
from falcon import testing

from qmemd.errors import RequestError
from qmemd.http.app import create_app
from qmemd.http.fields import Fields
from qmemd.http.ports import Access
from qmemd.http.rate_limit import RateLimit, Rates
from qmemd.http.server import HttpServer
from qmemd.kinds import TaskKind
from tests.http import raw
from tests.http.conftest import TOKEN
from tests.http.fake_door import FakeDoor, FakePolled

DREAM = "/workspace/memory/dream"
EPOCH = 1_900_000_000.25


class Bench:
    """An app that counts, and a clock that only a test moves."""

    def __init__(self, door: FakeDoor, fields: Fields, access: Access, rates: Rates) -> None:
        self.now = 500.0
        limit = RateLimit(door, rates, clock=lambda: self.now, now=lambda: EPOCH + self.now - 500.0)
        self.app = create_app(door, access, fields=fields, rate_limit=limit)
        headers = {"Host": "127.0.0.1:4170", "Authorization": f"Bearer {TOKEN}"}
        self.client = testing.TestClient(self.app, headers=headers)

    def get(self, path: str = "/capabilities", **headers: str) -> testing.Result:
        return self.ask("GET", path, **headers)

    def ask(self, method: str, path: str, **headers: str) -> testing.Result:
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.client.simulate_request(method, path, headers=sent)


Make = Callable[..., Bench]


@pytest.fixture
def make(door: FakeDoor, fields: Fields, access: Access) -> Make:
    def make(mutations: int = 2, reads: int = 2, *, per_client: bool = True) -> Bench:
        return Bench(door, fields, access, Rates(mutations, reads, per_client))

    return make


def standing(reply: testing.Result) -> list[str | None]:
    return [reply.headers.get(f"X-RateLimit-{name}") for name in ("Limit", "Remaining", "Reset")]


def test_a_client_is_told_where_it_stands_and_refused_at_last(make: Make) -> None:
    bench = make()
    assert standing(bench.get()) == ["2", "1", "1900000061"]
    bench.now += 10
    reply = bench.get()
    assert (reply.status_code, standing(reply)) == (200, ["2", "0", "1900000061"])
    assert "Retry-After" not in reply.headers
    bench.now += 0.5
    reply = bench.get()
    assert reply.status_code == 429
    assert reply.json == {
        "error": "Rate limit exceeded; wait for as long as `Retry-After` says.",
        "code": "rate_limit_exceeded",
        "tier": "read",
        "retryAfterMs": 49_500,
    }
    assert standing(reply) == ["2", "0", "1900000061"]
    assert reply.headers["Retry-After"] == "50"
    bench.now += 49.5
    assert standing(bench.get())[1] == "1"


def test_reads_and_mutations_have_limits_of_their_own(make: Make, door: FakeDoor) -> None:
    bench = make(mutations=1, reads=2)
    assert bench.ask("POST", DREAM).status_code == 202
    refused = bench.ask("POST", DREAM)
    assert (refused.status_code, refused.json["tier"]) == (429, "mutation")
    assert len(door.submitted) == 1
    assert bench.get().status_code == 200


def test_refusals_of_any_other_kind_are_counted_and_say_so(make: Make) -> None:
    bench = make(reads=3)
    missing = bench.get("/nothing")
    assert (missing.status_code, standing(missing)[1]) == (404, "2")
    wrong = bench.ask("PATCH", DREAM)
    assert (wrong.status_code, standing(wrong)[1]) == (405, "1")
    assert standing(bench.get(f"{DREAM}/unknown/"))[1] == "1"


def test_nobody_without_the_token_uses_up_anything(make: Make) -> None:
    bench = make(reads=1)
    for _ in range(3):
        reply = bench.get(Authorization="Bearer wrong")
        assert (reply.status_code, standing(reply)) == (401, [None] * 3)
        assert bench.get(Host="evil.example").status_code == 403
    assert bench.get().status_code == 200
    assert bench.get(Authorization="Bearer wrong").status_code == 401


def test_what_is_never_counted(make: Make, door: FakeDoor) -> None:
    bench = make(mutations=1, reads=1)
    bench.ask("DELETE", "/session/s1")
    bench.get()
    door.refusal = RequestError("subscriber_limit_exceeded")  # a stream would not end by itself
    for method, path, status in (
        ("GET", "/health", 200),
        ("HEAD", "/health/", 200),
        ("OPTIONS", DREAM, 204),
        ("POST", "/session/s1/heartbeat", 200),
        ("GET", "/workspace/events", 429),
        ("GET", "/session/s1/events/", 429),
    ):
        reply = bench.ask(method, path)
        assert (reply.status_code, standing(reply)) == (status, [None] * 3), path
    assert len(door.wishes) == 2
    assert bench.get().json["code"] == "rate_limit_exceeded"


def test_each_known_client_counts_for_itself_and_all_others_as_one(make: Make) -> None:
    bench = make(reads=1)
    assert bench.get(X_Qwen_Client_Id="known").status_code == 200
    assert bench.get(X_Qwen_Client_Id="other").status_code == 200
    assert bench.get().status_code == 200
    for nobody in ("unknown-1", "unknown-2", "mal formed", "x" * 200, ""):
        assert bench.get(X_Qwen_Client_Id=nobody).status_code == 429
    assert bench.get(X_Qwen_Client_Id="known").status_code == 429


def test_beyond_loopback_all_count_as_one(make: Make) -> None:
    bench = make(reads=1, per_client=False)
    assert bench.get(X_Qwen_Client_Id="known").status_code == 200
    assert bench.get(X_Qwen_Client_Id="other").status_code == 429
    assert bench.get().status_code == 429


def test_it_is_a_feature_only_where_it_is_on(make: Make, client: testing.TestClient) -> None:
    assert "rate_limit" in make().get().json["features"]
    plain = client.simulate_get("/capabilities")
    assert "rate_limit" not in plain.json["features"]
    assert standing(plain) == [None] * 3


def test_a_web_page_may_read_where_it_stands(door: FakeDoor, fields: Fields) -> None:
    access = Access(TOKEN, "127.0.0.1", 4170, ("https://shell.example",))
    bench = Bench(door, fields, access, Rates(1, 1, per_client=True))
    for status in (200, 429):
        reply = bench.get(Origin="https://shell.example")
        assert reply.status_code == status
        assert "X-RateLimit-Remaining" in reply.headers["Access-Control-Expose-Headers"]
        assert reply.headers["Access-Control-Allow-Origin"] == "https://shell.example"


def test_polls_on_the_io_thread_are_counted_too(
    serve: Callable[..., HttpServer], door: FakeDoor, fields: Fields
) -> None:
    door.board["d1"] = FakePolled(TaskKind.DREAM, None, b"{}")
    limit = RateLimit(door, Rates(1, 20, per_client=True), clock=lambda: 0.0)
    access = Access(TOKEN, "127.0.0.1", None)
    server = serve(create_app(door, access, fields=fields, rate_limit=limit))
    with raw.Connection(server.port) as sock:
        sock.send(raw.get(f"{DREAM}/d1") * 30)
        statuses = [sock.read().status for _ in range(30)]
    assert statuses == [200] * 20 + [429] * 10
    assert door.poll_threads == {f"qmemd-http-{server.port}"}
    assert raw.exchange(server.port, raw.get("/health")).status == 200
