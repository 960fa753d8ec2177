from __future__ import annotations

import json
import sys
import threading
import time

import pytest
from falcon import testing
from hypothesis import given, settings
from hypothesis import strategies as st

from qmemd.errors import RequestError
from qmemd.http.body import MAX_BODY_BYTES, MAX_DEPTH, MAX_VALUES, parse_object
from qmemd.http.server import HttpServer
from tests.http import raw
from tests.http.fake_door import FakeDoor

REMEMBER = "/workspace/memory/remember"


def post(client: testing.TestClient, body: bytes, content_type: str | None) -> testing.Result:
    return client.simulate_post(REMEMBER, body=body, content_type=content_type)


@pytest.mark.parametrize(
    "content_type",
    [
        "application/json",
        "Application/JSON; charset=utf-8",
        'application/json;charset="UTF-8"',
        "application/json ; profile=x",
    ],
)
def test_json_is_accepted(client: testing.TestClient, content_type: str) -> None:
    assert post(client, b'{"content":"x"}', content_type).status_code == 202


@pytest.mark.parametrize(
    "content_type",
    [
        None,
        "",
        "text/plain",
        "text/plain; application/json",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/json, application/json",
        "application/jsonx",
        "application/vnd.api+json",
        "application/json; charset=latin-1",
        "application/json; charset=utf-16",
        ";",
        'application/json; x="' + ";" * 200_000,  # would take a minute to be taken apart
    ],
)
def test_other_media_types_are_not(client: testing.TestClient, content_type: str | None) -> None:
    reply = post(client, b'{"content":"x"}', content_type)
    assert (reply.status_code, reply.json["code"]) == (415, "unsupported_media_type")


def test_the_media_type_is_judged_before_the_body(client: testing.TestClient) -> None:
    assert post(client, b"{", "text/plain").status_code == 415


@pytest.mark.parametrize("path", ["/workspace/memory/dream", "/session"])
@pytest.mark.parametrize(
    ("content_type", "body", "status"),
    [
        (None, b"", None),
        ("application/json", b"", None),
        ("application/json", b"{}", None),
        ("text/plain", b"", 415),
        (None, b"{}", 415),
        ("application/json", b" ", 400),
        ("application/json", b"[]", 400),
        ("application/json", b"null", 400),
    ],
)
def test_bodies_that_may_be_left_out(
    client: testing.TestClient, path: str, content_type: str | None, body: bytes, status: int | None
) -> None:
    reply = client.simulate_post(path, body=body, content_type=content_type)
    assert reply.status_code == (status or {"/session": 200}.get(path, 202))


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b'{"content":"x"} {}',
        b'["content"]',
        b'"content"',
        b"null",
        b"5",
        b'{"content":"x","n":NaN}',
        b'{"content":"x","n":Infinity}',
        b'{"content":"x","n":-Infinity}',
        b'{"content":"\xff"}',
        b'{"content":"\xed\xa0\x80"}',
        b'\xef\xbb\xbf{"content":"x"}',
        '{"content":"x"}'.encode("utf-16"),
        b'{"content":"a\nb"}',
        b'{"content":"x","n":' + b"9" * 5000 + b"}",
    ],
)
def test_what_is_not_one_json_object(client: testing.TestClient, body: bytes) -> None:
    reply = post(client, body, "application/json")
    assert (reply.status_code, reply.json["code"]) == (400, "invalid_json")


def test_duplicate_and_unknown_keys_are_fine(client: testing.TestClient, door: FakeDoor) -> None:
    body = b'{"content":"first","content":"last","unknown":{"\\ud800":"\\ud800"}}'
    assert post(client, body, "application/json").status_code == 202
    assert door.submitted[0][0].to_wire()["content"] == "last"


def nested(depth: int) -> bytes:
    """An object with ``depth`` levels in all."""
    return b'{"a":' + b"[" * (depth - 1) + b"]" * (depth - 1) + b"}"


def test_nesting_up_to_the_limit() -> None:
    assert parse_object(nested(MAX_DEPTH))
    with pytest.raises(RequestError):
        parse_object(nested(MAX_DEPTH + 1))


@pytest.mark.parametrize("opening", [b"[", b'{"a":', b'[{"a":', b"[}[}", b'["'])
def test_deep_nesting_never_reaches_the_recursion_limit(opening: bytes) -> None:
    levels = sys.getrecursionlimit() * 100
    with pytest.raises(RequestError, match="JSON"):
        parse_object(opening * levels)


def test_brackets_in_strings_do_not_nest() -> None:
    text = '[{"\\' * 1000
    assert parse_object(json.dumps({"a": text, "b": [text]}).encode())["a"] == text


def test_many_brackets_side_by_side_do_not_nest() -> None:
    assert len(parse_object(b'{"a":[' + b",".join([b"[{}]"] * 1000) + b"]}")["a"]) == 1000


def values(count: int, unit: bytes = b"1") -> bytes:
    """An object whose commas and brackets make this many values."""
    return b'{"a":[' + b",".join([unit] * (count - 1)) + b"]}"


def test_values_up_to_the_limit() -> None:
    for unit in (b"1", b'"x"', b'",,[{"', b"-1.5e9"):
        assert len(parse_object(values(MAX_VALUES, unit))["a"]) == MAX_VALUES - 1
        with pytest.raises(RequestError):
            parse_object(values(MAX_VALUES + 1, unit))
    keys = b",".join(b'"%d":"%d"' % (n, n) for n in range(MAX_VALUES))
    assert len(parse_object(b"{" + keys + b"}")) == MAX_VALUES
    with pytest.raises(RequestError):
        parse_object(b"{" + keys + b',"x":1}')


@pytest.mark.parametrize("text", [',[{:"', ',"', '\\,"', "\\", '"\\"', "\\[", '\\\\",', "\n,\t"])
def test_values_in_strings_do_not_count(text: str) -> None:
    document = {"a": text * 20_000, "b" + text * 20_000: [text], "c": 1}
    assert parse_object(json.dumps(document).encode()) == document


@pytest.mark.parametrize(
    "unit",
    [
        *(b'\\"', b'"', b"\\", b'"\\', b"[[]", b'"[",', b"[]", b"1,", b'"",', b'"":1,', b",", b":"),
        *(b"[[[[[]]]]],", b"{},", b'{"":[]},', b'\\\\"', b'"\\\\', b'\\"",', b"\\[", b"[\\", b"{"),
    ],
)
@pytest.mark.parametrize("start", [b"[" * 65, b'{"a":[', b'{"content":"x","a":["'])
def test_hostile_bodies_cost_little(start: bytes, unit: bytes) -> None:
    body = start + unit * (8_000_000 // len(unit))
    began = time.process_time()
    with pytest.raises(RequestError):
        parse_object(body)
    assert time.process_time() - began < 1


@pytest.mark.parametrize("unit", [b"[[[[[]]]]],", b"1,", b'"",', b"{},"])
def test_nobody_waits_for_a_body_of_many_values(server: HttpServer, unit: bytes) -> None:
    body = b'{"content":"x","a":[' + unit * (8_000_000 // len(unit)) + b"1]}"
    answers: list[raw.Answer] = []
    poster = threading.Thread(target=lambda: answers.append(raw.post(server.port, REMEMBER, body)))
    poster.start()
    longest = 0.0
    while poster.is_alive():
        began = time.monotonic()
        assert raw.exchange(server.port, raw.get("/health")).status == 200
        longest = max(longest, time.monotonic() - began)
    assert (answers[0].status, answers[0].json["code"]) == (400, "invalid_json")
    assert longest < 0.5


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda children: st.lists(children) | st.dictionaries(st.text(), children),
    max_leaves=20,
)


@settings(max_examples=25, deadline=None)
@given(st.dictionaries(st.text(), JSON))
def test_whatever_json_can_say_comes_through(value: dict[str, object]) -> None:
    # padding makes the bracket count exceed the limit, so that nesting is really looked at
    padded = value | {"padding": [[]] * MAX_DEPTH}
    assert parse_object(json.dumps(padded).encode()) == padded


def test_the_size_limit_counts_bytes(client: testing.TestClient) -> None:
    def body(size: int) -> bytes:
        start = b'{"content":"x","pad":"'
        return start + b"y" * (size - len(start) - 2) + b'"}'

    assert post(client, body(MAX_BODY_BYTES), "application/json").status_code == 202
    reply = post(client, body(MAX_BODY_BYTES + 1), "application/json")
    assert (reply.status_code, reply.json["code"]) == (413, "body_too_large")


def chunked(body: bytes) -> bytes:
    size = 100_000
    chunks = [body[start : start + size] for start in range(0, len(body), size)]
    return b"".join(b"%x\r\n%s\r\n" % (len(chunk), chunk) for chunk in chunks) + b"0\r\n\r\n"


def post_chunked(port: int, path: str, body: bytes) -> raw.Answer:
    head = raw.get(
        path, "Content-Type: application/json", "Transfer-Encoding: chunked", method="POST"
    )
    return raw.exchange(port, head + chunked(body))


def test_chunked_bodies_are_read(server: HttpServer, door: FakeDoor) -> None:
    assert post_chunked(server.port, REMEMBER, b'{"content":"in pieces"}').status == 202
    assert door.submitted[0][0].to_wire()["content"] == "in pieces"
    assert post_chunked(server.port, "/workspace/memory/dream", b"").status == 202


@pytest.mark.parametrize("size", [MAX_BODY_BYTES + 1, 16 * 1024 * 1024])
def test_too_large_bodies_are_drained_and_answered(server: HttpServer, size: int) -> None:
    answer = raw.post(server.port, REMEMBER, b" " * size)
    assert (answer.status, answer.json["code"]) == (413, "body_too_large")
    assert answer.headers["Connection"] is None


def test_too_large_chunked_bodies_are_drained_and_answered(server: HttpServer) -> None:
    answer = post_chunked(server.port, REMEMBER, b" " * (MAX_BODY_BYTES + 1))
    assert (answer.status, answer.json["code"]) == (413, "body_too_large")


def test_far_too_large_bodies_are_refused_unread(server: HttpServer) -> None:
    head = raw.get(REMEMBER, f"Content-Length: {17 * 1024 * 1024}", method="POST")
    answer = raw.exchange(server.port, head)
    assert (answer.status, answer.json["code"]) == (413, "body_too_large")
    assert answer.headers["Content-Type"] == "application/json"
