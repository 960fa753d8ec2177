"""Which web pages may ask, and what their browsers have to be told."""

from __future__ import annotations

from collections.abc import Collection

EVERY = "*"
"""Any page; the token still decides."""

METHODS = "GET, POST, DELETE, OPTIONS"
HEADERS = (
    "Authorization, Content-Type, Idempotency-Key, Last-Event-ID, X-Qwen-Client-Id, "
    "X-Qwen-Event-Epoch"
)
EXPOSED = (
    "Allow, Retry-After, X-Qwen-Event-Epoch, X-Qwen-SSE-Stream-Id, "
    "X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset"
)
MAX_AGE = "86400"
"""Seconds for which a browser may remember a preflight."""


class Origins:
    """The origins that are allowed besides the daemon's own."""

    def __init__(self, allowed: Collection[str]) -> None:
        self._allowed = frozenset(origin.lower() for origin in allowed)

    def allows(self, origin: str) -> bool:
        """Whether a page of this origin may ask. ``null`` says nothing of where a page is from."""
        if origin.lower() == "null":
            return False
        return EVERY in self._allowed or origin.lower() in self._allowed

    def headers(self, origin: str | None) -> tuple[tuple[str, str], ...]:
        """What every answer to such a page carries, also a refusal; nothing for others."""
        if origin is None or not self.allows(origin):
            return ()
        return (
            ("Access-Control-Allow-Origin", origin),
            ("Vary", "Origin"),
            ("Access-Control-Expose-Headers", EXPOSED),
            ("Access-Control-Allow-Methods", METHODS),
            ("Access-Control-Allow-Headers", HEADERS),
            ("Access-Control-Max-Age", MAX_AGE),
        )
