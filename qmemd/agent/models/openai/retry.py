"""How long to wait before an endpoint is asked again."""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from qmemd.agent.run import Run

MAX_RETRIES = 6
FIRST_PAUSE = 0.5
"""Seconds; each further pause is twice as long."""
LONGEST_PAUSE = 20.0


def backoff(retry: int, draw: float) -> float:
    """Seconds before this retry, counted from 0; ``draw`` of 0 to 1 spreads the callers."""
    return min(LONGEST_PAUSE, FIRST_PAUSE * 2.0**retry) * (0.5 + draw / 2)


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Seconds that the endpoint asks to be left alone, from a number or a date."""
    value = headers.get("retry-after", "").strip()
    if not value:
        return None
    try:
        seconds = float(value)
    except ValueError:
        seconds = _until(value, now)
    return max(0.0, seconds) if math.isfinite(seconds) else None


def pause(run: Run, seconds: float) -> None:
    """Waits, unless the run has to stop before.

    Raises:
        TaskFailedError: it has to.
    """
    woken = threading.Event()
    with run.interrupt(woken.set):
        woken.wait(seconds)
    run.check()


def _until(date: str, now: datetime) -> float:
    try:
        moment = parsedate_to_datetime(date)
    except ValueError:
        return math.nan
    # A date that ends in -0000 has no zone.
    return ((moment if moment.tzinfo else moment.replace(tzinfo=UTC)) - now).total_seconds()
