"""Entries of the memory, to be looked at."""

from __future__ import annotations

import falcon

from qmemd.errors import RequestError
from qmemd.http.client_ids import known_client_id
from qmemd.http.parameters import entry_page
from qmemd.http.ports import Door
from qmemd.http.replies import json_reply


class Entries:
    """``/workspace/memory/entries``."""

    def __init__(self, door: Door) -> None:
        self._door = door

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        wanted, limit, first = entry_page(req)
        client_id = known_client_id(req, self._door)
        page = self._door.catalog.page(wanted, client_id, limit=limit, first=first)
        json_reply(200, page).send(resp)


class OneEntry:
    """``/workspace/memory/entries/<id>``."""

    def __init__(self, door: Door) -> None:
        self._door = door

    def on_get(self, req: falcon.Request, resp: falcon.Response, entry_id: str) -> None:
        client_id = known_client_id(req, self._door)
        found = self._door.catalog.detail(entry_id, client_id)
        if found is None:
            raise RequestError("entry_not_found")
        json_reply(200, found).send(resp)
