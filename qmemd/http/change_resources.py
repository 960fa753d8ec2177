"""Change sets: what tasks did, or would do, to the documents."""

from __future__ import annotations

import falcon

from qmemd.errors import RequestError
from qmemd.http.client_ids import known_client_id
from qmemd.http.parameters import change_page
from qmemd.http.ports import Door
from qmemd.http.replies import json_reply


class Changes:
    """``/workspace/memory/changes``."""

    def __init__(self, door: Door) -> None:
        self._door = door

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        limit, cursor = change_page(req)
        client_id = known_client_id(req, self._door)
        json_reply(200, self._door.change_log.page(client_id, limit=limit, cursor=cursor)).send(
            resp
        )


class OneChange:
    """``/workspace/memory/changes/<change set id>``."""

    def __init__(self, door: Door) -> None:
        self._door = door

    def on_get(self, req: falcon.Request, resp: falcon.Response, change_set_id: str) -> None:
        client_id = known_client_id(req, self._door)
        found = self._door.change_log.detail(change_set_id, client_id)
        if found is None:
            raise RequestError("change_not_found")
        json_reply(200, found).send(resp)


def check_visible(door: Door, change_set_id: str, client_id: str | None) -> None:
    """Refuses what the client may not see.

    Raises:
        RequestError: ``change_not_found``, it is unknown, or another client's or workspace's.
    """
    if not door.change_log.has(change_set_id, client_id):
        raise RequestError("change_not_found")
