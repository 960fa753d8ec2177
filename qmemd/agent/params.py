"""The params of the memory methods, checked by hand: the child loads no schema library."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeVar

from qmemd.errors import RequestError
from qmemd.kinds import ChangeAction, ContextMode, Scope, TaskKind
from qmemd.tasks import Change, Dream, Forget, Remember, TaskRequest
from qmemd.texts import clean_text, is_utf8

_MAX_IDENTIFIER = 128

_Member = TypeVar("_Member", bound=StrEnum)


class InvalidParamsError(Exception):
    """The params cannot be used; the sentence names the key and never its value."""


@dataclass(frozen=True, slots=True)
class Order:
    """One memory task as it came over the wire."""

    request: TaskRequest
    cwd: str | None
    """The workspace that the daemon serves; None when it did not say."""
    task_id: str | None
    client_id: str | None


def parse_order(kind: TaskKind, params: Any) -> Order:
    """Checks the params of one of the three memory methods.

    Raises:
        InvalidParamsError: a key is missing or has the wrong type or value.
    """
    params = _object(params)
    meta = params.get("_meta")
    if meta is None:
        meta = {}
    if not isinstance(meta, Mapping):
        raise InvalidParamsError("`_meta` must be an object")
    return Order(
        request=_request(kind, params),
        cwd=_cwd(params),
        task_id=_identifier(meta, "qmemd/taskId"),
        client_id=_identifier(meta, "qmemd/clientId"),
    )


def parse_place(params: Any) -> str | None:
    """The workspace that the params of any method name, if they do.

    Raises:
        InvalidParamsError: it is not an absolute path.
    """
    return _cwd(_object(params))


def _object(params: Any) -> Mapping[str, Any]:
    if params is None:
        return {}
    if not isinstance(params, Mapping):
        raise InvalidParamsError("params must be an object")
    return params


def _request(kind: TaskKind, params: Mapping[str, Any]) -> TaskRequest:
    if kind is TaskKind.REMEMBER:
        return Remember(
            content=_text(params, "content"),
            context_mode=_member(params, "contextMode", ContextMode) or ContextMode.WORKSPACE,
            scope=_member(params, "scope", Scope),
        )
    if kind is TaskKind.FORGET:
        return Forget(
            query=_text(params, "query"),
            scope=_member(params, "scope", Scope),
            preview=_switch(params, "preview"),
            erase=_switch(params, "erase"),
        )
    if kind is TaskKind.CHANGE:
        action = _member(params, "action", ChangeAction)
        change_set_id = params.get("changeSetId")
        if action is None or not isinstance(change_set_id, str):
            raise InvalidParamsError("`changeSetId` and `action` are needed")
        return Change(change_set_id, action)
    return Dream(preview=_switch(params, "preview"))


def _switch(params: Mapping[str, Any], key: str) -> bool:
    value = params.get(key, False)
    if not isinstance(value, bool):
        raise InvalidParamsError(f"`{key}` must be true or false")
    return value


def _text(params: Mapping[str, Any], key: str) -> str:
    try:
        return clean_text(params.get(key), f"invalid_{key}")
    except RequestError as error:
        raise InvalidParamsError(error.message) from None


def _member(params: Mapping[str, Any], key: str, members: type[_Member]) -> _Member | None:
    value = params.get(key)
    if value is None:
        return None
    try:
        return members(value)
    except ValueError:
        raise InvalidParamsError(f"`{key}` must be one of {', '.join(members)}") from None


def _cwd(params: Mapping[str, Any]) -> str | None:
    value = params.get("cwd")
    if value is None:
        return None
    if not isinstance(value, str) or not value.startswith("/") or "\0" in value:
        raise InvalidParamsError("`cwd` must be an absolute path")
    if not is_utf8(value):
        raise InvalidParamsError("`cwd` must be valid Unicode")
    return value


def _identifier(meta: Mapping[str, Any], key: str) -> str | None:
    value = meta.get(key)
    if value is None:
        return None
    # They become part of file names.
    if not isinstance(value, str) or not 0 < len(value) <= _MAX_IDENTIFIER or not _is_plain(value):
        raise InvalidParamsError(f"`{key}` must be 1 to 128 of [A-Za-z0-9._:-]")
    return value


def _is_plain(text: str) -> bool:
    return text.isascii() and all(letter.isalnum() or letter in "._:-" for letter in text)
