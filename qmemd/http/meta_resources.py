"""What the daemon says about itself."""

from __future__ import annotations

import falcon

from qmemd.http.capabilities import capabilities
from qmemd.http.ports import Door
from qmemd.http.replies import Reply, headers_of, json_reply

_OK = json_reply(200, {"status": "ok"})


class Health:
    """``/health``."""

    def on_get(self, _req: falcon.Request, resp: falcon.Response) -> None:
        _OK.send(resp)


class DaemonStatus:
    """``/daemon/status``."""

    def __init__(self, door: Door) -> None:
        self._door = door

    def on_get(self, _req: falcon.Request, resp: falcon.Response) -> None:
        json_reply(200, self._door.status()).send(resp)


class Metrics:
    """``/metrics``."""

    def __init__(self, door: Door) -> None:
        self._door = door

    def on_get(self, _req: falcon.Request, resp: falcon.Response) -> None:
        media_type, text = self._door.metrics()
        Reply(200, text, headers_of(media_type)).send(resp)


class Capabilities:
    """``/capabilities``."""

    def __init__(self, workspace: str, *, rate_limit: bool) -> None:
        self._reply = json_reply(200, capabilities(workspace, rate_limit=rate_limit))

    def on_get(self, _req: falcon.Request, resp: falcon.Response) -> None:
        self._reply.send(resp)


class OpenApi:
    """``/openapi.json``: made when it is asked for first, since few ask."""

    def __init__(self) -> None:
        self._reply: Reply | None = None

    def on_get(self, _req: falcon.Request, resp: falcon.Response) -> None:
        if self._reply is None:
            from qmemd.http.openapi import openapi_document  # noqa: PLC0415 - only when needed

            self._reply = json_reply(200, openapi_document())
        self._reply.send(resp)
