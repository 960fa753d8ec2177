"""Memory tasks as pure data: what is asked, how far it is, and its rendering on the wire."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from qmemd.errors import ERRORS
from qmemd.kinds import ChangeAction, ContextMode, Scope, TaskKind, TaskStatus
from qmemd.results import TaskResult

MAX_TEXT_BYTES = 65_536
"""UTF-8 bytes of a fact or a query, after trimming."""
MAX_PENDING = 16
"""Tasks queued and running in one workspace."""
MAX_COMPACTING = 8
"""Of these, forget and dream together."""
MAX_DETAILS = 500
"""Characters of ``error.details`` that a client gets to see."""


@dataclass(frozen=True, slots=True)
class Remember:
    """Keep a fact."""

    content: str
    """The fact, trimmed; at most 65,536 bytes of UTF-8."""
    context_mode: ContextMode = ContextMode.WORKSPACE
    scope: Scope | None = None
    """None lets the agent choose by the fact's type."""

    kind = TaskKind.REMEMBER

    def to_wire(self) -> dict[str, Any]:
        """Params of the ACP method of this kind."""
        wire: dict[str, Any] = {"content": self.content, "contextMode": self.context_mode.value}
        return wire | ({"scope": self.scope.value} if self.scope else {})


@dataclass(frozen=True, slots=True)
class Forget:
    """Remove what a query names."""

    query: str
    """Trimmed; at most 65,536 bytes of UTF-8."""
    scope: Scope | None = None
    """None searches both."""
    preview: bool = False
    """Only say what would go: the change set waits to be applied or discarded."""
    erase: bool = False
    """Take the texts out of the history as well; not together with ``preview``."""

    kind = TaskKind.FORGET

    def to_wire(self) -> dict[str, Any]:
        """Params of the ACP method of this kind."""
        wire: dict[str, Any] = {"query": self.query}
        if self.scope:
            wire["scope"] = self.scope.value
        wire |= {"preview": True} if self.preview else {}
        return wire | ({"erase": True} if self.erase else {})


@dataclass(frozen=True, slots=True)
class Dream:
    """Compact the memory: merge what is there twice, repair the index."""

    preview: bool = False
    """Only say what would change, as with forget."""

    kind = TaskKind.DREAM

    def to_wire(self) -> dict[str, Any]:
        """Params of the ACP method of this kind."""
        return {"preview": True} if self.preview else {}


@dataclass(frozen=True, slots=True)
class Change:
    """Do something with a change set."""

    change_set_id: str
    action: ChangeAction

    kind = TaskKind.CHANGE

    def to_wire(self) -> dict[str, Any]:
        """Params of the ACP method of this kind."""
        return {"changeSetId": self.change_set_id, "action": self.action.value}


TaskRequest = Remember | Forget | Dream | Change


@dataclass(frozen=True, slots=True)
class TaskFailure:
    """Why a task failed."""

    code: str
    message: str
    """The fixed sentence of the code."""
    details: str | None = None
    """More about this one case: redacted, at most 500 characters."""

    @classmethod
    def of(cls, code: str, details: str | None = None) -> TaskFailure:
        """A failure with the table's sentence. ``details`` must be redacted already."""
        if details and len(details) > MAX_DETAILS:
            details = details[: MAX_DETAILS - 1] + "…"
        return cls(code, ERRORS[code].sentence, details or None)

    def to_wire(self) -> dict[str, Any]:
        wire = {"code": self.code, "message": self.message}
        return wire | ({"details": self.details} if self.details else {})


@dataclass(frozen=True, slots=True)
class Task:
    """One memory task at one moment. Immutable: each change of state is a new snapshot."""

    task_id: str
    """``<kind>-<uuid4>``."""
    kind: TaskKind
    status: TaskStatus
    created_at: datetime
    updated_at: datetime
    client_id: str | None = None
    """Who may see it; None means requests without a client id. Never on the wire."""
    context_mode: ContextMode | None = None
    """Only for remember."""
    scope: Scope | None = None
    request: TaskRequest | None = None
    """What is to be done. None once the task is terminal: the text is not kept."""
    result: TaskResult | None = None
    error: TaskFailure | None = None
    attempts: int = 0
    """How often a run of it was started."""

    @classmethod
    def queued(
        cls, task_id: str, request: TaskRequest, client_id: str | None, now: datetime
    ) -> Task:
        """A fresh task for an admitted request."""
        return cls(
            task_id=task_id,
            kind=request.kind,
            status=TaskStatus.QUEUED,
            created_at=now,
            updated_at=now,
            client_id=client_id,
            context_mode=request.context_mode if isinstance(request, Remember) else None,
            scope=request.scope if isinstance(request, Remember | Forget) else None,
            request=request,
        )

    def without_text(self) -> Task:
        """The same without what was asked, for a text that must be stored nowhere."""
        return replace(self, request=None)

    def running(self, now: datetime) -> Task:
        return replace(self, status=TaskStatus.RUNNING, updated_at=now, attempts=self.attempts + 1)

    def requeued(self, now: datetime) -> Task:
        return replace(self, status=TaskStatus.QUEUED, updated_at=now)

    def finished(self, outcome: TaskResult | TaskFailure, now: datetime) -> Task:
        """The terminal snapshot; the request's text is dropped from it."""
        if isinstance(outcome, TaskFailure):
            return replace(
                self, status=TaskStatus.FAILED, updated_at=now, request=None, error=outcome
            )
        return replace(
            self, status=TaskStatus.COMPLETED, updated_at=now, request=None, result=outcome
        )

    def to_wire(self) -> dict[str, Any]:
        """The body of a poll."""
        wire = self._base_wire()
        if not self.status.terminal:
            return wire | {"result": None, "error": None}
        if self.result is not None:
            return wire | {"result": self.result.to_wire()}
        return wire | {"error": self.error.to_wire() if self.error else None}

    def to_accepted_wire(self) -> dict[str, Any]:
        """The body of the 202: neither ``result`` nor ``error``."""
        return self._base_wire()

    def _base_wire(self) -> dict[str, Any]:
        wire: dict[str, Any] = {
            "taskId": self.task_id,
            "status": self.status.value,
            "createdAt": iso(self.created_at),
            "updatedAt": iso(self.updated_at),
        }
        if self.context_mode is not None:
            wire["contextMode"] = self.context_mode.value
        if self.scope is not None:
            wire["scope"] = self.scope.value
        return wire


def iso(moment: datetime) -> str:
    """UTC, ISO 8601, milliseconds, ``Z``."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def to_json(value: Any) -> bytes:
    """Compact JSON in UTF-8, as every body of ours is written."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
