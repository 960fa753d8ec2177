"""Who may come in: the checks that every request passes before it is routed."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from hmac import compare_digest

import falcon

from qmemd.errors import RequestError
from qmemd.http.paths import HEALTH, READ_METHODS, is_poll
from qmemd.http.ports import Access, Door

_LOOPBACK_NAMES = ("localhost", "127.0.0.1", "::1")
_WILDCARDS = frozenset({"0.0.0.0", "::"})  # noqa: S104 - compared with, not bound to
_HTTP_PORT = 80


class Gate:
    """Middleware: Host, Origin, then the token, then whether the daemon still takes work."""

    def __init__(self, door: Door, access: Access) -> None:
        self._door = door
        self._token = access.token.encode()
        self._hosts = frozenset(_hosts(access))
        self._origins = frozenset(_origins(access))
        self._wildcard_port = access.port if access.hostname in _WILDCARDS else None

    def process_request(self, req: falcon.Request, resp: falcon.Response) -> None:
        """Lets the request pass.

        Raises:
            RequestError: it must not.
        """
        if not self._names_us(req.env.get("HTTP_HOST", "").lower()):
            raise RequestError("invalid_host")
        origin = req.env.get("HTTP_ORIGIN")
        if origin is not None and origin.lower() not in self._origins:
            raise RequestError("origin_denied")
        if origin is not None and _is_preflight(req):
            resp.status = falcon.HTTP_204
            resp.complete = True
            return
        if req.path == HEALTH and req.method in READ_METHODS:
            return
        if not self._opens(req.env.get("HTTP_AUTHORIZATION", "")):
            raise RequestError("unauthorized")
        if self._door.stopping and not is_poll(req.method, req.path):
            raise RequestError("daemon_stopping")

    def _names_us(self, host: str) -> bool:
        if host in self._hosts:
            return True
        return self._wildcard_port is not None and _is_address(host, self._wildcard_port)

    def _opens(self, authorization: str) -> bool:
        scheme, _, credentials = authorization.partition(" ")
        # WSGI hands bytes over as Latin-1; what is not even that cannot be a token.
        offered = credentials.lstrip(" ").encode("latin-1", "replace")
        return scheme.lower() == "bearer" and compare_digest(offered, self._token)


def _hosts(access: Access) -> Iterator[str]:
    for name in _names(access):
        yield name
        yield f"{name}:{access.port}"


def _origins(access: Access) -> Iterator[str]:
    for name in _names(access):
        yield f"http://{name}:{access.port}"
        if access.port == _HTTP_PORT:  # browsers leave the default port out
            yield f"http://{name}"


def _names(access: Access) -> Iterator[str]:
    for name in (access.hostname.lower(), *_LOOPBACK_NAMES):
        yield f"[{name}]" if ":" in name else name


def _is_address(host: str, port: int) -> bool:
    """Whether ``host`` is a bare address, as clients of a wildcard bind use.

    Rebinding attacks need a name, so an address that reached us may be believed.
    """
    name = host.removesuffix(f":{port}")
    bracketed = name.startswith("[") and name.endswith("]")
    try:
        address = ipaddress.ip_address(name[1:-1] if bracketed else name)
    except ValueError:
        return False
    return bracketed == (address.version == 6)  # noqa: PLR2004 - IPv6


def _is_preflight(req: falcon.Request) -> bool:
    return req.method == "OPTIONS" and "HTTP_ACCESS_CONTROL_REQUEST_METHOD" in req.env
