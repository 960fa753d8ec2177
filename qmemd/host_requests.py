"""What a host program asks for, as validated requests."""

from __future__ import annotations

from typing import Any

from qmemd.catalog import EntryFilter
from qmemd.errors import RequestError
from qmemd.kinds import ChangeAction, ContextMode, Scope, Topic
from qmemd.tasks import Change, Forget, Remember
from qmemd.texts import clean_text


def remember_request(
    text: str, scope: Scope | str | None, context_mode: ContextMode | str
) -> Remember:
    """Raises RequestError with the code of the first value that is wrong; so do the others."""
    return Remember(
        clean_text(text, "invalid_content"),
        _member(ContextMode, context_mode, "invalid_context_mode"),
        _scope(scope),
    )


def forget_request(query: str, scope: Scope | str | None, *, preview: bool, erase: bool) -> Forget:
    """See ``remember_request``."""
    request = Forget(clean_text(query, "invalid_query"), _scope(scope), preview, erase)
    if preview and erase:
        raise RequestError("invalid_option")
    return request


def change_request(change_set_id: str, action: ChangeAction | str) -> Change:
    """See ``remember_request``."""
    return Change(change_set_id, _member(ChangeAction, action, "invalid_action"))


def entry_filter(words: str, scope: Scope | str | None, topic: Topic | str | None) -> EntryFilter:
    """See ``remember_request``."""
    known = None if topic is None else _member(Topic, topic, "invalid_type")
    return EntryFilter(words, _scope(scope), known)


def _scope(scope: Scope | str | None) -> Scope | None:
    return None if scope is None else _member(Scope, scope, "invalid_scope")


def _member(members: Any, value: object, code: str) -> Any:
    try:
        return members(value)
    except ValueError:
        raise RequestError(code) from None
