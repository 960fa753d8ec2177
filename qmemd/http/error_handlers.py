"""Whatever a request raises becomes one of our JSON errors."""

from __future__ import annotations

import logging
from typing import Any

import falcon

from qmemd.errors import RequestError
from qmemd.http.replies import error_reply

_log = logging.getLogger(__name__)

_CODES = {
    400: "bad_request",
    404: "not_found",
    405: "method_not_allowed",
    413: "body_too_large",
    415: "unsupported_media_type",
    431: "headers_too_large",
    501: "not_implemented",
}


def code_of_status(status: int) -> str:
    """Our code for an error that a layer below made, knowing only HTTP's status."""
    return _CODES.get(status) or ("internal_error" if status >= 500 else "bad_request")  # noqa: PLR2004


def add_error_handlers(app: falcon.App[falcon.Request, falcon.Response]) -> None:
    """Replaces all of Falcon's own error rendering."""
    app.add_error_handler(RequestError, _refused)
    app.add_error_handler(falcon.HTTPError, _refused_by_falcon)
    app.add_error_handler(Exception, _unexpected)


def _refused(
    _req: falcon.Request, resp: falcon.Response, error: RequestError, _params: dict[str, Any]
) -> None:
    error_reply(error.code, error.message, extra=error.extra).send(resp)


def _refused_by_falcon(
    _req: falcon.Request, resp: falcon.Response, error: falcon.HTTPError, _params: dict[str, Any]
) -> None:
    allow = dict(error.headers or {}).get("Allow")
    headers = (("Allow", allow),) if allow else ()
    error_reply(code_of_status(error.status_code), headers=headers).send(resp)


def _unexpected(
    req: falcon.Request, resp: falcon.Response, error: Exception, _params: dict[str, Any]
) -> None:
    # The route and not the path, in which anything may stand.
    route = req.uri_template or "a request before its route was known"
    _log.error("%s failed", route, exc_info=error, extra={"code": "internal_error"})
    error_reply("internal_error").send(resp)
