"""How an answer goes out: the app's, or one that is made below it in the same form."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from waitress.task import ErrorTask, WSGITask

from qmemd.http.error_handlers import code_of_status
from qmemd.http.holding import HOLD_THREAD, ON_LEAVE
from qmemd.http.parser import RefusedError
from qmemd.http.replies import error_reply

MAX_UNSENT_STREAM = 64 * 1024
"""Bytes of a stream that may wait for its client below the stream's own queue."""


class AppTask(WSGITask):  # type: ignore[misc]
    """Has the app answer."""

    content_length: int | None
    wrote_header: bool

    def get_environment(self) -> dict[str, Any]:
        environ: dict[str, Any] = super().get_environment()
        environ[HOLD_THREAD] = self.channel.server.task_dispatcher.hold_thread
        environ[ON_LEAVE] = self.channel.on_leave
        return environ

    def write(self, data: bytes) -> None:
        if data and self.complete and not self.wrote_header:
            # Waitress sends the head on its own, which costs a packet and a wake-up more.
            self.channel.put(self.build_response_header())
            self.wrote_header = True
        if self.content_length is None and self.wrote_header:
            # What a stream's client does not read stays in the bounded queue it comes from.
            self.channel.wait_for_reader(MAX_UNSENT_STREAM)
        super().write(data)


class JsonErrorTask(ErrorTask):  # type: ignore[misc]
    """Answers a request that was refused below the app, and is the last of its connection."""

    def execute(self) -> None:
        error = self.request.error
        known = isinstance(error, RefusedError)
        reply = error.reply if known else error_reply(code_of_status(error.code))
        self.status = f"{reply.status} {HTTPStatus(reply.status).phrase}"
        self.response_headers.extend(reply.headers)
        self.request.headers.pop("CONNECTION", None)  # a wish to keep it alive is not heard
        self.set_close_on_finish()
        self.channel.lingers = True
        self.content_length = len(reply.body)
        self.write(b"" if self.request.command == "HEAD" else reply.body)
