"""Routes that answer every method: HEAD beside GET, OPTIONS, and 405 for all the rest."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import falcon
from falcon.routing import CompiledRouter

Responder = Callable[..., None]


class MethodRouter(CompiledRouter):
    """Falcon's router, with the methods of a resource filled up.

    A resource that must not answer HEAD, such as a stream, sets ``head = False``.
    """

    def map_http_methods(self, resource: object, **kwargs: Any) -> dict[str, Any]:
        methods: dict[str, Any] = super().map_http_methods(resource, **kwargs)
        if "GET" in methods and getattr(resource, "head", True):
            methods.setdefault("HEAD", methods["GET"])
        allow = ", ".join(sorted({*methods, "OPTIONS"}))
        methods["OPTIONS"] = _options(allow)
        return _Methods(methods, allow)


class _Methods(dict[str, Any]):
    """Falcon fills in the methods that it has heard of; a client may send any other token."""

    def __init__(self, methods: dict[str, Any], allow: str) -> None:
        super().__init__(methods)
        self._allow = allow

    def __missing__(self, method: str) -> Responder:
        return _not_allowed(self._allow)


def _options(allow: str) -> Responder:
    def options(_req: falcon.Request, resp: falcon.Response, **_params: str) -> None:
        resp.status = falcon.HTTP_204
        resp.set_header("Allow", allow)

    return options


def _not_allowed(allow: str) -> Responder:
    def not_allowed(_req: falcon.Request, _resp: falcon.Response, **_params: str) -> NoReturn:
        raise falcon.HTTPMethodNotAllowed(allow.split(", "))

    return not_allowed
