"""The event bus actor: fans out what happened, to feeds that are read over HTTP and to hosts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from qmemd.actors.fanout import Fanout
from qmemd.actors.guarded import GuardedActor, answer, refuse
from qmemd.actors.hub import EventHub
from qmemd.errors import RequestError
from qmemd.events import MemoryChanged, TaskUpdated
from qmemd.messages import CloseFeed, OpenFeed, Publish, Subscribe, Unsubscribe


class EventBusActor(GuardedActor):
    """A shell over ``EventHub`` and ``Fanout``."""

    def __init__(
        self,
        hub: EventHub,
        fanout: Fanout,
        on_task: Callable[[TaskUpdated], object] = lambda _: None,
    ) -> None:
        """``on_task`` is told of each step of a task, after those who read; it must not wait."""
        super().__init__()
        self._on_task = on_task
        self._hub = hub
        self._fanout = fanout

    def handle(self, message: Any) -> None:
        match message:
            case Publish():
                self._hub.publish(message.event)
                if isinstance(message.event, MemoryChanged):
                    self._fanout.publish(message.event)
                elif isinstance(message.event, TaskUpdated):
                    self._on_task(message.event)
            case Subscribe():
                self._subscribe(message)
            case Unsubscribe():
                self._hub.remove(message.stream_id)
            case OpenFeed():
                self._hub.open_session(message.session_id)
            case CloseFeed():
                self._hub.close_session(message.session_id, message.reason, message.closed_by)
            case _:
                raise TypeError(f"the event bus does not take {type(message).__name__}")

    def _subscribe(self, message: Subscribe) -> None:
        if not message.reply.set_running_or_notify_cancel():
            return  # whoever asked has gone, and would never close it
        try:
            answer(message.reply, self._hub.subscribe(message.wish))
        except RequestError as refusal:
            refuse(message.reply, refusal)
