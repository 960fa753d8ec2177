"""Why an endpoint gave no completion, in words that hold neither its answer nor what was asked."""

from __future__ import annotations

import json
import re
from typing import Any

RETRIED = frozenset({408, 409, 429, *range(500, 600)})
"""Statuses after which the same request may succeed."""

_REJECTED = (400, 415, 422, 501)
_TOO_LARGE = 413

# Looked for in what the endpoint said, in lower case.
_TOO_LONG = re.compile(
    r"context.{0,3}(?:length|window|size)|maximum context|too many tokens|input length|"
    r"(?:prompt|input|request)\b.{0,40}\btoo (?:long|large)"
)
_NO_TOOLS = re.compile(r"not support (?:tools?|function)|tools? (?:is|are) not support")
_NO_MODEL = re.compile(
    r"model_not_found|\bmodel\b.{0,300}(?:not found|not exist|not available|unknown)|"
    r"(?:unknown|invalid|no such|not found).{0,40}\bmodel\b",
    re.DOTALL,
)
_FEATURES = (
    ("stream_options", re.compile(r"stream_options|include_usage")),
    ("response_format", re.compile(r"response_?format|json_?schema|structured.?output")),
    ("temperature", re.compile(r"temperature")),
    ("stream", re.compile(r"\bstream")),
)


class AskError(Exception):
    """One request came to nothing."""

    def __init__(
        self,
        details: str,
        *,
        retry: bool = False,
        retry_after: float | None = None,
        rejected: bool = False,
        feature: str | None = None,
    ) -> None:
        super().__init__(details)
        self.details = details
        self.retry = retry
        """The same request may succeed later."""
        self.retry_after = retry_after
        """Seconds that the endpoint asked to be left alone."""
        self.rejected = rejected
        """The endpoint does not take the request as it is; a plainer one may do."""
        self.feature = feature
        """The part of the request that it named."""


def refusal(status: int, body: bytes, model: str, retry_after: float | None = None) -> AskError:
    """What an HTTP status other than 200 means. The body is looked at and never repeated."""
    said = _said(body)
    feature = next((name for name, pattern in _FEATURES if pattern.search(said)), None)
    mistake = _mistake(status, said, model, whole=feature is None)
    if mistake:
        return AskError(mistake)
    if status in _REJECTED:
        return AskError(
            f"The model endpoint refused the request (HTTP {status}).",
            rejected=True,
            feature=feature,
        )
    if status in RETRIED:
        reached = "'s rate limit was reached" if status == 429 else " failed"  # noqa: PLR2004
        return AskError(
            f"The model endpoint{reached} (HTTP {status}).", retry=True, retry_after=retry_after
        )
    return AskError(f"The model endpoint refused the request (HTTP {status}).")


def no_completion() -> AskError:
    """The endpoint answered with something else."""
    return AskError(
        "The answer of the model endpoint is no chat completion; check OPENAI_BASE_URL."
    )


def _mistake(status: int, said: str, model: str, *, whole: bool) -> str | None:
    """What somebody has to put right before it can work; ``whole``: no part of it was named."""
    rejected = status in _REJECTED
    found = {
        f"The model endpoint refused the key (HTTP {status}); check OPENAI_API_KEY.": (
            status in (401, 403)
        ),
        "The request is longer than the model's context; use a model with a longer one.": (
            status == _TOO_LARGE or (rejected and _TOO_LONG.search(said))
        ),
        f"The model endpoint does not know the model {model!r}; check OPENAI_MODEL or --model.": (
            (status == 404 or (status == 400 and whole)) and _NO_MODEL.search(said)  # noqa: PLR2004
        ),
        f"The model endpoint has no chat completions at this address (HTTP {status}); check "
        "OPENAI_BASE_URL, which usually ends in /v1.": status in (404, 405),
        f"The model {model!r} takes no tools; use one that does.": (
            rejected and _NO_TOOLS.search(said)
        ),
        f"The quota at the model endpoint is used up (HTTP {status}).": (
            status in (402, 429) and "insufficient" in said
        ),
        f"The model endpoint redirects (HTTP {status}), which is not followed; set OPENAI_BASE_URL "
        "to its final address.": 300 <= status < 400,  # noqa: PLR2004
    }
    return next((sentence for sentence, true in found.items() if true), None)


def _said(body: bytes) -> str:
    """The endpoint's reason as it wrote it, in lower case and cut."""
    text = body.decode("utf-8", "replace")
    try:
        loaded: Any = json.loads(text)
    except (ValueError, RecursionError):
        return text[:4000].lower()
    error = loaded.get("error", loaded) if isinstance(loaded, dict) else loaded
    if isinstance(error, dict):
        parts = [error.get(key) for key in ("code", "param", "type", "message", "detail")]
        error = " ; ".join(str(part) for part in parts if part is not None)
    return str(error)[:4000].lower()
