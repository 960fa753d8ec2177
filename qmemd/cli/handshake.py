"""Whether an agent starts: one is asked who it is, and ended."""

from __future__ import annotations

import queue
import threading

from qmemd._version import __version__
from qmemd.acp.connection import PendingCalls
from qmemd.acp.messages import INITIALIZE, Message, Response, initialize_params
from qmemd.acp.process import ChildProcess
from qmemd.settings import Settings
from qmemd.workspace.spawning import spawn_config

PATIENCE = 20.0
"""Seconds for an agent to answer."""
_GRACE = 0.5


class HandshakeError(Exception):
    """It did not start, or did not answer. The sentence says what is known."""


def shake_hands(settings: Settings, *, patience: float = PATIENCE) -> str:
    """The agent's name and version, in its own words.

    Raises:
        HandshakeError: there is none.
    """
    answers: queue.SimpleQueue[Response | None] = queue.SimpleQueue()

    def received(message: Message) -> None:
        if isinstance(message, Response):
            answers.put(message)

    process = ChildProcess(spawn_config(settings), received)
    try:
        process.spawn()
    except (OSError, ValueError) as error:
        raise HandshakeError(str(error)) from error
    ended: list[str] = []

    def wait() -> None:
        info = process.wait()
        tail = info.stderr_tail.strip().splitlines()
        ended.append(f"{info.sentence}; {tail[-1]}" if tail else info.sentence)
        answers.put(None)

    waiting = threading.Thread(target=wait, name="qmemd-handshake", daemon=True)
    waiting.start()
    try:
        process.send(PendingCalls().start(INITIALIZE, initialize_params(__version__))[1])
        answer = answers.get(timeout=patience)
    except queue.Empty:
        raise HandshakeError(f"it did not answer within {patience:g} seconds") from None
    finally:
        process.stop(_GRACE)
        waiting.join()
    if answer is None:
        raise HandshakeError(ended[0])
    if answer.error is not None:
        raise HandshakeError(answer.error.message)
    return _name(answer.result)


def _name(result: object) -> str:
    info = result.get("agentInfo") if isinstance(result, dict) else None
    named = [info.get(key) for key in ("name", "version")] if isinstance(info, dict) else []
    return " ".join(str(part) for part in named if part) or "an agent without a name"
