from __future__ import annotations

from pathlib import Path

from qmemd.agent.loop import MAX_CALLS_A_TURN, run_agent
from qmemd.agent.models.base import Conversation, Message, RememberBrief, ToolCall
from qmemd.agent.run import Run
from qmemd.agent.scope import MemoryScope
from qmemd.agent.tools import Tools
from qmemd.agent.view import DraftView
from qmemd.kinds import ContextMode, Scope, TaskKind
from qmemd.memory.draft import Draft
from qmemd.memory.paths import MemoryPaths
from tests.agent.scripted import ScriptedModel, calls


def start(paths: MemoryPaths, model: ScriptedModel) -> str:
    brief = RememberBrief("A fact.", None, ContextMode.WORKSPACE, Path("/u"), Path("/p"))
    tools = Tools(DraftView(paths, Draft(paths)), MemoryScope(paths, list(Scope)))
    opening = (Message("system", "Keep facts."), Message("user", "A fact."))
    run = Run("t", TaskKind.REMEMBER, None, "/w", deadline=60.0, clock=lambda: 0.0)
    return run_agent(model, Conversation(brief, opening, tools.schemas), tools, run)


def test_a_reply_without_calls_ends_the_run_with_its_text(paths: MemoryPaths) -> None:
    assert start(paths, ScriptedModel()) == "Saved."


def test_each_call_is_answered_under_its_id_and_in_order(paths: MemoryPaths) -> None:
    listing = ("ls", {"path": str(paths.user.path)})
    model = ScriptedModel([calls(listing, ("nonsense", {})), calls(listing)])
    start(paths, model)
    roles = [message.role for message in model.heard[-1].messages]
    assert roles == ["system", "user", "assistant", "tool", "tool", "assistant", "tool"]
    asked, first, second = model.heard[1].messages[2:]
    assert [call.call_id for call in asked.tool_calls] == [first.call_id, second.call_id]
    assert (first.text, first.failed) == ("(empty)", False)
    assert second.failed
    assert {schema.name for schema in model.heard[0].tools} == {
        "read_file",
        "ls",
        "grep",
        "write_file",
        "edit",
    }


def test_a_flood_of_calls_is_cut_and_every_call_still_answered(paths: MemoryPaths) -> None:
    flood = calls(*[("ls", {"path": "/"})] * (MAX_CALLS_A_TURN + 5))
    model = ScriptedModel([flood])
    start(paths, model)
    answers = [message for message in model.heard[-1].messages if message.role == "tool"]
    assert len(answers) == MAX_CALLS_A_TURN + 5
    assert "Too many" in answers[-1].text
    assert "Too many" not in answers[MAX_CALLS_A_TURN - 1].text


def test_the_arguments_of_a_model_are_never_trusted(paths: MemoryPaths) -> None:
    odd = ToolCall("x", "read_file", None)  # type: ignore[arg-type]
    reply = calls()
    model = ScriptedModel([type(reply)("", (odd,))])
    assert start(paths, model) == "Saved."
    assert model.answers == ["The arguments must be one object."]
