"""The availability question: when it was put to the child and what is known of the answer."""

from __future__ import annotations

from qmemd.acp.connection import Call
from qmemd.messages import (
    Availability,
)


class AvailabilityQuestion:
    """At most one question is open; times are monotonic seconds."""

    def __init__(self) -> None:
        self.answer = Availability.NO_CHILD
        self._call: Call | None = None
        self._asked_at = 0.0

    def asked(self, call: Call, now: float) -> None:
        self._call = call
        self._asked_at = now
        self.answer = Availability.ASKING

    def answered(self, call: Call, answer: Availability) -> bool:
        """Takes the answer. False when it belongs to another question, or came too late."""
        if call != self._call:
            return False
        self._call = None
        self.answer = answer
        return True

    def silent(self) -> bool:
        """Time is up. False when the question is not open any more."""
        return self._call is not None and self.answered(self._call, Availability.FAILED)

    def lost(self) -> bool:
        """There is no live child. False when there was none before."""
        had_child = self.answer is not Availability.NO_CHILD
        self._call = None
        self.answer = Availability.NO_CHILD
        return had_child

    def may_repeat(self, now: float, after: float) -> bool:
        """Whether the answer was no good, longer ago than ``after`` seconds."""
        bad = self.answer in (Availability.FAILED, Availability.UNAVAILABLE)
        return bad and now - self._asked_at > after
