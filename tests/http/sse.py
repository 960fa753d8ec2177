"""Two readers of event streams: one to the letter, one that cuts at blank lines."""

from __future__ import annotations

import json
from typing import Any

from tests.http.raw import Connection


def frames(body: bytes) -> list[dict[str, Any]]:
    """The envelopes of a whole body, for a client that splits at blank lines alone."""
    blocks = [block for block in body.decode().split("\n\n") if block]
    lines = [block.split("data: ", 1)[1] for block in blocks if "data: " in block]
    return [json.loads(line) for line in lines]


class StreamClient:
    """Reads one chunked stream, a line at a time."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._text = b""

    def head(self) -> tuple[int, dict[str, str]]:
        status = int(self._connection.line().split()[1])
        headers = {}
        while line := self._connection.line().strip():
            name, _, value = line.decode("latin-1").partition(":")
            headers[name.lower()] = value.strip()
        return status, headers

    def block(self) -> str:
        """What comes until the next blank line; ConnectionError at the end of the stream."""
        while b"\n\n" not in self._text:
            size = self._connection.line()
            length = int(size or b"0", 16)
            if not length:
                raise ConnectionAbortedError("the stream has ended")
            self._text += self._connection.exactly(length)
            self._connection.line()
        block, _, self._text = self._text.partition(b"\n\n")
        return block.decode()

    def event(self) -> dict[str, Any]:
        """The next envelope; comments and ``retry`` are passed over."""
        while True:
            lines = self.block().split("\n")
            data = [line.removeprefix("data: ") for line in lines if line.startswith("data: ")]
            if data:
                envelope: dict[str, Any] = json.loads("\n".join(data))
                names = [line for line in lines if line.startswith("event: ")]
                assert names == [f"event: {envelope['type']}"]
                ids = [line for line in lines if line.startswith("id: ")]
                assert ids == ([f"id: {envelope['id']}"] if "id" in envelope else [])
                return envelope
