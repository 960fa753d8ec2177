from __future__ import annotations

import pytest

from qmemd.http.rate_tiers import tier_of


@pytest.mark.parametrize(
    ("method", "path", "tier"),
    [
        ("GET", "/capabilities", "read"),
        ("HEAD", "/capabilities", "read"),
        ("GET", "/workspace/memory/dream/d1", "read"),
        ("GET", "/nothing", "read"),
        ("POST", "/workspace/memory/dream", "mutation"),
        ("DELETE", "/session/s1", "mutation"),
        ("PATCH", "/nothing", "mutation"),
        ("GIBBERISH", "/nothing", "mutation"),
        ("OPTIONS", "/workspace/memory/dream", None),
        ("GET", "/health", None),
        ("HEAD", "/health", None),
        ("GET", "/", None),
        ("HEAD", "/page/app.js", None),
        ("POST", "/page/app.js", "mutation"),
        ("GET", "/page", "read"),
        ("POST", "/health", "mutation"),
        ("POST", "/session/s1/heartbeat", None),
        ("GET", "/session/s1/heartbeat", "read"),
        ("POST", "/session/s1/x/heartbeat", "mutation"),
        ("GET", "/session/s1/events", None),
        ("GET", "/workspace/events", None),
        ("HEAD", "/workspace/events", "read"),
        ("POST", "/session/s1/events", "mutation"),
        ("GET", "/workspace/events/x", "read"),
    ],
)
def test_what_counts_as_what(method: str, path: str, tier: str | None) -> None:
    assert tier_of(method, path) == tier
