"""The agent's end of the pipe: reads messages, answers what is quick, queues what is work."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping
from typing import Any

from qmemd._version import __version__
from qmemd.acp.framing import FrameReader
from qmemd.acp.messages import (
    AVAILABILITY,
    CANCEL,
    CHANGE,
    CHANGES,
    DREAM,
    DREAM_PREVIEW,
    FORGET,
    FORGET_PREVIEW,
    INITIALIZE,
    PROTOCOL_VERSION,
    REMEMBER,
    TELLS_BEGUN,
    Message,
    Notification,
    Request,
    Response,
    invalid_params,
    method_not_found,
    task_failed,
)
from qmemd.agent.params import InvalidParamsError, parse_order, parse_place
from qmemd.agent.runner import TaskRunner
from qmemd.agent.worker import Job, Worker
from qmemd.errors import ERRORS, ProtocolError
from qmemd.kinds import TaskKind

_log = logging.getLogger(__name__)

_CHUNK = 64 * 1024
_KINDS = {
    REMEMBER: TaskKind.REMEMBER,
    FORGET: TaskKind.FORGET,
    FORGET_PREVIEW: TaskKind.FORGET,
    DREAM: TaskKind.DREAM,
    DREAM_PREVIEW: TaskKind.DREAM,
    CHANGE: TaskKind.CHANGE,
}
_GUARD_VARIABLE = "QWEN_CODE_PRIVATE_EXTERNAL_TOOL_GUARD"
_GUARD = "required-v1"


class AgentServer:
    """Serves one daemon over one pipe until the pipe ends."""

    def __init__(
        self,
        runner: TaskRunner,
        worker: Worker,
        send: Callable[[Message], object],
        environ: Mapping[str, str],
    ) -> None:
        self._runner = runner
        self._worker = worker
        self._send = send
        self._guarded = environ.get(_GUARD_VARIABLE) == _GUARD

    def serve(self, incoming: int) -> bool:
        """Reads this descriptor to its end; False when what came was no protocol."""
        reader = FrameReader()
        try:
            while chunk := os.read(incoming, _CHUNK):
                for message in reader.feed(chunk):
                    self.handle(message)
                if reader.failure:
                    raise reader.failure
        except ProtocolError as error:
            _log.error("the daemon's messages cannot be read: %s", error)
            return False
        except OSError as error:
            _log.warning("the pipe from the daemon broke: %s", error.strerror)
        for message in reader.eof():
            self.handle(message)
        return True

    def handle(self, message: Message) -> None:
        """Takes one message. Never waits for a task."""
        if isinstance(message, Request):
            answer = self._answer(message)
            if answer is not None:
                self._send(answer)
        elif isinstance(message, Notification) and message.method == CANCEL:
            self._cancel(message.params)

    def _answer(self, request: Request) -> Response | None:
        """What can be said at once; None when the worker will answer."""
        try:
            if request.method == INITIALIZE:
                return Response(request.id, self._initialize(request.params))
            if request.method == AVAILABILITY:
                available = self._runner.available(parse_place(request.params))
                return Response(request.id, {"available": available})
            if request.method in _KINDS:
                return self._queue(request, _KINDS[request.method])
        except InvalidParamsError as error:
            return invalid_params(request.id, str(error))
        return method_not_found(request.id, request.method)

    def _initialize(self, params: Any) -> dict[str, Any]:
        version = params.get("protocolVersion") if isinstance(params, Mapping) else None
        if isinstance(version, bool) or not isinstance(version, int):
            raise InvalidParamsError("`protocolVersion` must be a number")
        meta: dict[str, Any] = {
            "qmemd/version": __version__,
            TELLS_BEGUN: True,
            CHANGES: True,
        }
        if self._guarded:
            # Nothing to guard: there is no shell here, and no tool that reaches beyond the memory.
            meta["qwen-code/external-tool-guard-ready"] = _GUARD
        return {
            "protocolVersion": PROTOCOL_VERSION,
            "agentInfo": {"name": "qmemd-agent", "version": __version__},
            "agentCapabilities": {},
            "authMethods": [],
            "_meta": meta,
        }

    def _queue(self, request: Request, kind: TaskKind) -> Response | None:
        order = parse_order(kind, request.params)
        self._runner.check_workspace(order.cwd)
        if self._worker.submit(Job(request.id, order)):
            return None
        code = f"{kind.value}_failed"
        sentence = ERRORS[code].sentence
        return task_failed(request.id, sentence, code, "The agent cannot take this call now.")

    def _cancel(self, params: Any) -> None:
        if isinstance(params, Mapping):
            call_id = params.get("requestId", params.get("id"))
            if isinstance(call_id, int | str) and not isinstance(call_id, bool):
                self._worker.cancel(call_id)
