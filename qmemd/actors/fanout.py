"""Callbacks of hosts that want to know of each change, through a blinker signal of its own.

A callback that wants only one client's changes is connected with that client id as blinker's
*sender*, so it costs the others nothing. Receivers are held strongly (blinker would drop bound
methods of temporaries) and called one by one under a guard (a raise would end a blinker send).
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from blinker import ANY, Namespace

from qmemd.actors.feed import ANONYMOUS
from qmemd.actors.subscription import Subscription
from qmemd.events import MemoryChanged
from qmemd.streams import DEFAULT_QUEUED

log = logging.getLogger(__name__)


class Fanout:
    """Who wants which changes. Connecting is safe from any thread."""

    def __init__(self) -> None:
        self._signal = Namespace().signal("memory_changed")
        self._lock = threading.Lock()
        self._subscriptions: dict[Subscription, Callable[..., None]] = {}
        self._closed = False

    def subscribe(
        self,
        callback: Callable[[MemoryChanged], object],
        client_id: str | None = None,
        capacity: int = DEFAULT_QUEUED,
    ) -> Subscription:
        """Calls ``callback`` for each change, or only for those that ``client_id`` asked for."""
        subscription = Subscription(callback, self._forget, capacity)

        def receive(_sender: object, event: MemoryChanged) -> None:
            subscription.offer(event)

        with self._lock:
            closed = self._closed
            if not closed:
                self._subscriptions[subscription] = receive
                self._signal.connect(receive, sender=client_id or ANY, weak=False)
        if closed:
            subscription.close()
        return subscription

    def publish(self, event: MemoryChanged) -> None:
        """Hands the event to every receiver that wants it; never waits, never raises."""
        sender = event.originator or ANONYMOUS
        with self._lock:
            receivers = list(self._signal.receivers_for(sender))
        for receive in receivers:
            try:
                receive(sender, event=event)
            except Exception:
                log.exception("a receiver of memory_changed failed")

    def close(self, timeout: float = 0) -> None:
        """Ends every subscription, for good.

        Their callbacks get ``timeout`` seconds in all to see what is queued; not for an actor.
        """
        deadline = time.monotonic() + timeout
        with self._lock:
            self._closed = True
            subscriptions = list(self._subscriptions)
        for subscription in subscriptions:
            subscription.close()
        for subscription in subscriptions:
            subscription.join(max(0.0, deadline - time.monotonic()))

    def _forget(self, subscription: Subscription) -> None:
        with self._lock:
            receive = self._subscriptions.pop(subscription, None)
            if receive is not None:
                self._signal.disconnect(receive)
                # Else each client that was ever listened to would leave an empty set behind.
                self._signal._cleanup_bookkeeping()  # noqa: SLF001 — blinker has no public way
