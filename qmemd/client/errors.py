"""What can go wrong for a client: one tree, each with a ``status`` and a ``code``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from qmemd.tasks import Task


class ClientError(Exception):
    """The root of the tree."""

    def __init__(self, message: str, code: str, status: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        """Stable: the daemon's own, or one of this client's."""
        self.status = status
        """Of the HTTP answer; None when there was none."""


class InvalidArgumentError(ClientError, ValueError):
    """An address, token, id or key that cannot be sent. The sentence never shows a token.

    Codes ``invalid_base_url``, ``invalid_token``, ``invalid_client_id`` and
    ``invalid_idempotency_key``.
    """


class DaemonNotFoundError(ClientError):
    """No daemon of this machine serves the workspace. Code ``daemon_not_found``."""


class DaemonUnreachableError(ClientError):
    """Nobody answered in time. Code ``daemon_unreachable``."""


class ClientClosedError(ClientError):
    """The client was closed, perhaps by another thread in the middle of it."""

    def __init__(self) -> None:
        super().__init__("the client was closed", "client_closed")


class RequestRefusedError(ClientError):
    """The daemon refused the request; code and status are its own."""

    def __init__(self, message: str, code: str, status: int, body: Mapping[str, Any]) -> None:
        super().__init__(message, code, status)
        self.body = body
        """The whole answer, with the documented extra keys."""

    @property
    def retry_after(self) -> float:
        """Seconds after which the daemon wants to be asked again; 0 when it does not say."""
        return retry_after(self.body.get("retryAfter"))


class UnexpectedAnswerError(ClientError):
    """What answered is not a daemon, or not one of this protocol. Code ``unexpected_answer``.

    With ``untrusted_certificate`` it could not prove who it is; nothing was sent to it.
    """


class TaskFailedError(ClientError):
    """A task ended as failed; the code is that of its error."""

    def __init__(self, task: Task) -> None:
        assert task.error is not None  # noqa: S101 — the caller has looked
        super().__init__(task.error.message, task.error.code)
        self.task = task
        self.details = task.error.details


class WaitTimeoutError(ClientError, TimeoutError):
    """The task did not end in the given time; it goes on. Code ``wait_timeout``."""


class StreamFailedError(ClientError):
    """An event stream said what no stream says. Code ``stream_failed``."""


def retry_after(value: str | None) -> float:
    """The seconds of a ``Retry-After``; 0 when there is none, or a date."""
    try:
        return max(0.0, float(value or 0))
    except ValueError:
        return 0.0
