"""A chat completion put together from the events of a stream."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from qmemd.agent.models.openai.completion import (
    CalledTool,
    Completion,
    arguments_of,
    check_error,
    text_of,
    tokens_of,
)
from qmemd.agent.models.openai.failures import AskError, no_completion

MAX_LINE = 1024 * 1024
"""Bytes of one event."""


@dataclass(slots=True)
class _Call:
    call_id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list)


class StreamReader:
    """Collects the deltas of one answer."""

    def __init__(self, model: str) -> None:
        self._model = model
        self._text: list[str] = []
        self._calls: dict[str, _Call] = {}
        self._last: str | None = None
        self._tokens: tuple[int, int] | None = None
        self._finished = False
        self._events = 0

    def read(self, chunks: Iterable[bytes]) -> Completion:
        """The completion of a stream that came to its end.

        Raises:
            AskError: it was cut, reports an error, or is none.
        """
        for line in lines(chunks):
            if not line.startswith(b"data:"):
                continue
            data = line.removeprefix(b"data:").strip()
            if data == b"[DONE]":
                self._finished = True
                break
            self._take(data)
        if not self._events:
            raise no_completion()
        if not self._finished:
            raise AskError("The model endpoint cut its answer off.", retry=True)
        calls = tuple(
            CalledTool(call.call_id, call.name, arguments_of("".join(call.arguments)))
            for call in self._calls.values()
        )
        return Completion("".join(self._text), calls, self._tokens)

    def _take(self, data: bytes) -> None:
        try:
            event: Any = json.loads(data)
        except (ValueError, RecursionError):
            raise no_completion() from None
        if not isinstance(event, dict):
            raise no_completion()
        check_error(event, self._model)
        self._events += 1
        self._tokens = tokens_of(event) or self._tokens
        choices = event.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        if not isinstance(choice, dict):
            return
        # The usage comes after it, so reading goes on.
        self._finished = self._finished or bool(choice.get("finish_reason"))
        # A server that cannot stream may send its whole message as the only event.
        delta = choice.get("delta") or choice.get("message")
        if isinstance(delta, dict):
            self._text.append(text_of(delta.get("content")))
            calls = delta.get("tool_calls")
            for position, made in enumerate(calls if isinstance(calls, list) else ()):
                if isinstance(made, dict):
                    self._add_call(position, made)

    def _add_call(self, position: int, made: dict[str, Any]) -> None:
        index = made.get("index")
        # Not every endpoint numbers its calls: then a new id begins one, and what has none goes on.
        key = index if isinstance(index, int) else made.get("id") or self._last or position
        function = made.get("function")
        function = function if isinstance(function, dict) else {}
        call_id, name, arguments = made.get("id"), function.get("name"), function.get("arguments")
        self._last = str(key)
        call = self._calls.setdefault(self._last, _Call())
        if isinstance(call_id, str):
            call.call_id = call.call_id or call_id
        if isinstance(name, str):
            call.name = call.name or name
        if isinstance(arguments, dict):
            arguments = json.dumps(arguments)
        if isinstance(arguments, str):
            call.arguments.append(arguments)


def lines(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Lines without their ends; what stands after the last end is a line too.

    Raises:
        AskError: one is over ``MAX_LINE``.
    """
    open_line: list[bytes] = []
    size = 0
    for chunk in chunks:
        *whole, rest = chunk.split(b"\n")
        for end in whole:
            _check_line(size + len(end))
            yield b"".join((*open_line, end)).rstrip(b"\r")
            open_line, size = [], 0
        open_line.append(rest)
        size += len(rest)
        _check_line(size)
    if size:
        yield b"".join(open_line).rstrip(b"\r")


def _check_line(size: int) -> None:
    if size > MAX_LINE:
        raise AskError(f"A line of the model endpoint's stream is over {MAX_LINE} bytes.")
