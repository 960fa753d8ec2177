"""Bytes to messages and back.

One JSON object a line. Lines end at 0x0A and nowhere else, so that U+2028 and lone carriage
returns inside strings cut nothing. What is no message (banners, log lines, blanks, broken UTF-8)
is dropped and counted; only endless noise or an endless line makes the channel fail.
"""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

from qmemd.acp.messages import Message, classify
from qmemd.errors import ProtocolError

MAX_LINE_BYTES = 16 * 1024 * 1024
MAX_JUNK_LINES = 1_000
"""Lines in a row that are no message before the channel counts as failed."""

_SURROGATE_ESCAPE = re.compile(rb"\\u[dD][89a-fA-F]")
_SURROGATE = re.compile("[\ud800-\udfff]")


class FrameReader:
    """Collects chunks of a stream and gives out the messages in them."""

    def __init__(self, max_bytes: int = MAX_LINE_BYTES) -> None:
        self._max_bytes = max_bytes
        self._partial = bytearray()
        self._junk_in_a_row = 0
        self.junk_lines = 0
        """Lines dropped so far."""
        self.failure: ProtocolError | None = None
        """Why the stream can be read no further. Look at it after each `feed`: it may be set
        although messages that came before the fault were returned."""

    def feed(self, chunk: bytes) -> list[Message]:
        """The messages that this chunk completes.

        Raises:
            ProtocolError: the stream failed and no message came before the fault.
        """
        if self.failure:
            raise self.failure
        messages: list[Message] = []
        start = 0
        while (end := chunk.find(b"\n", start)) >= 0:
            self._partial += chunk[start:end]
            start = end + 1
            line, self._partial = self._partial, bytearray()
            self._take(line, messages)
            if self.failure:
                break
        else:
            self._partial += chunk[start:]
            self._check_length(self._partial)
        if self.failure and not messages:
            raise self.failure
        return messages

    def eof(self) -> list[Message]:
        """The last message, if the stream ended without a line end after it."""
        messages: list[Message] = []
        if self._partial and not self.failure:
            self._take(self._partial, messages)
        self._partial = bytearray()
        return messages

    def _take(self, line: bytearray, messages: list[Message]) -> None:
        self._check_length(line)
        if self.failure:
            return
        message = _decode(bytes(line.removesuffix(b"\r")))
        if message is not None:
            self._junk_in_a_row = 0
            messages.append(message)
            return
        self.junk_lines += 1
        self._junk_in_a_row += 1
        if self._junk_in_a_row > MAX_JUNK_LINES:
            self.failure = ProtocolError(f"{self._junk_in_a_row} lines in a row were no message")

    def _check_length(self, line: bytearray) -> None:
        if len(line) > self._max_bytes:
            self._partial = bytearray()
            self.failure = ProtocolError(f"a line was over {self._max_bytes} bytes")


def encode(message: Message) -> bytes:
    """One line, its end included. ASCII only, so that no text can break it.

    Raises:
        ValueError: the message holds NaN or an infinity.
    """
    return json.dumps(message.to_wire(), separators=(",", ":"), allow_nan=False).encode() + b"\n"


def _decode(line: bytes) -> Message | None:
    try:
        value = json.loads(line.decode(), parse_constant=_refuse_constant)
        if _SURROGATE_ESCAPE.search(line):
            value = _without_lone_surrogates(value)
    except (ValueError, RecursionError):  # UnicodeDecodeError and JSONDecodeError are ValueErrors
        return None
    return classify(value)


def _refuse_constant(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def _without_lone_surrogates(value: Any) -> Any:
    """U+FFFD for each half of a pair: such a text could not be written as UTF-8 any more."""
    text = json.dumps(value, ensure_ascii=False)
    return json.loads(_SURROGATE.sub("\ufffd", text))
