"""What a run has asked for and got so far, read off the conversation's messages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from qmemd.agent.models.base import Conversation, Message, Reply, ToolCall


@dataclass(frozen=True, slots=True)
class Step:
    """One tool call with its answer."""

    call: ToolCall
    answer: Message | None
    """None when the conversation holds no answer to it."""

    @property
    def text(self) -> str | None:
        """What the tool said; None when it was refused or never answered."""
        return None if self.answer is None or self.answer.failed else self.answer.text


class Steps:
    """All calls of a conversation, oldest first, and the means to make the next ones."""

    def __init__(self, conversation: Conversation) -> None:
        answers = {
            message.call_id: message for message in conversation.messages if message.role == "tool"
        }
        turns = [message for message in conversation.messages if message.role == "assistant"]
        self.turns = len(turns)
        self.all = tuple(
            Step(call, answers.get(call.call_id)) for turn in turns for call in turn.tool_calls
        )

    def of(self, name: str) -> list[Step]:
        """The calls of one tool."""
        return [step for step in self.all if step.call.name == name]

    def ask(self, *calls: tuple[str, Mapping[str, Any]]) -> Reply:
        """A turn that makes these calls."""
        first = len(self.all) + 1
        return Reply(
            text="",
            tool_calls=tuple(
                ToolCall(f"call-{number}", name, arguments)
                for number, (name, arguments) in enumerate(calls, first)
            ),
        )
