from __future__ import annotations

import socket
from time import monotonic
from typing import Any

import pytest

from qmemd.client.client import Client
from qmemd.client.errors import (
    ClientError,
    DaemonUnreachableError,
    InvalidArgumentError,
    RequestRefusedError,
    UnexpectedAnswerError,
)
from qmemd.client.transport import Transport
from tests.client.scripted import ScriptedServer, answer, drip

MORE = {"Idempotency-Key": "i"}


class Time:
    """A clock that only sleeping moves."""

    def __init__(self) -> None:
        self.now = 0.0
        self.slept: list[float] = []

    def clock(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


@pytest.fixture
def time() -> Time:
    return Time()


def transport(url: str, time: Time, timeout: float = 10, **more: Any) -> Transport:
    given = {"token": "s3cret", "client_id": None} | more
    return Transport(url, timeout=timeout, clock=time.clock, sleep=time.sleep, **given)


def test_what_every_request_says(time: Time) -> None:
    with ScriptedServer(answer(200, {"a": 1}), answer(204)) as server:
        asked = transport(server.url + "/base/", time, client_id="client_1")
        assert asked.call("POST", "/x?y=1", {"k": "é"}, headers=MORE) == {"a": 1}
        assert asked.call("DELETE", "/x") is None
    assert server.requests[0].startswith(b"POST /base/x?y=1 HTTP/1.1\r\n")
    assert server.header(0, "Authorization") == "Bearer s3cret"
    assert server.header(0, "X-Qwen-Client-Id") == "client_1"
    assert server.header(0, "Idempotency-Key") == "i"
    assert server.header(0, "Content-Type") == "application/json"
    assert server.header(1, "Content-Type") is None


def test_the_token_shows_nowhere(time: Time) -> None:
    asked = transport("http://127.0.0.1:1", time, timeout=0)
    assert "s3cret" not in repr(asked)
    with pytest.raises(DaemonUnreachableError) as lost:
        asked.call("GET", "/x")
    assert "s3cret" not in str(lost.value)


@pytest.mark.parametrize(
    "url",
    [
        *(
            "",
            "127.0.0.1:4170",
            "ftp://x",
            "http://",
            "file:///etc",
            "http://x:99999",
            "http://[::1",
        ),
        *("http://x/?a=1", "http://x/#a", "http://x/a b", "http://x y", "http://x/é"),
        *("http://a..b", f"http://{'a' * 64}.b", "http://x\n"),
    ],
)
def test_what_is_no_url(url: str, time: Time) -> None:
    with pytest.raises(InvalidArgumentError, match="base URL") as invalid:
        transport(url, time)
    assert isinstance(invalid.value, ClientError)
    assert (invalid.value.code, invalid.value.status) == ("invalid_base_url", None)


def test_a_password_in_the_url_is_refused_and_not_repeated(time: Time) -> None:
    with pytest.raises(InvalidArgumentError) as invalid:
        transport("http://me:s3cret@127.0.0.1:1", time)
    assert "s3cret" not in str(invalid.value)


@pytest.mark.parametrize("token", ["", "s3cret\n", "s3 cret", "s3cret\x7f", "s3cret\ud800"])
def test_a_token_that_no_header_can_carry_is_not_repeated(time: Time, token: str) -> None:
    with pytest.raises(InvalidArgumentError) as invalid:
        transport("http://127.0.0.1:1", time, token=token)
    assert invalid.value.code == "invalid_token"
    assert "s3" not in str(invalid.value)


def test_a_token_is_sent_as_the_daemon_compares_it(time: Time) -> None:
    with ScriptedServer(answer(200, {})) as server:
        transport(server.url, time, token="s3cr€t").call("GET", "/x")
    assert server.header(0, "Authorization") == "Bearer s3cr€t"


def test_ids_and_keys_that_no_header_can_carry(time: Time) -> None:
    with pytest.raises(InvalidArgumentError) as invalid:
        transport("http://127.0.0.1:1", time, client_id="a\nb")
    assert invalid.value.code == "invalid_client_id"
    for key in ("", "a\nb", "é", "x" * 256):
        with pytest.raises(InvalidArgumentError) as invalid:
            Client("http://127.0.0.1:1", "t", env={}).dream(idempotency_key=key)
        assert invalid.value.code == "invalid_idempotency_key"


def test_blanks_around_a_token_are_no_part_of_it() -> None:
    with ScriptedServer(answer(200, {"status": "ok"})) as server:
        assert Client(server.url, " s3cret\n", env={}).health()
    assert server.header(0, "Authorization") == "Bearer s3cret"


def test_a_refusal_carries_the_daemons_words(time: Time) -> None:
    body = {"error": "Too many.", "code": "session_limit_exceeded", "limit": 32}
    with ScriptedServer(answer(400, body)) as server, pytest.raises(RequestRefusedError) as refused:
        transport(server.url, time).call("POST", "/session")
    assert isinstance(refused.value, ClientError)
    assert (refused.value.code, refused.value.status) == ("session_limit_exceeded", 400)
    assert (refused.value.message, refused.value.body["limit"]) == ("Too many.", 32)
    assert time.slept == []


def test_it_comes_back_when_the_daemon_says_so(time: Time) -> None:
    full = {"error": "Full.", "code": "remember_queue_full"}
    acts = (answer(429, full, Retry_After="5"), answer(503, full), answer(200, {}))
    with ScriptedServer(*acts) as server:
        assert transport(server.url, time).call("POST", "/x", {}) == {}
    assert time.slept == [5.0, 0.1]


def test_it_does_not_wait_longer_than_it_may(time: Time) -> None:
    full = {"error": "Full.", "code": "remember_queue_full"}
    with (
        ScriptedServer(answer(429, full, Retry_After="50")) as server,
        pytest.raises(RequestRefusedError) as refused,
    ):
        transport(server.url, time).call("POST", "/x", {})
    assert time.slept == []
    assert refused.value.retry_after == 50


def test_a_refusal_without_a_time_or_with_a_date_asks_for_no_pause(time: Time) -> None:
    body = {"error": "No.", "code": "bad_request"}
    for more in ({}, {"Retry_After": "Wed, 21 Oct 2026 07:28:00 GMT"}, {"Retry_After": "-1"}):
        with (
            ScriptedServer(answer(400, body, **more)) as server,
            pytest.raises(RequestRefusedError) as refused,
        ):
            transport(server.url, time).call("POST", "/x", {})
        assert refused.value.retry_after == 0


def test_what_must_not_be_sent_twice_is_not(time: Time) -> None:
    acts = (lambda _: None, answer(200, {}))
    with ScriptedServer(*acts) as server:
        with pytest.raises(DaemonUnreachableError):
            transport(server.url, time).call("POST", "/session", {}, repeat=False)
        assert transport(server.url, time).call("GET", "/x") == {}


@pytest.mark.parametrize("body", [b"HTTP/1.1 200 OK\r\nX-Y: " + b"z" * 500, answer(200, "z" * 500)])
def test_an_answer_that_comes_byte_by_byte_is_given_up(body: bytes) -> None:
    with ScriptedServer(drip(body)) as server:
        begun = monotonic()
        with pytest.raises(DaemonUnreachableError):
            Transport(server.url, "t", None, 0.2).call("GET", "/x", repeat=False)
        assert monotonic() - begun < 2


@pytest.mark.parametrize(("timeout", "repetitions"), [(None, 4), (0.2, 2), (9, 4)])
def test_a_request_may_be_given_less_time_than_usual(
    time: Time, timeout: float | None, repetitions: int
) -> None:
    with ScriptedServer() as server:
        pass
    with pytest.raises(DaemonUnreachableError):
        transport(server.url, time, timeout=1).call("GET", "/x", timeout=timeout)
    assert len(time.slept) == repetitions


def half(connection: socket.socket) -> None:
    connection.sendall(answer(200, {"long": "x" * 1_000})[:200])


@pytest.mark.parametrize("act", [lambda _: None, half, b"junk\r\n\r\n"])
def test_a_lost_answer_is_asked_for_again(time: Time, act: Any) -> None:
    with ScriptedServer(act, answer(200, {"a": 1})) as server:
        assert transport(server.url, time).call("POST", "/x", {}) == {"a": 1}
        assert len(server.requests) == 2


def test_nobody_there(time: Time) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with pytest.raises(DaemonUnreachableError) as lost:
        transport(f"http://127.0.0.1:{port}", time, timeout=1).call("GET", "/x")
    assert (lost.value.code, lost.value.status) == ("daemon_unreachable", None)
    assert time.slept == [0.05, 0.1, 0.2, 0.4]


@pytest.mark.parametrize(
    "act",
    [
        b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<html>",
        answer(502, ["no"]),
        answer(404, {"message": "no"}),
        answer(302, None, Location="http://127.0.0.1:1/"),
    ],
)
def test_what_is_no_daemon(time: Time, act: bytes) -> None:
    with ScriptedServer(act) as server, pytest.raises(UnexpectedAnswerError) as unexpected:
        transport(server.url, time).call("GET", "/x")
    assert unexpected.value.code == "unexpected_answer"
