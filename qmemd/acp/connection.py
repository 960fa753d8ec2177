"""Which calls are open on a pipe. No I/O and no locks: the owner of the pipe brings both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from qmemd.acp.framing import encode
from qmemd.acp.messages import CallId, Notification, Request, Response


@dataclass(frozen=True, slots=True)
class Call:
    """A request of ours that is not answered yet."""

    id: int
    method: str


class PendingCalls:
    """Pairs responses with the calls that they answer. Ids count up from 0."""

    def __init__(self) -> None:
        self._next_id = 0
        self._open: dict[CallId, Call] = {}

    def __len__(self) -> int:
        return len(self._open)

    def start(self, method: str, params: Any = None) -> tuple[Call, bytes]:
        """A new call and the line that makes it."""
        call = Call(self._next_id, method)
        line = encode(Request(call.id, method, params))
        self._next_id += 1
        self._open[call.id] = call
        return call, line

    def resolve(self, response: Response) -> Call | None:
        """The call that is answered now; None for an unknown id, or a second or late answer."""
        return self._open.pop(response.id, None)

    def abandon(self, call: Call) -> bool:
        """Forgets a call, so that its answer will be dropped. False when it was answered."""
        return self._open.pop(call.id, None) is not None

    def fail_all(self) -> tuple[Call, ...]:
        """The calls that will never be answered, in the order they were made."""
        calls = tuple(self._open.values())
        self._open.clear()
        return calls


def notification(method: str, params: Any = None) -> bytes:
    """The line of a message that is never answered."""
    return encode(Notification(method, params))
