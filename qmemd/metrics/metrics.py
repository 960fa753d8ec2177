"""A daemon's numbers as text, if the package that writes it is there."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from qmemd.errors import RequestError
from qmemd.metrics.request_tally import RequestTally
from qmemd.metrics.task_tally import TaskTally

if TYPE_CHECKING:
    from qmemd.metrics.exposition import Exposition


class Metrics:
    """Of one daemon; nothing is shared with others, or with the host's own metrics.

    Counting costs no package and begins with the daemon; prometheus-client is imported by the
    first who asks.
    """

    def __init__(self, status: Callable[[], dict[str, Any]]) -> None:
        """``status`` says how the daemon is, as ``GET /daemon/status`` does."""
        self.tasks = TaskTally()
        self.requests = RequestTally()
        self._status = status
        self._lock = threading.Lock()
        self._exposition: Exposition | None = None

    def render(self) -> tuple[str, bytes]:
        """A media type and the text; may take half a second. Not for an actor.

        Raises:
            RequestError: ``metrics_unavailable``, the extra is not installed.
        """
        return self._loaded().render()

    def _loaded(self) -> Exposition:
        with self._lock:
            if self._exposition is None:
                try:
                    from qmemd.metrics.exposition import Exposition  # noqa: PLC0415 - an extra
                except ModuleNotFoundError as missing:
                    if missing.name != "prometheus_client":
                        raise
                    raise RequestError("metrics_unavailable") from None
                self._exposition = Exposition(self.tasks, self.requests, self._status)
            return self._exposition
