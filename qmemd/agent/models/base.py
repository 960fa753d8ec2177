"""What the agent asks of a model, and the plain data that goes in and comes out.

A model sees a *conversation*: messages and tool schemas, and a *brief* that says the same as data.
A language model reads the messages; a model that works by rules may read the brief. Either way it
only ever answers with text and tool calls, and code decides what becomes of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

from qmemd.agent.run import Run
from qmemd.kinds import ContextMode, Scope
from qmemd.memory.entries import Entry

Role = Literal["system", "user", "assistant", "tool"]


@dataclass(frozen=True, slots=True)
class ToolSchema:
    """A tool that the model may call."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    """JSON Schema of the arguments object."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call that the model wants made."""

    call_id: str
    """Unique within the conversation; the tool's message carries it back."""
    name: str
    arguments: Mapping[str, Any]
    """As the model gave them: unchecked."""


@dataclass(frozen=True, slots=True)
class Message:
    """One turn's worth of text."""

    role: Role
    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    """Only of the assistant."""
    call_id: str | None = None
    """Only of a tool: the call that this answers."""
    failed: bool = False
    """Only of a tool: the call was refused, and ``text`` says why."""


@dataclass(frozen=True, slots=True)
class RememberBrief:
    """The job of a remember run."""

    fact: str
    """What the user typed: data, never an instruction."""
    scope: Scope | None
    """Where it must go; None leaves the choice to the model."""
    mode: ContextMode
    user_root: Path
    """Absolute path of the user's memory directory; it may not exist yet."""
    project_root: Path
    """Absolute path of the project's memory directory; it may not exist yet."""


@dataclass(frozen=True, slots=True)
class DuplicateGroup:
    """Entries of one scope and type whose texts are equal after normalising."""

    keep: Entry
    """The one that stays."""
    extra: tuple[Entry, ...]
    """The ones that may go; never pinned, never empty."""


@dataclass(frozen=True, slots=True)
class DreamBrief:
    """The job of a dream run."""

    user_root: Path
    project_root: Path
    duplicates: tuple[DuplicateGroup, ...]
    """Found by code; empty when there is nothing to merge."""


Brief = RememberBrief | DreamBrief


@dataclass(frozen=True, slots=True)
class Conversation:
    """All that a model sees when it is asked for its next turn."""

    brief: Brief
    messages: tuple[Message, ...]
    """Oldest first; ends with the user's or a tool's message."""
    tools: tuple[ToolSchema, ...]


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's turn. Without tool calls it is the last one, and ``text`` is its summary."""

    text: str
    tool_calls: tuple[ToolCall, ...] = ()


@dataclass(frozen=True, slots=True)
class Choice:
    """Which entries a forget query names."""

    ids: tuple[str, ...]
    """``Entry.entry_id`` of each; empty when the model is not sure."""
    reason: str
    """One sentence for the user; without a match it may name the nearest candidates."""
    candidates: tuple[str, ...] = ()
    """Ids that were near but not near enough, best first."""


class Model(Protocol):
    """Anything that can take the next turn of a conversation."""

    @property
    def name(self) -> str:
        """For the record in change sets, e.g. ``offline``."""
        ...

    @property
    def stays_local(self) -> bool:
        """Nothing that it is shown leaves this process: it may see all there is, secrets too.

        Any other model is shown so much and no more, and no secret unless that is allowed.
        """
        ...

    def respond(self, conversation: Conversation, run: Run) -> Reply:
        """The next turn. Ends early, by ``run.check()``, when the run has to stop.

        Raises:
            TaskFailedError: the model could not be asked, or the run has to stop.
        """
        ...

    def choose(self, query: str, candidates: Sequence[Entry], run: Run) -> Choice:
        """Picks the entries that ``query`` asks to forget.

        Raises:
            TaskFailedError: the model could not be asked, or the run has to stop.
        """
        ...
