"""The tokens that were spent today, kept in a file that all daemons of a memory home share."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from qmemd.errors import MemoryFilesError
from qmemd.memory.files import atomic_write, read_regular
from qmemd.memory.locks import FileLock

_log = logging.getLogger(__name__)

_MAX_BYTES = 64 * 1024
_LOCK_TIMEOUT = 2.0
"""Seconds."""


class DayTokens:
    """Counts by days in UTC. A file that cannot be read counts as nothing spent."""

    def __init__(self, path: Path, clock: Callable[[], datetime]) -> None:
        self._path = path
        self._clock = clock

    def spent(self) -> int:
        """Tokens in and out, today."""
        return sum(self._load())

    def add(self, given: int, made: int) -> None:
        """Notes what one answer took in and gave out. Best effort: a failure is logged."""
        lock = FileLock(self._path.with_name(f".qmemd-{self._path.stem}.lock"))
        try:
            if not lock.acquire(_LOCK_TIMEOUT):
                _log.warning("the day's tokens could not be noted: the file is in use")
                return
            try:
                before_given, before_made = self._load()
                noted = {
                    "day": self._today(),
                    "inputTokens": before_given + given,
                    "outputTokens": before_made + made,
                }
                atomic_write(self._path, json.dumps(noted).encode() + b"\n")
            finally:
                lock.release()
        except (OSError, MemoryFilesError) as error:
            _log.warning("the day's tokens could not be noted: %s", type(error).__name__)

    def _load(self) -> tuple[int, int]:
        try:
            data = read_regular(self._path.parent, self._path.name, limit=_MAX_BYTES)
            noted: Any = json.loads(data)
        except (OSError, MemoryFilesError, ValueError, RecursionError):
            return 0, 0
        if not isinstance(noted, dict) or noted.get("day") != self._today():
            return 0, 0
        return _count(noted.get("inputTokens")), _count(noted.get("outputTokens"))

    def _today(self) -> str:
        return self._clock().astimezone(UTC).date().isoformat()


def _count(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
