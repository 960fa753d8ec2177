"""What HTTP needs from the rest of the daemon, and what it is told about itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from qmemd.errors import SettingsError
from qmemd.kinds import TaskKind
from qmemd.tasks import Task, TaskRequest


@dataclass(frozen=True, slots=True)
class Access:
    """Where the daemon listens, and the secret that opens it."""

    token: str
    """Compared byte for byte; never blank."""
    hostname: str
    """As bound: a name or an address, without brackets."""
    port: int
    """As bound, so never 0."""

    def __post_init__(self) -> None:
        if not self.token.strip():
            raise SettingsError("the token is blank; leave it out or set one that is not")


@dataclass(frozen=True, slots=True)
class Polled:
    """A task as the board shows it."""

    kind: TaskKind
    client_id: str | None
    """Whose task it is; None means that only anonymous requests see it."""
    body: bytes
    """The JSON of a poll, rendered when the task last changed."""


class Door(Protocol):
    """The daemon as seen by a request.

    ``poll``, ``knows_client``, ``capabilities`` and ``stopping`` are asked on the server's I/O
    thread: they look things up and never wait.
    """

    @property
    def stopping(self) -> bool:
        """True once no new work is taken."""

    def submit(self, request: TaskRequest, client_id: str | None) -> Task:
        """Queues a task; may block for a few seconds.

        Raises:
            RequestError: memory is unavailable, the queue is full, or the client has just gone.
        """

    def poll(self, task_id: str) -> Polled | None:
        """The task with this id, or None; who may see it is judged by the caller."""

    def knows_client(self, client_id: str) -> bool:
        """Whether the id belongs to a live session."""

    def open_session(self, cwd: str | None, scope: str, client_id: str | None) -> dict[str, Any]:
        """Creates or attaches a session and returns its wire form.

        Args:
            cwd: absolute path of the workspace that the client means, if it says so.
            scope: ``"single"`` or ``"thread"``.
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

    def capabilities(self) -> dict[str, Any]:
        """The wire form of what this daemon can do."""
