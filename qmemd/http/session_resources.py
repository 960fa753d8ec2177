"""Sessions: what makes a client id known."""

from __future__ import annotations

import falcon

from qmemd.http.body import read_optional_object
from qmemd.http.client_ids import claimed_client_id
from qmemd.http.fields import Fields
from qmemd.http.ports import Door
from qmemd.http.replies import json_reply


class Sessions:
    """``/session``."""

    def __init__(self, door: Door, fields: Fields) -> None:
        self._door = door
        self._fields = fields

    def on_post(self, req: falcon.Request, resp: falcon.Response) -> None:
        cwd, scope = self._fields.session(read_optional_object(req))
        client_id = claimed_client_id(req)
        opened = self._door.open_session(cwd, thread=scope == "thread", client_id=client_id)
        body = {
            "sessionId": opened.session_id,
            "workspaceCwd": self._door.workspace,
            "attached": opened.attached,
            "clientId": opened.client_id,
            "createdAt": opened.created_at,
        }
        json_reply(200, body).send(resp)


class OneSession:
    """``/session/<session id>``."""

    def __init__(self, door: Door) -> None:
        self._door = door

    def on_delete(self, req: falcon.Request, resp: falcon.Response, session_id: str) -> None:
        read_optional_object(req)
        self._door.close_session(session_id, claimed_client_id(req))
        resp.status = falcon.HTTP_204


class Heartbeats:
    """``/session/<session id>/heartbeat``."""

    def __init__(self, door: Door) -> None:
        self._door = door

    def on_post(self, req: falcon.Request, resp: falcon.Response, session_id: str) -> None:
        read_optional_object(req)
        client_id = claimed_client_id(req)
        seen_at = self._door.heartbeat(session_id, client_id)
        body: dict[str, object] = {"sessionId": session_id, "lastSeenAt": seen_at}
        if client_id is not None:
            body["clientId"] = client_id
        json_reply(200, body).send(resp)


class Detachments:
    """``/session/<session id>/detach``."""

    def __init__(self, door: Door) -> None:
        self._door = door

    def on_post(self, req: falcon.Request, resp: falcon.Response, session_id: str) -> None:
        read_optional_object(req)
        self._door.detach(session_id, claimed_client_id(req))
        resp.status = falcon.HTTP_204
