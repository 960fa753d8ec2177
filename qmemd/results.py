"""What tasks report, and its rendering on the wire.

Fields are snake_case here and camelCase on the wire. Results that come from a child are picked
key by key and type-checked, so that nothing unknown travels on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeVar

from qmemd.errors import ProtocolError
from qmemd.kinds import ChangeState, Scope, TaskKind, Topic

MAX_SUMMARY = 1_048_576
"""Characters of a child's summary; what is beyond is cut off."""
MAX_LISTED = 10_000
"""Items of a list in a child's result."""
MAX_ITEM = 8_192
"""Characters of one path or line in such a list."""

MAX_ERASED = 1_048_576
"""Characters of a text that is to be gone for good: as many as a document may have."""

_Member = TypeVar("_Member", bound=StrEnum)


ERASED_TEXTS = "qmemd/erasedTexts"
"""Key of an agent's forget result: what its daemon has to erase too."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What the run cost at a real model."""

    model_calls: int
    input_tokens: int
    output_tokens: int

    def to_wire(self) -> dict[str, Any]:
        return {
            "modelCalls": self.model_calls,
            "inputTokens": self.input_tokens,
            "outputTokens": self.output_tokens,
        }


@dataclass(frozen=True, slots=True)
class RememberResult:
    """What a remember did, measured on the applied change set."""

    summary: str
    files_touched: tuple[str, ...] = ()
    """Absolute paths."""
    touched_scopes: tuple[Scope, ...] = ()
    change_set_id: str | None = None
    usage: Usage | None = None

    def to_wire(self) -> dict[str, Any]:
        return {
            "summary": self.summary,
            "filesTouched": list(self.files_touched),
            "touchedScopes": _values(self.touched_scopes),
        } | _common(self.change_set_id, self.usage)


@dataclass(frozen=True, slots=True)
class RemovedEntry:
    """One entry that left the disk."""

    topic: Topic
    summary: str
    """One line that says what it was."""
    file_path: str
    """Absolute path of the document that held it."""

    def to_wire(self) -> dict[str, Any]:
        return {"topic": self.topic.value, "summary": self.summary, "filePath": self.file_path}


@dataclass(frozen=True, slots=True)
class ForgetResult:
    """What a forget removed, measured on the applied change set."""

    summary: str
    removed_entries: tuple[RemovedEntry, ...] = ()
    touched_topics: tuple[Topic, ...] = ()
    touched_scopes: tuple[Scope, ...] = ()
    change_set_id: str | None = None
    usage: Usage | None = None
    erased_texts: tuple[str, ...] = field(default=(), repr=False)
    """What is to be gone for good; said by the agent to its daemon, and to nobody else."""

    def to_wire(self) -> dict[str, Any]:
        return {
            "summary": self.summary,
            "removedEntries": [entry.to_wire() for entry in self.removed_entries],
            "touchedTopics": _values(self.touched_topics),
            "touchedScopes": _values(self.touched_scopes),
        } | _common(self.change_set_id, self.usage)


@dataclass(frozen=True, slots=True)
class DreamResult:
    """What a dream changed, measured on the applied change set."""

    summary: str
    touched_topics: tuple[Topic, ...] = ()
    deduped_entries: int = 0
    """Entries removed because an equal one stays."""
    touched_scopes: tuple[Scope, ...] = ()
    changed_files: tuple[str, ...] = ()
    """Absolute paths of documents added or rewritten."""
    removed_files: tuple[str, ...] = ()
    """Absolute paths of documents removed."""
    change_set_id: str | None = None
    usage: Usage | None = None

    def to_wire(self) -> dict[str, Any]:
        return {
            "summary": self.summary,
            "touchedTopics": _values(self.touched_topics),
            "dedupedEntries": self.deduped_entries,
            "touchedScopes": _values(self.touched_scopes),
            "changedFiles": list(self.changed_files),
            "removedFiles": list(self.removed_files),
        } | _common(self.change_set_id, self.usage)


@dataclass(frozen=True, slots=True)
class ChangeResult:
    """What became of a change set."""

    summary: str
    change_set_id: str
    state: ChangeState
    changed_files: tuple[str, ...] = ()
    """Absolute paths of documents added or rewritten."""
    removed_files: tuple[str, ...] = ()
    """Absolute paths of documents removed."""
    touched_scopes: tuple[Scope, ...] = ()
    usage: None = None
    """No model is asked."""

    def to_wire(self) -> dict[str, Any]:
        return {
            "summary": self.summary,
            "changeSetId": self.change_set_id,
            "state": self.state.value,
            "changedFiles": list(self.changed_files),
            "removedFiles": list(self.removed_files),
            "touchedScopes": _values(self.touched_scopes),
        }


TaskResult = RememberResult | ForgetResult | DreamResult | ChangeResult


def scopes_of(topics: tuple[Topic, ...]) -> tuple[Scope, ...]:
    """Where documents of these topics live by default, sorted and unique."""
    user = {Topic.USER, Topic.FEEDBACK}
    return tuple(sorted({Scope.USER if topic in user else Scope.PROJECT for topic in topics}))


def result_from_wire(kind: TaskKind, wire: Any) -> TaskResult:
    """Picks the known keys of a child's result.

    A foreign child may leave out what only our agent reports: ``changeSetId``, ``usage`` and the
    scopes and files of a dream (whose scopes then follow from its topics).

    Raises:
        ProtocolError: a known key is missing or has the wrong type; the sentence names the key
            and never the value.
    """
    if not isinstance(wire, Mapping):
        raise ProtocolError("the result is not an object")
    change_set_id = wire.get("changeSetId")
    if change_set_id is not None and not isinstance(change_set_id, str):
        raise ProtocolError("`changeSetId` is not a string")
    usage = _usage(wire.get("usage"))
    if kind is TaskKind.REMEMBER:
        return RememberResult(
            summary=_string(wire, "summary", "Memory update completed."),
            files_touched=_strings(wire, "filesTouched"),
            touched_scopes=_members(wire, "touchedScopes", Scope),
            change_set_id=change_set_id,
            usage=usage,
        )
    if kind is TaskKind.CHANGE:
        return _change_result(wire, change_set_id)
    topics = _members(wire, "touchedTopics", Topic)
    if kind is TaskKind.FORGET:
        return ForgetResult(
            summary=_string(wire, "summary", "Forget completed."),
            removed_entries=_removed_entries(wire),
            touched_topics=topics,
            touched_scopes=_members(wire, "touchedScopes", Scope),
            change_set_id=change_set_id,
            usage=usage,
            erased_texts=(
                _strings(wire, ERASED_TEXTS, longest=MAX_ERASED) if ERASED_TEXTS in wire else ()
            ),
        )
    return DreamResult(
        summary=_string(wire, "summary", "Dream completed."),
        touched_topics=topics,
        deduped_entries=_count(wire, "dedupedEntries"),
        touched_scopes=(
            _members(wire, "touchedScopes", Scope) if "touchedScopes" in wire else scopes_of(topics)
        ),
        changed_files=_strings(wire, "changedFiles") if "changedFiles" in wire else (),
        removed_files=_strings(wire, "removedFiles") if "removedFiles" in wire else (),
        change_set_id=change_set_id,
        usage=usage,
    )


def _change_result(wire: Mapping[str, Any], change_set_id: str | None) -> ChangeResult:
    if change_set_id is None:
        raise ProtocolError("`changeSetId` is missing")
    try:
        state = ChangeState(_string(wire, "state"))
    except ValueError:
        raise ProtocolError("`state` is not one of a change set") from None
    return ChangeResult(
        summary=_string(wire, "summary"),
        change_set_id=change_set_id,
        state=state,
        changed_files=_strings(wire, "changedFiles"),
        removed_files=_strings(wire, "removedFiles"),
        touched_scopes=_members(wire, "touchedScopes", Scope),
    )


def _values(members: tuple[StrEnum, ...]) -> list[str]:
    return sorted({member.value for member in members})


def _common(change_set_id: str | None, usage: Usage | None) -> dict[str, Any]:
    wire: dict[str, Any] = {"changeSetId": change_set_id}
    return wire | ({"usage": usage.to_wire()} if usage else {})


def _string(wire: Mapping[str, Any], key: str, default: str | None = None) -> str:
    value = wire.get(key, default)
    if not isinstance(value, str):
        raise ProtocolError(f"`{key}` is not a string")
    return value[:MAX_SUMMARY]


def _strings(wire: Mapping[str, Any], key: str, *, longest: int = MAX_ITEM) -> tuple[str, ...]:
    value = wire.get(key)
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ProtocolError(f"`{key}` is not a list of strings")
    if len(value) > MAX_LISTED or any(len(item) > longest for item in value):
        raise ProtocolError(f"`{key}` is too long")
    return tuple(value)


def _members(wire: Mapping[str, Any], key: str, members: type[_Member]) -> tuple[_Member, ...]:
    try:
        return tuple(sorted({members(value) for value in _strings(wire, key)}))
    except ValueError:
        raise ProtocolError(f"`{key}` holds an unknown value") from None


def _count(wire: Mapping[str, Any], key: str) -> int:
    value = wire.get(key)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ProtocolError(f"`{key}` is not a count")
    return value


def _removed_entries(wire: Mapping[str, Any]) -> tuple[RemovedEntry, ...]:
    value = wire.get("removedEntries")
    if not isinstance(value, list) or not all(isinstance(item, Mapping) for item in value):
        raise ProtocolError("`removedEntries` is not a list of objects")
    if len(value) > MAX_LISTED:
        raise ProtocolError("`removedEntries` is too long")
    try:
        return tuple(
            RemovedEntry(
                Topic(_string(item, "topic")), _string(item, "summary"), _string(item, "filePath")
            )
            for item in value
        )
    except ValueError:
        raise ProtocolError("`removedEntries` holds an unknown topic") from None


def _usage(wire: Any) -> Usage | None:
    if wire is None:
        return None
    if not isinstance(wire, Mapping):
        raise ProtocolError("`usage` is not an object")
    return Usage(
        _count(wire, "modelCalls"), _count(wire, "inputTokens"), _count(wire, "outputTokens")
    )
