"""What travels over the pipe: the three JSON-RPC shapes, method names and error codes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

INITIALIZE = "initialize"
CANCEL = "$/cancel_request"
"""A notification; its params name the call to cancel as ``requestId`` and, the same, ``id``."""
TASK_BEGUN = "qmemd/task/begun"
"""Notification of our agent: it works on the call ``requestId`` now. A task that was sent and not
begun when the child died has left no trace, and can be given to the next one."""
TELLS_BEGUN = "qmemd/tellsBegun"
"""In the ``_meta`` of the answer to ``initialize``: this child sends ``TASK_BEGUN``."""
REMEMBER = "qwen/control/workspace/memory/remember"
FORGET = "qwen/control/workspace/memory/forget"
DREAM = "qwen/control/workspace/memory/dream"
AVAILABILITY = "qwen/control/workspace/memory/remember/availability"

CHANGES = "qmemd/changes"
"""In the ``_meta`` of the answer to ``initialize``: this child previews, applies and reverts."""
CHANGE = "qmemd/memory/change"
FORGET_PREVIEW = "qmemd/memory/forget"
DREAM_PREVIEW = "qmemd/memory/dream"
METHOD_OF_KIND: Mapping[str, str] = {
    "remember": REMEMBER,
    "forget": FORGET,
    "dream": DREAM,
    "change": CHANGE,
}
"""By the value of a ``TaskKind``."""

PREVIEW_OF_KIND: Mapping[str, str] = {"forget": FORGET_PREVIEW, "dream": DREAM_PREVIEW}
"""What only our agent can do has methods of its own, which another child does not serve: it must
not do for good what was to be looked at first."""

PROTOCOL_VERSION = 1

METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
UNAVAILABLE = -32009
"""Managed memory cannot be used in this workspace."""
TASK_FAILED = -32099
"""A task ended without success; ``data`` is ``{errorKind, details?}``."""

MEMORY_UNAVAILABLE_KIND = "managed_memory_unavailable"
"""The ``errorKind`` that goes with `UNAVAILABLE`."""

CallId = int | str | None


@dataclass(frozen=True, slots=True)
class RpcError:
    """The ``error`` of a response."""

    code: int
    message: str
    data: Any = None
    """Left out on the wire when None."""

    def to_wire(self) -> dict[str, Any]:
        wire: dict[str, Any] = {"code": self.code, "message": self.message}
        return wire if self.data is None else wire | {"data": self.data}


@dataclass(frozen=True, slots=True)
class Request:
    """A call that must be answered."""

    id: CallId
    method: str
    params: Any = None
    """An object, a list, or None when absent."""

    def to_wire(self) -> dict[str, Any]:
        return {"jsonrpc": "2.0", "id": self.id, **_method(self.method, self.params)}


@dataclass(frozen=True, slots=True)
class Notification:
    """A message that is never answered."""

    method: str
    params: Any = None
    """An object, a list, or None when absent."""

    def to_wire(self) -> dict[str, Any]:
        return {"jsonrpc": "2.0", **_method(self.method, self.params)}


@dataclass(frozen=True, slots=True)
class Response:
    """The answer to a call: an error, or else a result (which may be null)."""

    id: CallId
    result: Any = None
    error: RpcError | None = None

    def to_wire(self) -> dict[str, Any]:
        wire: dict[str, Any] = {"jsonrpc": "2.0", "id": self.id}
        if self.error is not None:
            return wire | {"error": self.error.to_wire()}
        return wire | {"result": self.result}


Message = Request | Notification | Response


def classify(value: Any) -> Message | None:
    """The message that a decoded JSON value is, or None when it is no JSON-RPC 2.0 message."""
    if not isinstance(value, dict) or value.get("jsonrpc") != "2.0":
        return None
    if "id" in value and not _is_id(value["id"]):
        return None
    if "method" not in value:
        return _response(value) if "id" in value else None
    method, params = value["method"], value.get("params")
    if not isinstance(method, str) or not isinstance(params, dict | list | None):
        return None
    if "result" in value or "error" in value:
        return None
    return Request(value["id"], method, params) if "id" in value else Notification(method, params)


def initialize_params(version: str) -> dict[str, Any]:
    """Who asks, and that it has no files to offer."""
    return {
        "protocolVersion": PROTOCOL_VERSION,
        "clientCapabilities": {"fs": {"readTextFile": False, "writeTextFile": False}},
        "clientInfo": {"name": "qmemd", "version": version},
    }


def method_not_found(call_id: CallId, method: str) -> Response:
    """The answer to a request that is not served."""
    error = RpcError(METHOD_NOT_FOUND, "Method not found", {"method": method[:200]})
    return Response(call_id, error=error)


def invalid_params(call_id: CallId, message: str) -> Response:
    """The answer to a request whose params are wrong; ``message`` names the key."""
    return Response(call_id, error=RpcError(INVALID_PARAMS, message))


def memory_unavailable(call_id: CallId, message: str) -> Response:
    """The answer to a task when managed memory cannot be used here."""
    data = {"errorKind": MEMORY_UNAVAILABLE_KIND}
    return Response(call_id, error=RpcError(UNAVAILABLE, message, data))


def task_failed(
    call_id: CallId, message: str, error_kind: str, details: str | None = None
) -> Response:
    """The answer to a task that ended without success; ``error_kind`` is a stable code."""
    data = {"errorKind": error_kind} | ({"details": details} if details else {})
    return Response(call_id, error=RpcError(TASK_FAILED, message, data))


def _method(method: str, params: Any) -> dict[str, Any]:
    return {"method": method} if params is None else {"method": method, "params": params}


def _is_id(value: Any) -> bool:
    return value is None or (isinstance(value, int | str) and not isinstance(value, bool))


def _response(value: Mapping[str, Any]) -> Response:
    """Also of an answer in no proper shape: whoever waits for it must not wait on."""
    error = value.get("error")
    if error is None and "result" in value:
        return Response(value["id"], value["result"])
    if isinstance(error, dict) and value.get("result") is None:
        code, message = error.get("code"), error.get("message")
        if isinstance(code, int) and not isinstance(code, bool) and isinstance(message, str):
            return Response(value["id"], error=RpcError(code, message, error.get("data")))
    return Response(value["id"], error=RpcError(INTERNAL_ERROR, "The answer has no proper shape"))
