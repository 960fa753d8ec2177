"""Memory tasks: queue one of a kind, and look at it."""

from __future__ import annotations

from collections.abc import Callable

import falcon

from qmemd.errors import RequestError
from qmemd.http.body import read_object, read_optional_object
from qmemd.http.change_resources import check_visible
from qmemd.http.client_ids import known_client_id
from qmemd.http.fields import Fields
from qmemd.http.parameters import idempotency_key, list_filter, wait_seconds
from qmemd.http.ports import Door, Polled
from qmemd.http.replies import Reply, json_reply
from qmemd.http.waiting_room import WaitingRoom
from qmemd.kinds import TaskKind, TaskStatus
from qmemd.tasks import Change, TaskRequest


class Tasks:
    """``/workspace/memory/<kind>``."""

    def __init__(self, door: Door, read_request: Callable[[falcon.Request], TaskRequest]) -> None:
        self._door = door
        self._read_request = read_request

    def on_post(self, req: falcon.Request, resp: falcon.Response) -> None:
        request = self._read_request(req)
        key = idempotency_key(req)
        client_id = known_client_id(req, self._door)
        if isinstance(request, Change):
            check_visible(self._door, request.change_set_id, client_id)
        task = self._door.submit(request, client_id, key)
        queued = task.status is TaskStatus.QUEUED
        # A repeated key finds its task, however far that is.
        json_reply(202, task.to_accepted_wire() if queued else task.to_wire()).send(resp)


class OneTask:
    """``/workspace/memory/<kind>/<task id>``."""

    def __init__(self, door: Door, kind: TaskKind, waiting_room: WaitingRoom) -> None:
        self._door = door
        self._kind = kind
        self._waiting_room = waiting_room

    def on_get(self, req: falcon.Request, resp: falcon.Response, task_id: str) -> None:
        seconds = wait_seconds(req)
        task = self._visible(req, task_id)
        if seconds and not task.ended:
            self._waiting_room.wait(req, task_id, seconds)
            task = self._door.poll(task_id) or task
        Reply(200, task.body).send(resp)

    def on_delete(self, req: falcon.Request, resp: falcon.Response, task_id: str) -> None:
        read_optional_object(req)
        self._visible(req, task_id)
        json_reply(202, self._door.cancel(task_id).to_wire()).send(resp)

    def _visible(self, req: falcon.Request, task_id: str) -> Polled:
        client_id = known_client_id(req, self._door)
        task = self._door.poll(task_id)
        # One answer for what is unknown, of another kind, or someone else's.
        if task is None or task.kind is not self._kind or task.client_id != client_id:
            raise RequestError(f"{self._kind}_task_not_found")
        return task


class AllTasks:
    """``/workspace/memory/tasks``."""

    def __init__(self, door: Door) -> None:
        self._door = door

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        kind, status, limit = list_filter(req)
        client_id = known_client_id(req, self._door)
        tasks = self._door.newest(client_id, kind, status, limit)
        Reply(200, b'{"tasks":[' + b",".join(tasks) + b"]}").send(resp)


def request_readers(fields: Fields) -> dict[TaskKind, Callable[[falcon.Request], TaskRequest]]:
    """How the body of each kind becomes a request."""
    return {
        TaskKind.REMEMBER: lambda req: fields.remember(read_object(req)),
        TaskKind.FORGET: lambda req: fields.forget(read_object(req)),
        TaskKind.DREAM: lambda req: fields.dream(read_optional_object(req)),
        TaskKind.CHANGE: lambda req: fields.change(read_object(req)),
    }
