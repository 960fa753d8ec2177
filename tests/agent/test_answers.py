from __future__ import annotations

import logging
from typing import Any

import pytest

from qmemd.agent.answers import answer_failure
from qmemd.errors import MemoryFilesError, TaskFailedError
from qmemd.kinds import TaskKind


def error_of(error: BaseException) -> dict[str, Any]:
    wire = answer_failure(7, TaskKind.FORGET, error).to_wire()
    assert wire["id"] == 7
    found: dict[str, Any] = wire["error"]
    return found


def test_a_code_of_the_table_travels_with_its_details() -> None:
    error = error_of(TaskFailedError("change_conflict", details="user/x.md"))
    assert error["code"] == -32099
    assert error["data"] == {"errorKind": "change_conflict", "details": "user/x.md"}


def test_unavailable_memory_has_a_code_of_its_own() -> None:
    error = error_of(TaskFailedError("managed_memory_unavailable"))
    assert error["code"] == -32009
    assert error["data"]["errorKind"] == "managed_memory_unavailable"


@pytest.mark.parametrize(
    ("error", "details"),
    [
        (
            MemoryFilesError("memory_locked", "The user memory is locked."),
            "The user memory is locked.",
        ),
        (OSError(28, "No space left on device"), "No space left on device"),
    ],
)
def test_other_faults_become_the_code_of_the_kind(error: Exception, details: str) -> None:
    assert error_of(error)["data"] == {"errorKind": "forget_failed", "details": details}


class UnreadableError(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no message for you")


@pytest.mark.parametrize(
    "error", [ValueError("the user's words"), UnreadableError(), SystemExit(3), KeyboardInterrupt()]
)
def test_unexpected_errors_tell_nothing_and_log_only_their_place(
    error: BaseException, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR):
        assert error_of(error)["data"] == {"errorKind": "forget_failed"}
    assert type(error).__name__ in caplog.text
    assert "words" not in caplog.text


def test_details_are_redacted_and_cut() -> None:
    secret = "Authorization: Bearer abc"
    data = error_of(TaskFailedError("forget_failed", details=f"{secret} " + "x" * 10**6))["data"]
    assert "abc" not in data["details"]
    assert len(data["details"]) == 500
