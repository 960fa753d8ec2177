from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from falcon import testing

from qmemd.context import ContextFiles
from tests.http.fake_door import FakeDoor


@pytest.fixture
def root(door: FakeDoor, tmp_path: Path) -> Path:
    root = tmp_path.resolve()
    (root / "w").mkdir()
    door.context_files = ContextFiles(root / "w", root / "h", root / "lock")
    return root


def write(client: testing.TestClient, body: Any, **headers: str) -> testing.Result:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return client.simulate_post("/workspace/memory", json=body, headers=named)


def test_writing_tells_what_was_written_and_publishes_it(
    client: testing.TestClient, door: FakeDoor, root: Path
) -> None:
    body = {"scope": "workspace", "content": "x", "mode": "replace"}
    reply = write(client, body, X_Qwen_Client_Id="known")
    path = str(root / "w" / "QWEN.md")
    assert (reply.status_code, reply.json) == (
        200,
        {"ok": True, "filePath": path, "bytesWritten": 1, "mode": "replace", "changed": True},
    )
    [event] = door.published
    assert (event.to_wire(), event.originator) == (
        {"scope": "workspace", "filePath": path, "mode": "replace", "bytesWritten": 1},
        "known",
    )
    assert write(client, body).json["changed"] is False
    assert write(client, {"scope": "global", "content": " "}).json["mode"] == "append"
    assert len(door.published) == 1


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({}, "invalid_scope"),
        ({"scope": "user", "content": "x"}, "invalid_scope"),
        ({"scope": ["workspace"], "content": "x"}, "invalid_scope"),
        ({"scope": "global", "mode": None, "content": "x"}, "invalid_mode"),
        ({"scope": "global", "mode": "add", "content": 1}, "invalid_mode"),
        ({"scope": "global"}, "invalid_content"),
        ({"scope": "global", "content": None}, "invalid_content"),
        ({"scope": "global", "content": "a\0"}, "invalid_content"),
        ({"scope": "global", "content": "x" * 1_048_577}, "content_too_large"),
    ],
)
def test_bad_fields(
    client: testing.TestClient, door: FakeDoor, root: Path, body: Any, code: str
) -> None:
    reply = write(client, body)
    assert (reply.status_code, reply.json["code"]) == (400, code)
    assert not door.published
    assert not (root / "h").exists()


def test_a_lone_surrogate_and_an_unknown_client(client: testing.TestClient, root: Path) -> None:
    reply = client.simulate_post(
        "/workspace/memory",
        body='{"scope":"global","content":"\\ud800"}',
        headers={"Content-Type": "application/json"},
    )
    assert reply.json["code"] == "invalid_content"
    reply = write(client, {"scope": "global", "content": "x"}, X_Qwen_Client_Id="unknown")
    assert reply.json["code"] == "invalid_client_id"
    assert not (root / "h").exists()


@pytest.mark.usefixtures("root")
def test_listing_ignores_the_client_id(client: testing.TestClient) -> None:
    reply = client.simulate_get("/workspace/memory/", headers={"X-Qwen-Client-Id": "a b"})
    assert (reply.status_code, reply.json["files"]) == (200, [])


def test_reading(client: testing.TestClient, root: Path) -> None:
    (root / "w" / "QWEN.md").write_text("one\ntwo\n")
    query = {"path": "QWEN.md", "line": "2", "limit": "1", "maxBytes": "2"}
    reply = client.simulate_get("/file", params=query)
    assert reply.status_code == 200
    assert (reply.json["content"], reply.json["truncated"]) == ("tw", True)
    assert reply.headers["Cache-Control"] == "no-store"


@pytest.mark.usefixtures("root")
@pytest.mark.parametrize(
    ("query", "status", "code"),
    [
        ("", 400, "parse_error"),
        ("path=", 400, "parse_error"),
        ("path=%00", 400, "parse_error"),
        ("path=QWEN.md&line=0", 400, "parse_error"),
        ("path=QWEN.md&limit=x", 400, "parse_error"),
        ("path=QWEN.md&maxBytes=-1", 400, "parse_error"),
        ("path=QWEN.md", 404, "path_not_found"),
        ("path=/etc/passwd", 400, "path_outside_workspace"),
        ("path=" + "x" * 5_000, 404, "path_not_found"),
    ],
)
def test_refused_reads_have_both_forms_of_an_error(
    client: testing.TestClient, query: str, status: int, code: str
) -> None:
    reply = client.simulate_get("/file", query_string=query)
    assert reply.status_code == status
    assert (reply.json["code"], reply.json["errorKind"], reply.json["status"]) == (
        code,
        code,
        status,
    )


def test_a_file_that_is_too_large_says_how_large_it_is(
    client: testing.TestClient, door: FakeDoor, root: Path
) -> None:
    path = root / "w" / "QWEN.md"
    with path.open("wb") as file:
        file.truncate(16_777_217)
    reply = write(client, {"scope": "workspace", "mode": "append", "content": "x"})
    assert reply.status_code == 413
    assert {key: reply.json[key] for key in reply.json if key != "error"} == {
        "code": "memory_file_too_large",
        "scope": "workspace",
        "mode": "append",
        "bytes": 16_777_217,
        "limit": 16_777_216,
    }
    read = client.simulate_get("/file", params={"path": str(path)})
    assert (read.status_code, read.json["errorKind"]) == (413, "file_too_large")
    assert not door.published


def test_a_file_that_is_no_text_is_left_alone(client: testing.TestClient, root: Path) -> None:
    path = root / "w" / "QWEN.md"
    path.write_bytes(b"\xff\xfe#")
    reply = write(client, {"scope": "workspace", "content": "x"})
    assert (reply.status_code, reply.json["code"]) == (409, "memory_file_refused")
    assert path.read_bytes() == b"\xff\xfe#"
    read = client.simulate_get("/file", params={"path": "QWEN.md"})
    assert (read.status_code, read.json["errorKind"]) == (422, "binary_file")


@pytest.mark.parametrize(("size", "truncated"), [(1_048_576, False), (1_048_577, True)])
@pytest.mark.parametrize("asked", [{}, {"maxBytes": "99999999"}])
def test_at_most_a_mebibyte_is_read_and_no_letter_is_cut(
    client: testing.TestClient, root: Path, size: int, truncated: bool, asked: dict[str, str]
) -> None:
    (root / "w" / "QWEN.md").write_bytes(("x" * (size - 2) + "é").encode())
    reply = client.simulate_get("/file", params={"path": "QWEN.md"} | asked)
    assert reply.json["truncated"] is reply.json["hasMore"] is truncated
    assert reply.json["content"].endswith("x" if truncated else "é")
    assert reply.json["returnedBytes"] == (size - 2 if truncated else size)
    assert reply.json["sizeBytes"] == size


def test_the_content_is_limited_by_bytes(client: testing.TestClient, root: Path) -> None:
    body = {"scope": "workspace", "mode": "replace", "content": "é" * 524_288}
    assert write(client, body).json["bytesWritten"] == 1_048_576
    reply = write(client, body | {"content": body["content"] + "\n"})
    assert (reply.status_code, reply.json["code"]) == (400, "content_too_large")
    assert (root / "w" / "QWEN.md").stat().st_size == 1_048_576
    assert write(client, body | {"content": ""}).json["bytesWritten"] == 0
    assert (root / "w" / "QWEN.md").read_bytes() == b""


@pytest.mark.usefixtures("root")
def test_the_scopes_of_this_route_are_named(client: testing.TestClient) -> None:
    reply = write(client, {"scope": "project", "content": "x"})
    assert "workspace" in reply.json["error"]
    assert "global" in reply.json["error"]


def test_fields_are_judged_before_the_client_id(client: testing.TestClient, root: Path) -> None:
    reply = write(client, {"scope": "global", "content": 1}, X_Qwen_Client_Id="unknown")
    assert reply.json["code"] == "invalid_content"
    reply = write(client, {"scope": "global", "content": "x"}, X_Qwen_Client_Id="a b")
    assert (reply.status_code, reply.json["code"]) == (400, "invalid_client_id")
    # What is too large is a matter of the fields as well.
    large = {"scope": "global", "content": "x" * 1_048_577}
    reply = write(client, large, X_Qwen_Client_Id="unknown")
    assert reply.json["code"] == "content_too_large"
    assert not (root / "h").exists()
