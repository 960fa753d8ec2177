"""Counts what the application answered."""

from __future__ import annotations

import falcon

from qmemd.http.ports import Door


class RequestCount:
    """Middleware. Refusals below the application, such as broken HTTP, do not come by here."""

    def __init__(self, door: Door) -> None:
        self._door = door

    def process_response(
        self,
        req: falcon.Request,
        resp: falcon.Response,
        _resource: object,
        _succeeded: bool,
    ) -> None:
        """Also for requests that were refused or broke."""
        self._door.count_request(req.method, resp.status_code)
