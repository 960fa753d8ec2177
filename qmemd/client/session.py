"""A session: a client id, and events of its own."""

from __future__ import annotations

from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING, Self
from urllib.parse import quote

from qmemd.client.errors import ClientClosedError, ClientError, RequestRefusedError
from qmemd.client.stream import EventStream
from qmemd.client.wire import picked

if TYPE_CHECKING:
    from qmemd.client.client import Client

_NOT_FOUND = 404


class Session:
    """An attached session; as a context manager it detaches at the end."""

    def __init__(self, client: Client, session_id: str, *, attached: bool) -> None:
        """The client is one that sends the session's client id."""
        self.client = client
        """Tasks that are posted with it are seen with it only."""
        self.session_id = session_id
        self.attached = attached
        """False when the session was made by this request."""

    @property
    def client_id(self) -> str:
        """What the daemon knows this client by."""
        return self.client.client_id or ""

    def heartbeat(self) -> int:
        """Says that this client is still there; when it was seen, in ms since the epoch."""
        return picked(self.client.call("POST", self._path("/heartbeat"), {}), "lastSeenAt", int)

    def events(
        self,
        *,
        last_event_id: int | None = None,
        epoch: str | None = None,
        max_queued: int | None = None,
    ) -> EventStream:
        """The session's events: changes of the memory, at last ``session_closed``.

        The arguments are those of ``Client.events``.
        """
        return self.client.stream(
            self._path("/events"),
            {"maxQueued": max_queued},
            last_event_id=last_event_id,
            epoch=epoch,
        )

    def detach(self) -> None:
        """Leaves; the last client that does ends the session. A session that is gone is fine."""
        self._leave("POST", self._path("/detach"))

    def close(self) -> None:
        """Ends the session for everybody. A session that is gone is fine."""
        self._leave("DELETE", self._path(""))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        if error is None:
            with suppress(ClientClosedError):
                self.detach()
            return
        with suppress(ClientError):  # what went wrong in the block is to be seen, not this
            self.detach()

    def _leave(self, method: str, path: str) -> None:
        try:
            self.client.call(method, path)
        except RequestRefusedError as refusal:
            if refusal.status != _NOT_FOUND and refusal.code != "invalid_client_id":
                raise

    def _path(self, rest: str) -> str:
        return f"/session/{quote(self.session_id, safe='', errors='surrogatepass')}{rest}"
