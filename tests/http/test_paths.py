from __future__ import annotations

import pytest

from qmemd.http.paths import is_poll, never_waits


@pytest.mark.parametrize(
    ("method", "path", "query", "expected"),
    [
        ("GET", "/health", "", True),
        ("HEAD", "/capabilities", "", True),
        ("GET", "/workspace/memory/remember/x", "", True),
        ("GET", "/workspace/memory/forget/x/", "", True),
        ("GET", "/workspace/memory/dream/x", "wait=30", False),
        ("DELETE", "/workspace/memory/dream/x", "", False),
        ("POST", "/workspace/memory/dream", "", False),
        ("GET", "/workspace/memory/dream/", "", False),
        ("GET", "/workspace/memory/changing/x", "", False),
        ("GET", "/workspace/memory/dream/x/y", "", False),
        ("GET", "/session/x", "", False),
    ],
)
def test_never_waits(method: str, path: str, query: str, expected: bool) -> None:
    assert never_waits(method, path, query) is expected


def test_a_poll_that_waits_is_still_a_poll() -> None:
    assert is_poll("GET", "/workspace/memory/dream/x")
    assert not is_poll("GET", "/health")
