"""The bounds within which the bridge deals with its child."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BridgeLimits:
    """All in seconds, unless said otherwise."""

    handshake_timeout: float = 10.0
    """For the answer to ``initialize``, from the start of the child."""
    availability_timeout: float = 5.0
    """For the answer to the availability question."""
    availability_retry: float = 5.0
    """How old a failed question must be before it is asked again."""
    cancel_grace: float = 2.0
    """For the child to obey a cancel before it is killed."""
    stop_grace: float = 1.0
    """For an idle child to leave after its stdin was closed; the same again after SIGTERM."""
    failed_starts: int = 3
    """So many failed starts in a row fail the task that waits for a child."""
    first_backoff: float = 0.1
    """Delay of a start after one failure; doubled with each further one."""
    longest_backoff: float = 5.0
