"""HTTP for a client that threads share: a connection for each request, and nothing to lock.

On loopback a connection costs a tenth of a millisecond, and none can have gone stale in a pool.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import re
import ssl
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import SplitResult, urlsplit

from qmemd.client.connection import Connection, Left, OnSocket
from qmemd.client.errors import (
    DaemonUnreachableError,
    InvalidArgumentError,
    RequestRefusedError,
    UnexpectedAnswerError,
)
from qmemd.client.lifetime import Lifetime, Wakeable

MAX_ANSWER = 64 * 2**20
"""Bytes of one answer."""
_FIRST_PAUSE = 0.05
"""Seconds before the first repetition; doubled each time."""
_LONGEST_PAUSE = 2.0
_TRY_AGAIN = (429, 503)
_CLIENT_ID = re.compile(r"[A-Za-z0-9._:-]{1,128}")
_NOT_IN_A_TOKEN = re.compile(r"[\s\x00-\x20\x7f]|[\ud800-\udfff]")
_NOT_IN_A_URL = re.compile(r"[\s\x00-\x20\x7f]")


@dataclass(frozen=True, slots=True)
class Transport:
    """Where the daemon is, and what every request says."""

    base_url: str
    token: str | None = field(repr=False)
    client_id: str | None
    timeout: float
    """Seconds for one request, repetitions included."""
    lifetime: Lifetime = field(default_factory=Lifetime, repr=False, compare=False)
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] | None = None
    """What waits before a repetition; the lifetime's ``pause`` when None."""

    def __post_init__(self) -> None:
        if not _is_base_url(self.base_url):
            raise InvalidArgumentError(
                "the base URL must be http://HOST:PORT or https://HOST:PORT, without a user or "
                "a query",
                "invalid_base_url",
            )
        # The standard library would show the header that it refuses, and so the token.
        if self.token is not None and (not self.token or _NOT_IN_A_TOKEN.search(self.token)):
            raise InvalidArgumentError(
                "the token is blank, or holds blanks or control letters", "invalid_token"
            )
        if self.client_id is not None and not _CLIENT_ID.fullmatch(self.client_id):
            raise InvalidArgumentError(
                "the client id must be 1-128 of [A-Za-z0-9._:-]", "invalid_client_id"
            )

    def call(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        *,
        headers: Mapping[str, str] | None = None,
        repeat: bool = True,
        wait: float = 0.0,
        timeout: float | None = None,
    ) -> Any:
        """The JSON of the answer; None for an empty one.

        Args:
            method: HTTP's.
            path: below the base URL, quoted, with its query.
            body: a JSON object to send.
            headers: further headers.
            repeat: whether the request may be sent again: when nobody answers, or the daemon
                says that it should be.
            wait: seconds that the daemon may take longer than usual.
            timeout: seconds instead of the usual ones, if those are more.

        Raises:
            DaemonUnreachableError: nobody answered in time.
            RequestRefusedError: the daemon refused it.
            UnexpectedAnswerError: the answer is not JSON, or its certificate not trusted.
            ClientClosedError: the client was closed, before it or meanwhile.
        """
        usual = self.timeout if timeout is None else min(timeout, self.timeout)
        deadline = self.clock() + usual + wait
        pause = _FIRST_PAUSE
        while True:
            try:
                return self._once(method, path, body, headers or {}, self.until(deadline))
            except DaemonUnreachableError:
                asked = 0.0
                if not repeat or self.clock() + pause >= deadline:
                    raise
            except RequestRefusedError as refusal:
                asked = refusal.retry_after
                again = repeat and refusal.status in _TRY_AGAIN
                if not again or self.clock() + max(asked, pause) >= deadline:
                    raise
            (self.sleep or self.lifetime.pause)(max(asked, pause))
            pause = min(2 * pause, _LONGEST_PAUSE)

    def connection(self, left: Left, on_socket: OnSocket) -> Connection:
        """One that is not open yet. See ``Connection``."""
        parts = self._parts
        secure = parts.scheme == "https"
        return Connection(
            parts.hostname or "", parts.port, secure=secure, left=left, on_socket=on_socket
        )

    def until(self, deadline: float) -> Left:
        """What is left until then, by this transport's clock."""

        def left() -> float:
            seconds = deadline - self.clock()
            if seconds <= 0:
                raise TimeoutError("timed out")
            return seconds

        return left

    def target(self, path: str) -> str:
        """What stands in the request line."""
        return self._parts.path.rstrip("/") + path

    def headers(self, more: Mapping[str, str] | None = None) -> dict[str, str | bytes]:
        """The headers of every request."""
        sent: dict[str, str | bytes] = {}
        if self.token is not None:
            sent["Authorization"] = f"Bearer {self.token}".encode()
        if self.client_id is not None:
            sent["X-Qwen-Client-Id"] = self.client_id
        return sent | dict(more or {})

    @property
    def _parts(self) -> SplitResult:
        return urlsplit(self.base_url)

    def _once(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None,
        headers: Mapping[str, str],
        left: Left,
    ) -> Any:
        sent = self.headers(headers)
        content = None
        if body is not None:
            content = json.dumps(body).encode()
            sent["Content-Type"] = "application/json"
        waiting = Wakeable()
        with (
            self.lifetime.watched(waiting.end),
            contextlib.closing(self.connection(left, waiting.take)) as connection,
        ):
            try:
                connection.request(method, self.target(path), content, sent)
                response = connection.getresponse()
                data = response.read(MAX_ANSWER + 1)
                if response.length and len(data) <= MAX_ANSWER:
                    raise http.client.IncompleteRead(data, response.length)
            except ssl.SSLCertVerificationError as error:
                raise untrusted(self.base_url, error) from error
            except (OSError, http.client.HTTPException) as error:
                self.lifetime.check()
                raise DaemonUnreachableError(
                    f"no answer from {self.base_url}: {error or type(error).__name__}",
                    "daemon_unreachable",
                ) from error
        return read_answer(response.status, response.headers["Retry-After"], data)


def read_answer(status: int, retry_after: str | None, data: bytes) -> Any:
    """The JSON of an answer.

    Raises:
        RequestRefusedError: its status says that the request was refused.
        UnexpectedAnswerError: it is not what a daemon says.
    """
    if len(data) > MAX_ANSWER:
        raise UnexpectedAnswerError("the answer is too large", "unexpected_answer", status)
    try:
        value = json.loads(data) if data else None
    except (ValueError, RecursionError):
        raise UnexpectedAnswerError("the answer is not JSON", "unexpected_answer", status) from None
    if 200 <= status < 300:  # noqa: PLR2004 — HTTP's own
        return value
    if not isinstance(value, dict) or not isinstance(value.get("error"), str):
        raise UnexpectedAnswerError(f"HTTP status {status}", "unexpected_answer", status)
    body = value | {"retryAfter": retry_after}
    raise RequestRefusedError(value["error"], str(value.get("code", "unknown")), status, body)


def untrusted(base_url: str, error: ssl.SSLCertVerificationError) -> UnexpectedAnswerError:
    """Asking again would not help."""
    return UnexpectedAnswerError(
        f"the certificate of {base_url} is not trusted: {error.verify_message}",
        "untrusted_certificate",
    )


def _is_base_url(url: str) -> bool:
    try:
        parts = urlsplit(url)
        _ = parts.port  # raises for one that is none
        (parts.hostname or "").encode("idna")  # as the resolver will
    except ValueError:
        return False
    if _NOT_IN_A_URL.search(url) or not parts.path.isascii():
        return False
    extra = parts.username is not None or parts.query or parts.fragment
    return parts.scheme in ("http", "https") and bool(parts.hostname) and not extra
