"""Who owns which file descriptor: the pipe to the daemon belongs to the protocol alone."""

from __future__ import annotations

import os
import threading

from qmemd.acp.framing import encode
from qmemd.acp.messages import Message


def take_over_stdio() -> tuple[int, int]:
    """Private copies of stdin and stdout, which no subprocess inherits.

    Afterwards descriptor 0 reads nothing, and what anybody prints goes to stderr.
    """
    incoming, outgoing = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    try:
        os.dup2(2, 1)
    except OSError:  # started without a stderr
        os.dup2(nothing, 2)
        os.dup2(nothing, 1)
    os.close(nothing)
    return incoming, outgoing


class ProtocolWriter:
    """The only one who writes to the daemon: whole lines, from any thread."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._lock = threading.Lock()

    def send(self, message: Message) -> bool:
        """Writes one message; False when nobody reads any more."""
        rest = memoryview(encode(message))
        with self._lock:
            try:
                while rest:
                    rest = rest[os.write(self._descriptor, rest) :]
            except OSError:
                return False
        return True
