"""The agent loop: ask the model, carry out its tool calls, ask again, until it only talks."""

from __future__ import annotations

import logging
from dataclasses import replace

from qmemd.agent.models.base import Conversation, Message, Model, ToolCall
from qmemd.agent.run import MAX_TURNS, Run
from qmemd.agent.scope import ToolRefusedError
from qmemd.agent.tools import Tools

_log = logging.getLogger(__name__)

MAX_CALLS_A_TURN = 1000
MAX_ANSWERED = 2 * MAX_CALLS_A_TURN
"""Calls of one turn that are answered at all; of more nothing is kept, for each costs memory."""


def run_agent(
    model: Model, conversation: Conversation, tools: Tools, run: Run, *, max_turns: int = MAX_TURNS
) -> str:
    """The model's last text, once a turn of it asks for no tool.

    What was refused goes back to the model as the call's answer; it never ends the run.

    Raises:
        TaskFailedError: out of turns, out of time, cancelled, or the model failed.
    """
    for _ in range(max_turns):
        run.check()
        reply = model.respond(conversation, run)
        run.check()
        if not reply.tool_calls:
            return reply.text
        made = reply.tool_calls[:MAX_ANSWERED]
        answers = [_answer(call, tools, run) for call in made[:MAX_CALLS_A_TURN]]
        answers += [
            Message("tool", "Too many calls in one turn.", call_id=call.call_id, failed=True)
            for call in made[MAX_CALLS_A_TURN:]
        ]
        asked = Message("assistant", reply.text, tool_calls=made)
        conversation = replace(conversation, messages=(*conversation.messages, asked, *answers))
    raise run.failed(f"The agent did not come to an end within {max_turns} turns.")


def _answer(call: ToolCall, tools: Tools, run: Run) -> Message:
    run.check()
    try:
        return Message("tool", tools.call(call), call_id=call.call_id)
    except ToolRefusedError as error:
        _log.info("the tool %.40r refused a call", call.name)
        return Message("tool", str(error), call_id=call.call_id, failed=True)
