"""All feeds of a workspace: one for each session, and one for those who have none."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from qmemd.actors.feed import ANONYMOUS, Feed
from qmemd.actors.reader import FeedReader
from qmemd.errors import RequestError
from qmemd.events import (
    MEMORY_CHANGED,
    TASK_UPDATED,
    Event,
    FileChanged,
    MemoryChanged,
    SessionClosed,
    TaskUpdated,
    envelope,
)
from qmemd.messages import FeedWatched, Unsubscribe
from qmemd.streams import StreamWish

MAX_STREAMS = 256
"""Readers of all feeds together."""


class EventHub:
    """For one thread, the event bus's; the readers that it makes are safe to use from any."""

    def __init__(
        self,
        *,
        clock: Callable[[], int],
        new_id: Callable[[], str],
        on_left: Callable[[Unsubscribe], object],
        on_watched: Callable[[FeedWatched], object] = lambda _: None,
        max_streams: int = MAX_STREAMS,
    ) -> None:
        """Makes a hub with the workspace's feed alone.

        Args:
            clock: milliseconds since the epoch.
            new_id: makes epochs and the names of readers.
            on_left: called from any thread when a reader left by itself; must not wait.
            on_watched: called when the number of a session's readers changed.
            max_streams: readers at once.
        """
        self._clock = clock
        self._new_id = new_id
        self._on_left = on_left
        self._on_watched = on_watched
        self._max_streams = max_streams
        self._workspace = Feed(new_id(), clock)
        self._sessions: dict[str, Feed] = {}

    @property
    def streams(self) -> int:
        """How many readers there are; may be asked from any thread."""
        return self._workspace.readers + sum(f.readers for f in tuple(self._sessions.values()))

    def open_session(self, session_id: str) -> None:
        """Gives a session its feed. Idempotent."""
        if session_id not in self._sessions:
            self._sessions[session_id] = Feed(
                self._new_id(), self._clock, partial(self._watched, session_id)
            )

    def close_session(self, session_id: str, reason: str, closed_by: str | None) -> None:
        """Tells the session's readers that it is over, and ends them. Idempotent."""
        feed = self._sessions.pop(session_id, None)
        if feed is not None:
            feed.publish(SessionClosed(session_id, reason, closed_by), last=True)
            feed.end()

    def publish(self, event: MemoryChanged | FileChanged | TaskUpdated) -> None:
        """Hands an event to every feed that it concerns."""
        self._workspace.publish(event)
        if event.type == MEMORY_CHANGED:
            for feed in self._sessions.values():
                feed.publish(event)

    def subscribe(self, wish: StreamWish) -> FeedReader:
        """Makes a reader.

        Raises:
            RequestError: ``session_not_found``, ``subscriber_limit_exceeded``.
        """
        feed = self._feed(wish.session_id)
        if self.streams >= self._max_streams:
            raise RequestError("subscriber_limit_exceeded", extra={"limit": self._max_streams})
        stream_id = self._new_id()
        return feed.subscribe(
            stream_id,
            senders=_senders(wish),
            cursor=wish.last_event_id,
            epoch=wish.epoch,
            opening=self._opening(wish),
            max_queued=wish.max_queued,
            on_close=lambda: self._on_left(Unsubscribe(stream_id)),
        )

    def remove(self, stream_id: str) -> None:
        """A reader left by itself. Unknown ones are ignored."""
        for feed in (self._workspace, *self._sessions.values()):
            if feed.remove(stream_id):
                return

    def close(self, *, sessions_end: bool) -> None:
        """Ends every reader, after what is in line.

        Args:
            sessions_end: whether the sessions are over too, and their readers are told so.
        """
        for session_id in tuple(self._sessions):
            if sessions_end:
                self.close_session(session_id, "daemon_shutdown", None)
            else:
                self._sessions.pop(session_id).end()
        self._workspace.end()

    def _feed(self, session_id: str | None) -> Feed:
        if session_id is None:
            return self._workspace
        feed = self._sessions.get(session_id)
        if feed is None:
            raise RequestError("session_not_found", extra={"sessionId": session_id})
        return feed

    def _opening(self, wish: StreamWish) -> tuple[Event, ...]:
        if not wish.snapshot or wish.session_id is None:
            return ()
        # A session of ours is a place for events: it has no model and no mode of its own.
        state = {
            "sessionId": wish.session_id,
            "currentModelId": None,
            "currentApprovalMode": None,
            "recordingDegraded": False,
        }
        return (envelope("session_snapshot", state, timestamp=self._clock()),)

    def _watched(self, session_id: str, readers: int) -> None:
        self._on_watched(FeedWatched(session_id, readers))


def _senders(wish: StreamWish) -> dict[str, str]:
    """By type of event, the only sender that the reader listens to."""
    senders = {} if wish.originator is None else {MEMORY_CHANGED: wish.originator}
    if wish.session_id is None:
        senders[TASK_UPDATED] = wish.client_id or ANONYMOUS
    return senders
