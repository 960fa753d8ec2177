"""The client: every request of the API as a method."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote, urlencode

from qmemd.client.discovery import find_daemon, token_of
from qmemd.client.errors import InvalidArgumentError
from qmemd.client.lifetime import Lifetime
from qmemd.client.session import Session
from qmemd.client.stream import EventStream
from qmemd.client.task_handle import TaskHandle
from qmemd.client.transport import Transport
from qmemd.client.wire import an_object, picked, task_from_wire
from qmemd.errors import RequestError
from qmemd.kinds import ChangeAction, ContextMode, Scope, TaskKind, TaskStatus, Topic
from qmemd.tasks import Task
from qmemd.texts import check_key

MEMORY = "/workspace/memory"


class Client:
    """Speaks to one daemon. Every method may be called from any thread, and raises ClientError.

    Without ``base_url`` it looks for the daemon of the workspace on this machine.
    """

    def __init__(
        self,
        base_url: str | None = None,
        token: str | None = None,
        *,
        client_id: str | None = None,
        workspace: str | os.PathLike[str] | None = None,
        timeout: float = 30.0,
        env: Mapping[str, str] | None = None,
    ) -> None:
        """Finds its daemon; sends nothing yet.

        Args:
            base_url: ``http://127.0.0.1:4170``; a running daemon of this machine when None.
            token: its bearer token; else what ``QMEMD_TOKEN`` or ``QWEN_SERVER_TOKEN`` says, or
                the daemon that was found.
            client_id: an id that a session gave out.
            workspace: whose daemon to look for; the current directory's when None.
            timeout: seconds for each request, repetitions included.
            env: environment variables; the process's when None.

        Raises:
            DaemonNotFoundError: no URL was given and no daemon was found.
            InvalidArgumentError: the URL is none, or the token or client id cannot be sent.
        """
        env = os.environ if env is None else env
        if base_url is None:
            found = find_daemon(workspace, env)
            base_url, token = found.url, token or found.token
        token = token.strip() if token is not None else token_of(env)
        self._transport = Transport(base_url, token, client_id, timeout)

    def close(self) -> None:
        """Ends what it is at, in whichever thread: calls raise ClientClosedError, streams end.

        Clients of its sessions are closed as well. Idempotent; nothing can be asked afterwards.
        """
        self._transport.lifetime.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Client of {self.base_url}>"

    @property
    def base_url(self) -> str:
        """Where the daemon is."""
        return self._transport.base_url

    @property
    def client_id(self) -> str | None:
        """The id that is sent with each request."""
        return self._transport.client_id

    def health(self) -> bool:
        """Whether the daemon says that it is well. Raises ClientError when it says nothing."""
        answer = self.call("GET", "/health")
        return isinstance(answer, dict) and answer.get("status") == "ok"

    def capabilities(self) -> dict[str, Any]:
        """What this daemon can do, and its limits."""
        return an_object(self.call("GET", "/capabilities"))

    def status(self) -> dict[str, Any]:
        """How the daemon is: process, tasks, agent, streams, usage, last errors."""
        return an_object(self.call("GET", "/daemon/status"))

    def remember(
        self,
        text: str,
        *,
        scope: Scope | str | None = None,
        context_mode: ContextMode | str = ContextMode.WORKSPACE,
        idempotency_key: str | None = None,
    ) -> TaskHandle:
        """Keeps a fact. Returns once the task is accepted.

        The same ``idempotency_key`` makes it the same task for a day; one is made up when it is
        None, so that a request can be repeated when its answer was lost.
        """
        body = {"content": text, "contextMode": str(context_mode), **_scope(scope)}
        return self._post(TaskKind.REMEMBER, body, idempotency_key)

    def forget(
        self,
        query: str,
        *,
        scope: Scope | str | None = None,
        preview: bool = False,
        erase: bool = False,
        idempotency_key: str | None = None,
    ) -> TaskHandle:
        """Removes what the query names; as ``remember``.

        With ``preview`` it only says what would go: see ``change``. With ``erase`` the texts leave
        the history as well.
        """
        body = {"query": query, **_scope(scope), **_options(preview=preview, erase=erase)}
        return self._post(TaskKind.FORGET, body, idempotency_key)

    def dream(self, *, preview: bool = False, idempotency_key: str | None = None) -> TaskHandle:
        """Merges what is there twice and repairs the index; as ``remember`` and ``forget``."""
        return self._post(TaskKind.DREAM, _options(preview=preview), idempotency_key)

    def change(
        self,
        change_set_id: str,
        action: ChangeAction | str,
        *,
        idempotency_key: str | None = None,
    ) -> TaskHandle:
        """Applies or discards what was previewed, reverts what was applied."""
        body = {"changeSetId": change_set_id, "action": str(action)}
        return self._post(TaskKind.CHANGE, body, idempotency_key)

    def changes(self) -> Iterator[dict[str, Any]]:
        """What the tasks of this client did to the documents, the newest first."""
        cursor: str | None = None
        while True:
            page = self.call("GET", f"{MEMORY}/changes{_query({'cursor': cursor})}")
            for item in picked(page, "changes", list):
                yield an_object(item)
            if page.get("nextCursor") is None:
                return
            cursor = picked(page, "nextCursor", str)

    def change_set(self, change_set_id: str) -> dict[str, Any]:
        """One of them, with its diffs."""
        return an_object(self.call("GET", f"{MEMORY}/changes/{_segment(change_set_id)}"))

    def entries(
        self,
        words: str | None = None,
        *,
        scope: Scope | str | None = None,
        topic: Topic | str | None = None,
    ) -> Iterator[dict[str, Any]]:
        """What is remembered: the newest first, or what fits the words best.

        Asks for a page at a time, so what changes meanwhile may be missed, or come twice.
        """
        cursor: str | None = None
        while True:
            asked = {"q": words, "scope": scope, "type": topic, "cursor": cursor}
            page = self.call("GET", f"{MEMORY}/entries{_query(asked)}")
            for item in picked(page, "entries", list):
                yield an_object(item)
            if page.get("nextCursor") is None:
                return
            cursor = picked(page, "nextCursor", str)

    def entry(self, entry_id: str) -> dict[str, Any]:
        """One of them, with its ``text`` and its whole ``document``."""
        return an_object(self.call("GET", f"{MEMORY}/entries/{_segment(entry_id)}"))

    def task(
        self,
        kind: TaskKind | str,
        task_id: str,
        *,
        wait: float = 0,
        timeout: float | None = None,
    ) -> Task:
        """A task as it is now, or when it has ended, or after ``wait`` seconds, at most 30.

        ``timeout`` is what the request may take beyond ``wait``, when that is less than the
        client's own.
        """
        path = _task_path(kind, task_id) + (f"?wait={wait:.3f}" if wait > 0 else "")
        return task_from_wire(self.call("GET", path, wait=wait, timeout=timeout))

    def tasks(
        self,
        *,
        kind: TaskKind | str | None = None,
        status: TaskStatus | str | None = None,
        limit: int | None = None,
    ) -> list[Task]:
        """The newest tasks that this client may see."""
        query = _query({"kind": kind, "status": status, "limit": limit})
        answer = self.call("GET", f"{MEMORY}/tasks{query}")
        return [task_from_wire(wire) for wire in picked(answer, "tasks", list)]

    def cancel(self, kind: TaskKind | str, task_id: str) -> Task:
        """Ends a queued task at once and a running one soon."""
        return task_from_wire(self.call("DELETE", _task_path(kind, task_id)))

    def session(self, *, scope: str = "single", cwd: str | None = None) -> Session:
        """Attaches to the shared session, or with ``scope="thread"`` makes one of its own."""
        body: dict[str, Any] = {"sessionScope": scope}
        if cwd is not None:
            body["cwd"] = cwd
        # Not repeated: an answer that was lost may have made a session.
        opened = self.call("POST", "/session", body, repeat=False)
        mine = self.with_client_id(picked(opened, "clientId", str))
        session_id = picked(opened, "sessionId", str)
        return Session(mine, session_id, attached=picked(opened, "attached", bool))

    def with_client_id(self, client_id: str | None) -> Self:
        """The same client with another id. It is closed with this one, and not the other way."""
        other = type(self).__new__(type(self))
        other._transport = replace(  # noqa: SLF001 — it is one of us
            self._transport, client_id=client_id, lifetime=Lifetime(self._transport.lifetime)
        )
        return other

    def events(
        self,
        *,
        originator: str | None = None,
        last_event_id: int | None = None,
        epoch: str | None = None,
        max_queued: int | None = None,
    ) -> EventStream:
        """The workspace's events: changes of the memory, and updates of this client's tasks.

        Args:
            originator: only changes that this client id asked for.
            last_event_id: replay what is newer first.
            epoch: that of the id, from the stream that saw it; a daemon that was restarted since
                then says so instead of taking the id for one of its own.
            max_queued: events that may wait for this reader at the daemon, 16 to 2,048.
        """
        query = {"client": originator, "maxQueued": max_queued}
        return self.stream("/workspace/events", query, last_event_id=last_event_id, epoch=epoch)

    def stream(
        self,
        path: str,
        query: Mapping[str, Any],
        *,
        last_event_id: int | None = None,
        epoch: str | None = None,
    ) -> EventStream:
        """An event stream at any path of the API."""
        path += _query(query)
        return EventStream(self._transport, path, last_event_id=last_event_id, epoch=epoch)

    def context_files(self) -> dict[str, Any]:
        """The context files, ``QWEN.md`` and ``AGENTS.md``, that are there."""
        return an_object(self.call("GET", MEMORY))

    def write_context_file(
        self, scope: str, content: str, *, mode: str = "append"
    ) -> dict[str, Any]:
        """Writes ``QWEN.md`` of the ``workspace``, or the user's own with ``global``."""
        body = {"scope": scope, "content": content, "mode": mode}
        # Not repeated: an answer that was lost may have appended the text.
        return an_object(self.call("POST", MEMORY, body, repeat=False))

    def read_context_file(self, path: str) -> str:
        """The text of a file that ``context_files`` lists."""
        return picked(self.call("GET", f"/file{_query({'path': path})}"), "content", str)

    def call(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        *,
        headers: Mapping[str, str] | None = None,
        repeat: bool = True,
        wait: float = 0.0,
        timeout: float | None = None,
    ) -> Any:
        """Any other request of the API; the JSON of its answer. See ``Transport.call``."""
        return self._transport.call(
            method, path, body, headers=headers, repeat=repeat, wait=wait, timeout=timeout
        )

    def _post(self, kind: TaskKind, body: Mapping[str, Any], key: str | None) -> TaskHandle:
        key = str(uuid.uuid4()) if key is None else key
        try:
            check_key(key)
        except RequestError as error:
            raise InvalidArgumentError(error.message, error.code) from None
        headers = {"Idempotency-Key": key}
        answer = self.call("POST", f"{MEMORY}/{kind}", body, headers=headers)
        return TaskHandle(self, task_from_wire(answer))


def _scope(scope: Scope | str | None) -> dict[str, str]:
    return {} if scope is None else {"scope": str(scope)}


def _options(**options: bool) -> dict[str, bool]:
    return {name: True for name, given in options.items() if given}


def _task_path(kind: TaskKind | str, task_id: str) -> str:
    return f"{MEMORY}/{_segment(str(kind))}/{_segment(task_id)}"


def _segment(text: str) -> str:
    # What is no text is for the daemon to refuse.
    return quote(text, safe="", errors="surrogatepass")


def _query(values: Mapping[str, Any]) -> str:
    given = {name: str(value) for name, value in values.items() if value is not None}
    return f"?{urlencode(given, errors='surrogatepass')}" if given else ""
