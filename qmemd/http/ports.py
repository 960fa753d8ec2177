"""What HTTP needs from the rest of the daemon, and what it is told about itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from qmemd.catalog import EntryFilter
from qmemd.context import ContextFiles
from qmemd.errors import SettingsError
from qmemd.events import FileChanged
from qmemd.kinds import TaskKind, TaskStatus
from qmemd.streams import Reader, StreamWish
from qmemd.tasks import Task, TaskRequest


@dataclass(frozen=True, slots=True)
class Access:
    """Where the daemon listens, and the secret that opens it."""

    token: str = field(repr=False)
    """Compared byte for byte; never blank."""
    hostname: str
    """As bound: a name or an address, without brackets."""
    port: int | None
    """As bound; None under a host's own server, whose port is then the one that counts."""
    allow_origins: tuple[str, ...] = ()
    """Origins of web pages that may ask besides the daemon's own; ``*`` for all."""
    require_auth: bool = False
    """Whether ``/health`` needs the token as well."""

    def __post_init__(self) -> None:
        if not self.token.strip():
            raise SettingsError("the token is blank; leave it out or set one that is not")


class Polled(Protocol):
    """A task as the board shows it."""

    @property
    def kind(self) -> TaskKind: ...

    @property
    def client_id(self) -> str | None:
        """Whose task it is; None means that only anonymous requests see it."""

    @property
    def body(self) -> bytes:
        """The JSON of a poll, rendered when the task last changed."""

    @property
    def ended(self) -> bool:
        """Whether it is terminal."""


class SessionOpened(Protocol):
    """A session as the client that opened it sees it."""

    @property
    def session_id(self) -> str: ...

    @property
    def attached(self) -> bool:
        """False when the session was made by this request."""

    @property
    def client_id(self) -> str: ...

    @property
    def created_at(self) -> str:
        """ISO 8601."""


class ChangeLog(Protocol):
    """The change sets of the workspace. Reads files; never waits for anything else."""

    def page(self, client_id: str | None, *, limit: int, cursor: str | None) -> dict[str, Any]:
        """Those of a client, the newest first: ``changes`` and perhaps ``nextCursor``."""

    def has(self, change_set_id: str, client_id: str | None) -> bool:
        """Whether the client has one with this id."""

    def detail(self, change_set_id: str, client_id: str | None) -> dict[str, Any] | None:
        """One with its diffs; None when the client has none with this id."""


class Catalog(Protocol):
    """The entries of the memory. Reads files; never waits for anything else."""

    def page(
        self, wanted: EntryFilter, client_id: str | None, *, limit: int, first: int
    ) -> dict[str, Any]:
        """``entries`` without the first ones, their ``total``, and perhaps ``nextCursor``.

        Only tasks of the client are named.
        """

    def detail(self, key: str, client_id: str | None) -> dict[str, Any] | None:
        """One with its text and its whole document; None when there is none."""


class Door(Protocol):
    """The daemon as seen by a request.

    ``poll``, ``knows_client`` and ``stopping`` are asked on the server's I/O thread: they look
    things up and never wait.
    """

    @property
    def workspace(self) -> str:
        """The bound workspace, as it is named on the wire."""

    @property
    def stopping(self) -> bool:
        """True once no new work is taken."""

    @property
    def context_files(self) -> ContextFiles:
        """The files that people write for their agents themselves."""

    @property
    def change_log(self) -> ChangeLog:
        """What tasks did to the documents."""

    @property
    def catalog(self) -> Catalog:
        """What is remembered."""

    def status(self) -> dict[str, Any]:
        """How the daemon is; may take half a second."""

    def metrics(self) -> tuple[str, bytes]:
        """A media type, and the daemon's numbers in it; may take half a second.

        Raises:
            RequestError: the extra that it needs is not installed.
        """

    def count_request(self, method: str, status: int) -> None:
        """A request was answered. Never waits, never fails."""

    def publish(self, event: FileChanged) -> None:
        """Tells listeners that a context file was written. Never waits, never fails."""

    def submit(
        self, request: TaskRequest, client_id: str | None, idempotency_key: str | None = None
    ) -> Task:
        """Queues a task, or finds the one that the key named before; may block for a few seconds.

        Raises:
            RequestError: memory is unavailable, the queue is full, the client has just gone, or
                the key was used with other fields.
        """

    def cancel(self, task_id: str) -> Task:
        """Ends a queued task at once and a running one soon; who may is judged by the caller.

        Raises:
            RequestError: it has ended already.
        """

    def newest(
        self, client_id: str | None, kind: TaskKind | None, status: TaskStatus | None, limit: int
    ) -> list[bytes]:
        """The bodies of the newest tasks of this client, or of the anonymous ones."""

    def poll(self, task_id: str) -> Polled | None:
        """The task with this id, or None; who may see it is judged by the caller."""

    def wait(
        self, task_id: str, seconds: float, on_leave: Callable[[Callable[[], None]], object]
    ) -> None:
        """Returns once the task has ended, or after ``seconds``, or when the daemon stops.

        ``on_leave`` is handed a function that ends the waiting early, from any thread.
        """

    def subscribe(self, wish: StreamWish) -> Reader:
        """Begins to read events; whoever reads has to close it.

        Raises:
            RequestError: there is no such session, or there are too many readers.
        """

    def heartbeat(self, session_id: str, client_id: str | None) -> int:
        """A client is still there; when that was, in milliseconds since the epoch.

        Raises:
            RequestError: there is no such session, or the client is not part of it.
        """

    def detach(self, session_id: str, client_id: str | None) -> None:
        """A client leaves; the last one ends the session.

        Raises:
            RequestError: there is no such session, or the client is not part of it.
        """

    def knows_client(self, client_id: str) -> bool:
        """Whether the id belongs to a live session."""

    def open_session(
        self, cwd: str | None, *, thread: bool, client_id: str | None
    ) -> SessionOpened:
        """Creates or attaches a session.

        Args:
            cwd: absolute path of the workspace that the client means, if it says so.
            thread: True forces a session of its own.
            client_id: well-formed, but perhaps unknown; then it is replaced.

        Raises:
            RequestError: another workspace, or too many sessions.
        """

    def close_session(self, session_id: str, client_id: str | None) -> None:
        """Ends a session and forgets its client ids.

        Raises:
            RequestError: there is no such session, or the client is not part of it; the first
                is looked at first, so that closing twice is told from a mistake.
        """
