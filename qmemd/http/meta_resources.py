"""What the daemon says about itself."""

from __future__ import annotations

import falcon

from qmemd.http.ports import Door
from qmemd.http.replies import json_reply

_OK = json_reply(200, {"status": "ok"})


class Health:
    """``/health``."""

    def on_get(self, _req: falcon.Request, resp: falcon.Response) -> None:
        _OK.send(resp)


class Capabilities:
    """``/capabilities``."""

    def __init__(self, door: Door) -> None:
        self._door = door

    def on_get(self, _req: falcon.Request, resp: falcon.Response) -> None:
        json_reply(200, self._door.capabilities()).send(resp)
