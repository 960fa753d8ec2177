"""Memory tasks: queue one of a kind, and look at it."""

from __future__ import annotations

from collections.abc import Callable

import falcon

from qmemd.errors import RequestError
from qmemd.http.body import read_object, read_optional_object
from qmemd.http.client_ids import known_client_id
from qmemd.http.fields import Fields
from qmemd.http.ports import Door
from qmemd.http.replies import Reply, json_reply
from qmemd.kinds import TaskKind
from qmemd.tasks import TaskRequest


class Tasks:
    """``/workspace/memory/<kind>``."""

    def __init__(self, door: Door, read_request: Callable[[falcon.Request], TaskRequest]) -> None:
        self._door = door
        self._read_request = read_request

    def on_post(self, req: falcon.Request, resp: falcon.Response) -> None:
        request = self._read_request(req)
        client_id = known_client_id(req, self._door)
        task = self._door.submit(request, client_id)
        json_reply(202, task.to_accepted_wire()).send(resp)


class OneTask:
    """``/workspace/memory/<kind>/<task id>``."""

    def __init__(self, door: Door, kind: TaskKind) -> None:
        self._door = door
        self._kind = kind

    def on_get(self, req: falcon.Request, resp: falcon.Response, task_id: str) -> None:
        client_id = known_client_id(req, self._door)
        task = self._door.poll(task_id)
        # One answer for what is unknown, of another kind, or someone else's.
        if task is None or task.kind is not self._kind or task.client_id != client_id:
            raise RequestError(f"{self._kind}_task_not_found")
        Reply(200, task.body).send(resp)


def request_readers(fields: Fields) -> dict[TaskKind, Callable[[falcon.Request], TaskRequest]]:
    """How the body of each kind becomes a request."""
    return {
        TaskKind.REMEMBER: lambda req: fields.remember(read_object(req)),
        TaskKind.FORGET: lambda req: fields.forget(read_object(req)),
        TaskKind.DREAM: lambda req: fields.dream(read_optional_object(req)),
    }
