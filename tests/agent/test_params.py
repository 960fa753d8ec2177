from __future__ import annotations

from typing import Any

import pytest

from qmemd.agent.params import InvalidParamsError, parse_order, parse_place
from qmemd.kinds import ContextMode, Scope, TaskKind
from qmemd.tasks import Dream, Forget, Remember


def test_a_full_order() -> None:
    order = parse_order(
        TaskKind.REMEMBER,
        {
            "content": " \ufeff\u00a0tea \u2029",
            "contextMode": "clean",
            "scope": "user",
            "cwd": "/w",
            "_meta": {"qmemd/taskId": "remember-1", "qmemd/clientId": "c:1._-", "x": 1},
            "unknown": [],
        },
    )
    assert order.request == Remember("tea", ContextMode.CLEAN, Scope.USER)
    assert (order.cwd, order.task_id, order.client_id) == ("/w", "remember-1", "c:1._-")


@pytest.mark.parametrize(
    ("kind", "params", "expected"),
    [
        (TaskKind.REMEMBER, {"content": "x", "contextMode": None, "scope": None}, Remember("x")),
        (TaskKind.FORGET, {"query": "*", "_meta": None}, Forget("*")),
        (TaskKind.DREAM, None, Dream()),
        (TaskKind.DREAM, {}, Dream()),
    ],
)
def test_what_may_be_absent(kind: TaskKind, params: Any, expected: object) -> None:
    order = parse_order(kind, params)
    assert order.request == expected
    assert (order.cwd, order.task_id, order.client_id) == (None, None, None)


@pytest.mark.parametrize(
    "params",
    [
        None,
        [],
        {},
        {"content": None},
        {"content": 123},
        {"content": ["x"]},
        {"content": ""},
        {"content": " \n\ufeff\u3000"},
        {"content": "\ud800 x"},
        {"content": "x" * 65_537},
        {"content": "記" * 21_846},
        {"content": "x", "contextMode": "CLEAN"},
        {"content": "x", "contextMode": 1},
        {"content": "x", "scope": "USER "},
        {"content": "x", "scope": []},
        {"content": "x", "scope": {}},
        {"content": "x", "cwd": "w"},
        {"content": "x", "cwd": 7},
        {"content": "x", "cwd": "/\0"},
        {"content": "x", "cwd": "/\ud800"},
        {"content": "x", "_meta": []},
        {"content": "x", "_meta": {"qmemd/taskId": "a/b"}},
        {"content": "x", "_meta": {"qmemd/taskId": ""}},
        {"content": "x", "_meta": {"qmemd/taskId": 7}},
        {"content": "x", "_meta": {"qmemd/clientId": "x" * 129}},
        {"content": "x", "_meta": {"qmemd/clientId": "é"}},
    ],
)
def test_what_is_refused(params: Any) -> None:
    with pytest.raises(InvalidParamsError):
        parse_order(TaskKind.REMEMBER, params)


def test_the_limit_counts_bytes_after_trimming() -> None:
    for text in ("x" * 65_536, "記" * 21_845, "🚀" * 16_384):
        order = parse_order(TaskKind.REMEMBER, {"content": f" {text}\n"})
        assert isinstance(order.request, Remember)
        assert order.request.content == text


def test_errors_name_the_key_and_not_the_value() -> None:
    with pytest.raises(InvalidParamsError, match="contextMode") as caught:
        parse_order(TaskKind.REMEMBER, {"content": "x", "contextMode": "s3cret"})
    assert "s3cret" not in str(caught.value)


def test_the_place_of_any_method() -> None:
    assert parse_place(None) is None
    assert parse_place({"cwd": "/w"}) == "/w"
    with pytest.raises(InvalidParamsError):
        parse_place(["/w"])
