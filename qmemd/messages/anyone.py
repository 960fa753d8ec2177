"""What every actor of ours answers."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Ping:
    """Asks an actor whether it is there; sent to each one when the daemon starts."""

    reply: Future[None]
