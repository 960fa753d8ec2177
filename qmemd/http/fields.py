"""The fields of each body: the schemas beside this module, and the rules a schema cannot say."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from qmemd.context.files import MAX_CONTENT_BYTES
from qmemd.context.records import ContextScope, WriteMode
from qmemd.errors import RequestError
from qmemd.kinds import ChangeAction, ContextMode, Scope
from qmemd.tasks import Change, Dream, Forget, Remember
from qmemd.texts import clean_text, is_utf8

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator

_SCHEMAS = ("remember", "forget", "dream", "session", "context", "change")

_CODES: Mapping[str, str] = {
    "content": "invalid_content",
    "query": "invalid_query",
    "contextMode": "invalid_context_mode",
    "scope": "invalid_scope",
    "cwd": "invalid_cwd",
    "sessionScope": "invalid_session_scope",
    "preview": "invalid_option",
    "erase": "invalid_option",
    "changeSetId": "invalid_change_set_id",
    "action": "invalid_action",
}


class Fields:
    """Turns JSON objects into validated requests.

    The validators are built once, by ``warm_up`` or else by the first request that needs them.
    Every method raises ``RequestError`` with the code of the first field that is wrong.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._validators: Mapping[str, Draft202012Validator] = {}

    def warm_up(self) -> None:
        """Imports jsonschema and builds the validators; takes 0.1 s the first time."""
        with self._lock:
            if not self._validators:
                self._validators = _build_validators()

    def remember(self, body: Mapping[str, Any]) -> Remember:
        failing = self._failing("remember", body)
        content = _text(body, "content", failing)
        _refuse(failing, "contextMode", "scope")
        return Remember(
            content=content,
            context_mode=ContextMode(body.get("contextMode") or ContextMode.WORKSPACE),
            scope=_scope(body),
        )

    def forget(self, body: Mapping[str, Any]) -> Forget:
        failing = self._failing("forget", body)
        query = _text(body, "query", failing)
        _refuse(failing, "scope", "preview", "erase")
        preview, erase = body.get("preview", False), body.get("erase", False)
        if preview and erase:
            raise RequestError("invalid_option")
        return Forget(query=query, scope=_scope(body), preview=preview, erase=erase)

    def dream(self, body: Mapping[str, Any]) -> Dream:
        _refuse(self._failing("dream", body), "preview")
        return Dream(preview=body.get("preview", False))

    def change(self, body: Mapping[str, Any]) -> Change:
        _refuse(self._failing("change", body), "changeSetId", "action")
        if body["changeSetId"].endswith("\n"):  # which the pattern's end lets pass
            raise RequestError("invalid_change_set_id")
        return Change(body["changeSetId"], ChangeAction(body["action"]))

    def context(self, body: Mapping[str, Any]) -> tuple[ContextScope, WriteMode, str]:
        """Whose file, how it is written, and what is."""
        failing = self._failing("context", body)
        if "scope" in failing:
            raise RequestError("invalid_scope", '`scope` must be "workspace" or "global".')
        if "mode" in failing:
            raise RequestError("invalid_mode")
        content = body.get("content")
        if not isinstance(content, str) or "\0" in content or not is_utf8(content):
            raise RequestError("invalid_content", "`content` must be a string of UTF-8 text.")
        if len(content.encode()) > MAX_CONTENT_BYTES:
            raise RequestError("content_too_large")
        mode = WriteMode(body.get("mode", WriteMode.APPEND))
        return ContextScope(body["scope"]), mode, content

    def session(self, body: Mapping[str, Any]) -> tuple[str | None, str]:
        """``(cwd, session scope)``; the cwd is None when it was not sent."""
        failing = self._failing("session", body)
        cwd = body.get("cwd")
        if isinstance(cwd, str) and not is_utf8(cwd):
            failing.add("cwd")
        _refuse(failing, "cwd", "sessionScope")
        return cwd, body.get("sessionScope", "single")

    def _failing(self, schema: str, body: Mapping[str, Any]) -> set[str]:
        """The fields that the schema refuses."""
        if not self._validators:
            self.warm_up()
        failing: set[str] = set()
        for error in self._validators[schema].iter_errors(body):
            if error.validator == "required":
                failing.update(name for name in error.validator_value if name not in body)
            else:
                failing.add(str(error.absolute_path[0]))
        return failing


def _text(body: Mapping[str, Any], field: str, failing: set[str]) -> str:
    _refuse(failing, field)
    return clean_text(body[field], _CODES[field])


def _scope(body: Mapping[str, Any]) -> Scope | None:
    return Scope(body["scope"]) if "scope" in body else None


def _refuse(failing: set[str], *in_order: str) -> None:
    for field in in_order:
        if field in failing:
            raise RequestError(_CODES[field])


def _build_validators() -> Mapping[str, Draft202012Validator]:
    from importlib.resources import files  # noqa: PLC0415 - paid for with the next one

    from jsonschema import Draft202012Validator  # noqa: PLC0415 - 0.1 s, so only when needed

    folder = files(__package__) / "schemas"
    return {
        name: Draft202012Validator(json.loads((folder / f"{name}.json").read_bytes()))
        for name in _SCHEMAS
    }
