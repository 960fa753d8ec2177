"""A chat completion, read from whatever an endpoint sends. Nothing in it is trusted."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from qmemd.agent.models.openai.failures import no_completion, refusal

_MAX_DEPTH = 64
"""Objects and lists within each other in the arguments of a call."""
_MAX_TOKENS = 10**9
"""No answer costs as many; a larger count is made up, and too long a number to be written."""


@dataclass(frozen=True, slots=True)
class CalledTool:
    """A tool call as the model made it."""

    call_id: str
    """Empty when the endpoint gave none."""
    name: str
    arguments: Any
    """What the JSON text of the arguments holds; the text itself when it is no JSON."""


@dataclass(frozen=True, slots=True)
class Completion:
    """A model's answer."""

    text: str
    calls: tuple[CalledTool, ...]
    tokens: tuple[int, int] | None
    """Taken in and given out, as the endpoint counts; None when it does not tell."""


def read_completion(data: bytes, model: str) -> Completion:
    """The completion in a whole body.

    Raises:
        AskError: it holds none.
    """
    try:
        loaded: Any = json.loads(data)
    except (ValueError, RecursionError):
        raise no_completion() from None
    check_error(loaded, model)
    choices = loaded.get("choices") if isinstance(loaded, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    message = first.get("message") if isinstance(first, dict) else None
    if not isinstance(message, dict):
        raise no_completion()
    calls = message.get("tool_calls")
    return Completion(
        text=text_of(message.get("content")),
        calls=tuple(map(_call, calls)) if isinstance(calls, list) else (),
        tokens=tokens_of(loaded),
    )


def check_error(loaded: Any, model: str) -> None:
    """Some endpoints report an error with status 200.

    Raises:
        AskError: this is one.
    """
    error = loaded.get("error") if isinstance(loaded, dict) else None
    if error:
        code = error.get("code") if isinstance(error, dict) else None
        status = code if isinstance(code, int) and 400 <= code < 600 else 500  # noqa: PLR2004
        raise refusal(status, json.dumps(loaded).encode(), model)


def text_of(content: Any) -> str:
    """Content is a string, nothing, or a list of parts."""
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        return "".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""


def tokens_of(loaded: Mapping[str, Any]) -> tuple[int, int] | None:
    """The counts of an endpoint that tells them."""
    usage = loaded.get("usage")
    if not isinstance(usage, dict):
        return None
    counts = [usage.get("prompt_tokens"), usage.get("completion_tokens")]
    given, made = (
        count
        if isinstance(count, int) and not isinstance(count, bool) and 0 <= count <= _MAX_TOKENS
        else None
        for count in counts
    )
    return None if given is None or made is None else (given, made)


def arguments_of(given: Any) -> Any:
    """Arguments are JSON in a string; a few endpoints send the object itself."""
    if not isinstance(given, str):
        return "" if _is_deep(given) else {} if given is None else given
    if not given.strip():
        return {}
    try:
        loaded: Any = json.loads(given)
    except (ValueError, RecursionError):
        return given
    return given if _is_deep(loaded) else loaded


def _is_deep(value: Any) -> bool:
    """Whether it is nested so far that it could not be written down again."""
    level = [value]
    for _ in range(_MAX_DEPTH):
        inner = [each for each in level if isinstance(each, dict | list)]
        level = [each for one in inner for each in (one.values() if isinstance(one, dict) else one)]
        if not level:
            return False
    return True


def _call(made: Any) -> CalledTool:
    made = made if isinstance(made, dict) else {}
    function = made.get("function")
    function = function if isinstance(function, dict) else {}
    call_id, name = made.get("id"), function.get("name")
    return CalledTool(
        call_id if isinstance(call_id, str) else "",
        name if isinstance(name, str) else "",
        arguments_of(function.get("arguments")),
    )
