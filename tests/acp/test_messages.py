from __future__ import annotations

from typing import Any

import pytest

from qmemd.acp.messages import (
    Notification,
    Request,
    Response,
    RpcError,
    classify,
    invalid_params,
    memory_unavailable,
    method_not_found,
    task_failed,
)


def rpc(**body: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", **body}


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (rpc(id=1, method="m"), Request(1, "m")),
        (rpc(id="c1", method="m", params={"a": 1}), Request("c1", "m", {"a": 1})),
        (rpc(id=None, method="m", params=[1]), Request(None, "m", [1])),
        (rpc(method="m", params={}), Notification("m", {})),
        (rpc(id=1, result=None), Response(1, None)),
        (rpc(id=1, result={"a": 1}, error=None), Response(1, {"a": 1})),
        (rpc(id=1, error={"code": -1, "message": "no"}), Response(1, error=RpcError(-1, "no"))),
        (
            rpc(id=None, result=None, error={"code": 1, "message": "m", "data": [2]}),
            Response(None, error=RpcError(1, "m", [2])),
        ),
    ],
)
def test_the_three_shapes_are_told_apart(value: Any, message: Any) -> None:
    assert classify(value) == message


@pytest.mark.parametrize(
    "value",
    [
        "hello",
        [1],
        [rpc(id=1, result=1)],
        None,
        1,
        {},
        {"level": "info", "id": 1},
        {"id": 1, "result": 1},
        {"jsonrpc": "1.0", "id": 1, "result": 1},
        {"jsonrpc": 2.0, "id": 1, "result": 1},
        rpc(),
        rpc(result=1),
        rpc(id=True, result=1),
        rpc(id=1.0, result=1),
        rpc(id={}, method="m"),
        rpc(method=1),
        rpc(id=1, method="m", params="p"),
        rpc(id=1, method="m", result=1),
    ],
)
def test_anything_else_is_no_message(value: Any) -> None:
    assert classify(value) is None


@pytest.mark.parametrize(
    "value",
    [
        rpc(id=1),
        rpc(id=1, result=1, error={"code": 1, "message": "m"}),
        rpc(id=1, error="boom"),
        rpc(id=1, error={"code": "1", "message": "m"}),
        rpc(id=1, error={"code": True, "message": "m"}),
        rpc(id=1, error={"code": 1}),
        rpc(id=1, error=None),
    ],
)
def test_an_answer_in_no_proper_shape_is_an_answer_all_the_same(value: Any) -> None:
    message = classify(value)
    assert isinstance(message, Response)
    assert message.id == 1
    assert message.error
    assert message.error.code == -32603


@pytest.mark.parametrize(
    "message",
    [
        Request(0, "initialize", {"protocolVersion": 1}),
        Request("x", "m"),
        Notification("n", [1]),
        Response(3, {"a": None}),
        Response(3),
        method_not_found(4, "fs/read_text_file"),
        invalid_params("c", "`content` is not a string"),
        memory_unavailable(5, "no"),
        task_failed(6, "failed", "remember_no_update", "why"),
    ],
)
def test_what_goes_out_is_understood(message: Any) -> None:
    assert classify(message.to_wire()) == message


def test_error_answers_carry_code_and_kind() -> None:
    assert method_not_found(1, "x/y").to_wire()["error"]["code"] == -32601
    assert invalid_params(1, "m").to_wire()["error"] == {"code": -32602, "message": "m"}
    assert memory_unavailable(1, "m").to_wire()["error"] == {
        "code": -32009,
        "message": "m",
        "data": {"errorKind": "managed_memory_unavailable"},
    }
    assert task_failed(1, "m", "dream_unsafe").to_wire()["error"] == {
        "code": -32099,
        "message": "m",
        "data": {"errorKind": "dream_unsafe"},
    }
