"""Change sets: what tasks did, or would do, to the documents."""

from __future__ import annotations

from typing import Any

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
        json_reply(200, visible_change(self._door, change_set_id, client_id)).send(resp)


def visible_change(door: Door, change_set_id: str, client_id: str | None) -> dict[str, Any]:
    """One change set with its diffs.

    Raises:
        RequestError: ``change_not_found``, it is unknown, or another client's or workspace's.
    """
    found = door.change_log.detail(change_set_id, client_id)
    if found is None:
        raise RequestError("change_not_found")
    return found
