"""Who may come in: the checks that every request passes before it is routed."""

from __future__ import annotations

import ipaddress
from collections.abc import Collection, Mapping
from enum import Enum
from hmac import compare_digest
from typing import Any

import falcon

from qmemd.errors import RequestError
from qmemd.http.origins import Origins
from qmemd.http.paths import HEALTH, READ_METHODS, is_poll
from qmemd.http.ports import Access, Door
from qmemd.http.replies import Reply, error_reply

_LOOPBACK_NAMES = ("localhost", "127.0.0.1", "::1")
_WILDCARDS = frozenset({"0.0.0.0", "::"})  # noqa: S104 - compared with, not bound to
_HTTP_PORT = 80
_PREFLIGHT = {"HTTP_ACCESS_CONTROL_REQUEST_METHOD", "HTTP_ACCESS_CONTROL_REQUEST_HEADERS"}


class _Entry(Enum):
    """On what ground a request comes in."""

    PREFLIGHT = 0
    OPEN = 1
    TOKEN = 2


class AccessCheck:
    """Middleware: Host, Origin, then the token, then whether the daemon still takes work."""

    def __init__(
        self, door: Door, access: Access, *, open_paths: Collection[str] = frozenset()
    ) -> None:
        """Compares with what ``access`` says; ``open_paths`` can be read without the token."""
        self._door = door
        self._open_paths = open_paths
        self._token = access.token.encode()
        self._hostname = access.hostname.lower()
        self._origins = Origins(access.allow_origins)
        self._open_health = not access.require_auth
        self._ours = None if access.port is None else _Address(self._hostname, access.port)

    def process_request(self, req: falcon.Request, resp: falcon.Response) -> None:
        """Lets the request pass.

        Raises:
            RequestError: it must not.
        """
        if self._admit(req.env, req.path) is _Entry.PREFLIGHT:
            resp.status = falcon.HTTP_204
            resp.complete = True

    def process_response(
        self,
        req: falcon.Request,
        resp: falcon.Response,
        _resource: object,
        _succeeded: bool,
    ) -> None:
        """Tells the browser of an allowed page that it may look at the answer."""
        resp.set_headers(self._origins.headers(req.env.get("HTTP_ORIGIN")))

    def refuse_head(self, env: Mapping[str, Any], large: bool) -> Reply | None:
        """The answer that a request gets anyway, so that its body need not be read.

        Args:
            env: the head as WSGI has it.
            large: whether a large body follows; nobody sends one without the token.
        """
        path = "/" + env["PATH_INFO"].lstrip("/").removesuffix("/")
        try:
            entry = self._admit(env, path)
        except RequestError as error:
            headers = self._origins.headers(env.get("HTTP_ORIGIN"))
            return error_reply(error.code, error.message, extra=error.extra, headers=headers)
        if large and entry is not _Entry.TOKEN and not self._has_token(env):
            return error_reply("body_too_large")
        return None

    def _admit(self, env: Mapping[str, Any], path: str) -> _Entry:
        ours = self._ours or _Address(self._hostname, int(env["SERVER_PORT"]))
        if not ours.has_host(env.get("HTTP_HOST", "").lower()):
            raise RequestError("invalid_host")
        method = env["REQUEST_METHOD"]
        origin = env.get("HTTP_ORIGIN")
        if origin is not None:
            if origin.lower() not in ours.origins and not self._origins.allows(origin):
                raise RequestError("origin_denied")
            if method == "OPTIONS" and _PREFLIGHT & env.keys():
                return _Entry.PREFLIGHT
        if self._open_health and path == HEALTH and method in READ_METHODS:
            return _Entry.OPEN
        if path in self._open_paths and method in READ_METHODS:
            return _Entry.OPEN
        if not self._has_token(env):
            raise RequestError("unauthorized")
        if self._door.stopping and not is_poll(method, path):
            raise RequestError("daemon_stopping")
        return _Entry.TOKEN

    def _has_token(self, env: Mapping[str, Any]) -> bool:
        authorization: str = env.get("HTTP_AUTHORIZATION", "")
        scheme, _, credentials = authorization.partition(" ")
        # WSGI hands bytes over as Latin-1; what is not even that cannot be a token.
        offered = credentials.lstrip(" ").encode("latin-1", "replace")
        return scheme.lower() == "bearer" and compare_digest(offered, self._token)


class _Address:
    """What a request may call us, for one host name and port."""

    def __init__(self, hostname: str, port: int) -> None:
        names = [f"[{n}]" if ":" in n else n for n in (hostname, *_LOOPBACK_NAMES)]
        self._hosts = frozenset([*names, *(f"{name}:{port}" for name in names)])
        self._wildcard_port = port if hostname in _WILDCARDS else None
        origins = [f"http://{name}:{port}" for name in names]
        if port == _HTTP_PORT:  # browsers leave the default port out
            origins += [f"http://{name}" for name in names]
        self.origins = frozenset(origins)

    def has_host(self, host: str) -> bool:
        """Whether a Host header, in lower case, means us."""
        if host in self._hosts:
            return True
        return self._wildcard_port is not None and _is_address(host, self._wildcard_port)


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
