"""Streams of what happens: a session's, and the workspace's own."""

from __future__ import annotations

from contextlib import ExitStack

import falcon

from qmemd.errors import RequestError
from qmemd.http.client_ids import claimed_client_id
from qmemd.http.holding import has_left, hold_thread, on_leave
from qmemd.http.ports import Door
from qmemd.http.sse import EventStream
from qmemd.http.stream_parameters import StreamOptions, stream_options
from qmemd.streams import StreamWish


class SessionEvents:
    """``/session/<session id>/events``."""

    head = False

    def __init__(self, door: Door) -> None:
        self._door = door

    def on_get(self, req: falcon.Request, resp: falcon.Response, session_id: str) -> None:
        options = stream_options(req)
        _stream(self._door, _wish(options, session_id=session_id), req, resp)


class WorkspaceEvents:
    """``/workspace/events``: needs no session."""

    head = False

    def __init__(self, door: Door) -> None:
        self._door = door

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        options = stream_options(req)
        named = req.env.get("HTTP_X_QWEN_CLIENT_ID")
        if options.client is not None and named and named != options.client:
            raise RequestError("invalid_client_id", extra={"clientId": options.client})
        wish = _wish(options, client_id=self._reader(req), originator=options.client)
        _stream(self._door, wish, req, resp)

    def _reader(self, req: falcon.Request) -> str | None:
        """Who reads; an id that means nothing is not held against anybody here."""
        try:
            client_id = claimed_client_id(req)
        except RequestError:
            return None
        return client_id if client_id is not None and self._door.knows_client(client_id) else None


def _wish(
    options: StreamOptions,
    *,
    session_id: str | None = None,
    client_id: str | None = None,
    originator: str | None = None,
) -> StreamWish:
    return StreamWish(
        session_id=session_id,
        client_id=client_id,
        originator=originator,
        last_event_id=options.last_event_id,
        epoch=options.epoch,
        max_queued=options.max_queued,
        snapshot=options.snapshot,
    )


def _stream(door: Door, wish: StreamWish, req: falcon.Request, resp: falcon.Response) -> None:
    with ExitStack() as held:
        held.enter_context(hold_thread(req.env))
        reader = door.subscribe(wish)
        told = on_leave(req.env)
        if told is not None:
            told(reader.close)
        asked = None if told is not None else has_left(req.env)
        resp.set_headers(
            {
                "Content-Type": "text/event-stream",
                "Cache-Control": "no-cache, no-transform",
                "X-Accel-Buffering": "no",
                "X-Content-Type-Options": "nosniff",
                "X-Qwen-Event-Epoch": reader.epoch,
                "X-Qwen-SSE-Stream-Id": reader.stream_id,
            }
        )
        resp.stream = EventStream(reader, held=held.pop_all(), has_left=asked)
