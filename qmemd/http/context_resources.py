"""Context files: what people write for their agents themselves."""

from __future__ import annotations

import re
from typing import TypeVar

import falcon

from qmemd.errors import RequestError
from qmemd.events import FileChanged
from qmemd.http.body import read_object
from qmemd.http.client_ids import known_client_id
from qmemd.http.fields import Fields
from qmemd.http.ports import Door
from qmemd.http.replies import json_reply

MAX_READ = 1_048_576
"""Bytes of a file that are sent when the request does not say."""

T = TypeVar("T")

_NUMBER = re.compile(r"[0-9]{1,9}")


class ContextFilesList:
    """``/workspace/memory``."""

    def __init__(self, door: Door, fields: Fields) -> None:
        self._door = door
        self._fields = fields

    def on_get(self, _req: falcon.Request, resp: falcon.Response) -> None:
        json_reply(200, self._door.context_files.listing().to_wire()).send(resp)

    def on_post(self, req: falcon.Request, resp: falcon.Response) -> None:
        scope, mode, content = self._fields.context(read_object(req))
        client_id = known_client_id(req, self._door)
        written = self._door.context_files.write(scope, mode, content)
        if written.changed:
            path = str(written.path)
            self._door.publish(FileChanged(scope, path, mode, written.size, client_id))
        json_reply(200, written.to_wire()).send(resp)


class OneFile:
    """``/file``: reads a context file, and no other."""

    def __init__(self, door: Door) -> None:
        self._door = door

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        try:
            content = self._door.context_files.read(
                _path(req),
                max_bytes=min(_number(req, "maxBytes", MAX_READ), MAX_READ),
                first_line=_number(req, "line", 1),
                lines=_number(req, "limit", None),
            )
        except RequestError as error:
            extra = {"errorKind": error.code, "status": error.status}
            raise RequestError(error.code, extra=extra) from error
        json_reply(200, content.to_wire()).send(resp)


def _path(req: falcon.Request) -> str:
    path = req.get_param("path")
    if not path or "\0" in path:
        raise RequestError("parse_error")
    return path


def _number(req: falcon.Request, name: str, default: T) -> int | T:
    value = req.get_param(name)
    if value is None:
        return default
    if not _NUMBER.fullmatch(value) or not int(value):
        raise RequestError("parse_error")
    return int(value)
