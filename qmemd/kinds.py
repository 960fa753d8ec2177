"""The closed sets of words that tasks and memory files are described with."""

from __future__ import annotations

from enum import StrEnum


class TaskKind(StrEnum):
    """What a task does to the memory."""

    REMEMBER = "remember"
    FORGET = "forget"
    DREAM = "dream"
    CHANGE = "change"
    """Applies, reverts or discards a change set."""


class TaskStatus(StrEnum):
    """Where a task is in its life; the last two are terminal."""

    QUEUED = "queued"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"

    @property
    def terminal(self) -> bool:
        return self in (TaskStatus.COMPLETED, TaskStatus.FAILED)


class ChangeState(StrEnum):
    """Where a change set is in its life."""

    OPEN = "open"
    """Written, so that it counts, but perhaps not done on the files yet."""
    PREVIEW = "preview"
    """Looked at, and not done."""
    APPLIED = "applied"
    REVERTED = "reverted"
    DISCARDED = "discarded"
    ERASED = "erased"
    CONFLICT = "conflict"
    """Others changed the files meanwhile: what was done was put back."""


class ChangeAction(StrEnum):
    """What can be done with a change set."""

    APPLY = "apply"
    REVERT = "revert"
    DISCARD = "discard"


class Scope(StrEnum):
    """Which of the two memory roots: one for all projects, one for this project."""

    PROJECT = "project"
    USER = "user"


class Topic(StrEnum):
    """The ``type`` of a memory document."""

    FEEDBACK = "feedback"
    PROJECT = "project"
    REFERENCE = "reference"
    USER = "user"


class ContextMode(StrEnum):
    """Whether the agent sees what is remembered already (workspace) or nothing of it (clean)."""

    WORKSPACE = "workspace"
    CLEAN = "clean"
