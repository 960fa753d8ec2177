from __future__ import annotations

from typing import Any

import pytest

from qmemd.acp.messages import Response, RpcError
from qmemd.actors.outcomes import availability_of, outcome_of
from qmemd.kinds import Scope, TaskKind
from qmemd.messages import (
    Availability,
)
from qmemd.results import RememberResult
from qmemd.tasks import TaskFailure

GOOD = {"summary": "s", "filesTouched": ["/m/a.md"], "touchedScopes": ["user"]}


def failure(code: int, message: str = "m", kind: TaskKind = TaskKind.REMEMBER, **data: Any) -> Any:
    return outcome_of(kind, Response(1, error=RpcError(code, message, data or None)))


def test_known_keys_are_picked_and_others_dropped() -> None:
    response = Response(1, GOOD | {"debug": "x", "tokens": 3})
    assert outcome_of(TaskKind.REMEMBER, response) == RememberResult(
        "s", ("/m/a.md",), (Scope.USER,)
    )


@pytest.mark.parametrize(
    ("result", "key"),
    [
        (GOOD | {"filesTouched": "x"}, "`filesTouched`"),
        (GOOD | {"summary": 1}, "`summary`"),
        (GOOD | {"touchedScopes": ["everywhere"]}, "`touchedScopes`"),
        (None, "the result"),
    ],
)
def test_a_result_of_the_wrong_shape_fails_and_names_the_key(result: Any, key: str) -> None:
    outcome = outcome_of(TaskKind.REMEMBER, Response(1, result))
    assert isinstance(outcome, TaskFailure)
    assert outcome.code == "remember_failed"
    assert key in str(outcome.details)


@pytest.mark.parametrize(
    ("code", "data", "kind", "expected"),
    [
        (
            -32009,
            {"errorKind": "managed_memory_unavailable"},
            "dream",
            "managed_memory_unavailable",
        ),
        (-32009, {}, "dream", "dream_failed"),
        (-32099, {"errorKind": "remember_no_update"}, "remember", "remember_no_update"),
        (-32099, {"errorKind": "remember_timeout"}, "remember", "remember_timeout"),
        (-32099, {"errorKind": "remember_timeout"}, "forget", "forget_failed"),
        (-32099, {"errorKind": "dream_unsafe"}, "dream", "dream_unsafe"),
        (-32099, {"errorKind": "forget_failed"}, "forget", "forget_failed"),
        (
            -32099,
            {"errorKind": "managed_memory_unavailable"},
            "forget",
            "managed_memory_unavailable",
        ),
        (-32099, {"errorKind": "unauthorized"}, "forget", "forget_failed"),
        (-32099, {"errorKind": "no such code"}, "forget", "forget_failed"),
        (-32099, {"errorKind": ["x"]}, "forget", "forget_failed"),
        (-32099, {}, "forget", "forget_failed"),
        (-32602, {}, "remember", "remember_failed"),
        (-32601, {}, "dream", "dream_failed"),
        (1, {}, "dream", "dream_failed"),
    ],
)
def test_errors_become_codes(code: int, data: dict[str, Any], kind: str, expected: str) -> None:
    assert failure(code, kind=TaskKind(kind), **data).code == expected


def test_details_are_redacted_and_short() -> None:
    token = "ghp_" + "a1B2" * 9
    leaky = failure(-32099, errorKind="remember_failed", details=f"sent {token}")
    assert leaky.details == "sent [redacted]"
    assert "abc" not in str(failure(-32602, "Authorization: Bearer abc").details)
    long = failure(-32603, "x" * 1_000_000)
    assert len(long.details) == 500
    assert failure(-32099, "spoken", errorKind="remember_no_update").details is None
    assert failure(-32602, "`content` is no string").details == "`content` is no string"


@pytest.mark.parametrize(
    ("response", "expected"),
    [
        (Response(1, {"available": True, "more": 1}), Availability.AVAILABLE),
        (Response(1, {"available": False}), Availability.UNAVAILABLE),
        (Response(1, {"available": 1}), Availability.FAILED),
        (Response(1, {}), Availability.FAILED),
        (Response(1, True), Availability.FAILED),
        (Response(1, error=RpcError(-32009, "no")), Availability.UNAVAILABLE),
        (Response(1, error=RpcError(-32601, "no")), Availability.FAILED),
    ],
)
def test_the_answer_to_the_availability_question(
    response: Response, expected: Availability
) -> None:
    assert availability_of(response) is expected
