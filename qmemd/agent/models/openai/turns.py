"""A conversation in the form of chat completions, and back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import count
from typing import Any

from qmemd.agent.models.base import Conversation, Message, Reply, ToolCall, ToolSchema
from qmemd.agent.models.openai.completion import Completion


def request_of(conversation: Conversation) -> dict[str, Any]:
    """The messages and tools of a request."""
    request: dict[str, Any] = {"messages": [_message(each) for each in conversation.messages]}
    if conversation.tools:
        request["tools"] = [tool_of(schema) for schema in conversation.tools]
    return request


def tool_of(schema: ToolSchema) -> dict[str, Any]:
    """A tool as an endpoint is told about it."""
    return {
        "type": "function",
        "function": {
            "name": schema.name,
            "description": schema.description,
            "parameters": schema.parameters,
        },
    }


def reply_of(completion: Completion, conversation: Conversation) -> Reply:
    """The model's turn. Calls get ids of their own where theirs are missing or used already.

    Arguments stay what the model made of them: the tools refuse what is no object.
    """
    used = {call.call_id for message in conversation.messages for call in message.tool_calls}
    calls = []
    # Counted over all of them: an answer may hold a hundred thousand calls without ids.
    numbers = count(1)
    for made in completion.calls:
        call_id = made.call_id
        while not call_id or call_id in used:
            call_id = f"{made.call_id or 'call'}-{next(numbers)}"
        used.add(call_id)
        calls.append(ToolCall(call_id, made.name, made.arguments))
    return Reply(completion.text, tuple(calls))


def _message(message: Message) -> dict[str, Any]:
    if message.role == "tool":
        text = f"Error: {message.text}" if message.failed else message.text
        return {"role": "tool", "tool_call_id": message.call_id, "content": text}
    if not message.tool_calls:
        return {"role": message.role, "content": message.text}
    return {
        "role": message.role,
        # An empty text beside calls is refused by some.
        "content": message.text or None,
        "tool_calls": [_call(call) for call in message.tool_calls],
    }


def _call(call: ToolCall) -> dict[str, Any]:
    # Endpoints read the arguments again and fail on what is no object, so the model does not get
    # its own mistake back; the tool's answer says what was wrong.
    arguments = call.arguments if isinstance(call.arguments, Mapping) else {}
    return {
        "id": call.call_id,
        "type": "function",
        "function": {"name": call.name or "unknown", "arguments": json.dumps(arguments)},
    }
