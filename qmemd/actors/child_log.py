"""What a child writes to its stderr, line by line in the daemon's log.

Our agent begins each line with its level. A line without one goes on with what the last one said,
as a traceback does; before the first such line it is the chatter of a child of another kind.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from typing import Any

from qmemd.memory.secrets import redact

MAX_LINE = 1000
"""Characters of a line that are logged."""
BURST = 100
"""Lines that are logged at once."""
LINES_A_SECOND = 10.0
"""After a burst."""

_MAX_BYTES = 4 * MAX_LINE
_LEVELLED = re.compile(r"(DEBUG|INFO|WARNING|ERROR|CRITICAL) (.*)", re.DOTALL)
_UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")

log = logging.getLogger("qmemd.agent")


class ChildLog:
    """Of one child; used by the thread that reads its pipes."""

    def __init__(
        self, clock: Callable[[], float], fields: Callable[[], dict[str, Any]] = dict
    ) -> None:
        """``clock`` gives monotonic seconds, ``fields`` what is known of the task that runs."""
        self._clock = clock
        self._fields = fields
        self._line = bytearray()
        self._level = logging.DEBUG
        self._left = float(BURST)
        self._filled_at = clock()
        self._dropped = 0

    def feed(self, chunk: bytes) -> None:
        """Takes what was read; nothing at the end."""
        *lines, rest = chunk.split(b"\n")
        for line in lines:
            self._add(line)
            self._end_line()
        self._add(rest)
        if not chunk:
            self._end_line()
            self._tell_dropped()

    def _add(self, piece: bytes) -> None:
        self._line += piece[: _MAX_BYTES - len(self._line)]

    def _end_line(self) -> None:
        line = self._line.decode(errors="replace").rstrip()
        self._line.clear()
        if not line:
            return
        levelled = _LEVELLED.match(line)
        if levelled:
            self._level = logging.getLevelNamesMapping()[levelled[1]]
            line = levelled[2]
        if not log.isEnabledFor(self._level):
            return
        if not self._may_log():
            self._dropped += 1
            return
        self._tell_dropped()
        # Cut last: half a secret is not known for one.
        text = _UNSEEN.sub(" ", redact(line))[:MAX_LINE]
        log.log(self._level, "%s", text, extra=self._fields())

    def _may_log(self) -> bool:
        now = self._clock()
        self._left = min(BURST, self._left + LINES_A_SECOND * (now - self._filled_at))
        self._filled_at = now
        if self._left < 1:
            return False
        self._left -= 1
        return True

    def _tell_dropped(self) -> None:
        if self._dropped:
            log.warning("lines of the child's log that were left out: %d", self._dropped)
            self._dropped = 0
