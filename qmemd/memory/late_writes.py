"""What editors write into a document after it was replaced.

An editor that opened the file before has its descriptor still, and writes where no name leads any
more. So the replaced file is held open for a while and looked at again: at the end of its commit,
whenever somebody takes the locks, and when the process ends in order. What dies with a process
that is killed is a write between its last look and its end.
"""

from __future__ import annotations

import logging
import os
import threading
from collections import deque
from dataclasses import dataclass, replace

from qmemd.errors import MemoryFilesError
from qmemd.kinds import ChangeState
from qmemd.memory import files
from qmemd.memory.changes import FileChange, KeptText
from qmemd.memory.history import History

MAX_WATCHED = 64
"""Replaced files that are held open; the oldest is let go for a newer one."""
LIMIT = 16 << 20
"""Bytes of a text that is taken into the history."""

_logger = logging.getLogger(__name__)


@dataclass(slots=True)
class _Watched:
    change_set_id: str
    change: FileChange
    descriptor: int
    content: bytes
    """As it was at the last look."""


class LateWrites:
    """The replaced files of one process. Threads may share it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._watched: deque[_Watched] = deque()

    def watch(
        self, change_set_id: str, change: FileChange, descriptor: int, content: bytes
    ) -> None:
        """Holds a replaced file open; the descriptor stays the caller's."""
        try:
            held = os.dup(descriptor)
        except OSError as error:
            _logger.warning("a replaced memory file is not watched: %s", error.strerror)
            return
        with self._lock:
            self._watched.append(_Watched(change_set_id, change, held, content))
            if len(self._watched) > MAX_WATCHED:
                os.close(self._watched.popleft().descriptor)

    def look(self, history: History) -> None:
        """Takes what was written meanwhile into the history. The caller holds the user root's lock.

        A fault is logged and costs the one text only.
        """
        with self._lock:
            for one in self._watched:
                try:
                    self._look_at(one, history)
                except (OSError, MemoryFilesError):
                    _logger.exception("what was written late into a memory file is not kept")

    def noticed(self) -> bool:
        """Whether there is anything new to take."""
        with self._lock:
            return any(_text(one) != one.content for one in self._watched)

    def close(self) -> None:
        """Lets go of all."""
        with self._lock:
            while self._watched:
                os.close(self._watched.popleft().descriptor)

    def _look_at(self, one: _Watched, history: History) -> None:
        content = _text(one)
        if content == one.content:
            return
        one.content = content
        kept = KeptText(one.change.path, content)
        change_set = history.load(one.change_set_id)
        # Erased: the texts of this document are wanted nowhere any more.
        if change_set is None or change_set.state is ChangeState.ERASED:
            return
        if content in (one.change.before, one.change.after) or kept in change_set.kept:
            return
        history.close(replace(change_set, kept=(*change_set.kept, kept)))
        _logger.warning(
            "another program wrote into a replaced file; its text is in change set %s",
            one.change_set_id,
        )


def _text(one: _Watched) -> bytes:
    try:
        return files.read_whole(one.descriptor, limit=LIMIT)
    except OSError:
        return one.content
