"""What is sent, and what is made of each kind of answer."""

from __future__ import annotations

import json

import pytest

from qmemd.agent.models.base import Message, ToolCall
from tests.agent.models.openai.conftest import KEY, SECRET_FACT, MakeBench
from tests.fakes.endpoint import Called, Says, answers, calls, says


@pytest.mark.parametrize("streams", [True, False])
def test_a_text(at: MakeBench, streams: bool) -> None:
    bench = at(says("Saved, all of it."), streams=streams)
    run = bench.run()
    reply = bench.respond(run=run)
    assert (reply.text, reply.tool_calls) == ("Saved, all of it.", ())
    assert (run.usage.model_calls, run.usage.input_tokens, run.usage.output_tokens) == (1, 100, 20)


@pytest.mark.parametrize("streams", [True, False])
def test_tool_calls(at: MakeBench, streams: bool) -> None:
    bench = at(calls(("ls", {"path": "/u/é"}), ("ls", {"path": "/p"})), streams=streams)
    assert bench.respond().tool_calls == (
        ToolCall("call_a0", "ls", {"path": "/u/é"}),
        ToolCall("call_a1", "ls", {"path": "/p"}),
    )


def test_the_request(at: MakeBench) -> None:
    bench = at(says("Done."))
    bench.respond()
    asked = bench.endpoint.asked[0]
    assert asked.target == "/v1/chat/completions"
    assert asked.headers["authorization"] == f"Bearer {KEY}"
    assert asked.headers["accept-encoding"] == "identity"
    assert asked.body == {
        "model": "scripted",
        "messages": [
            {"role": "system", "content": "Keep facts."},
            {"role": "user", "content": SECRET_FACT},
        ],
        "tools": [
            {
                "type": "function",
                "function": {
                    "name": "ls",
                    "description": "Lists.",
                    "parameters": {"type": "object", "properties": {"path": {"type": "string"}}},
                },
            }
        ],
        "temperature": 0,
        "stream": True,
        "stream_options": {"include_usage": True},
    }


def test_without_a_key_no_header_is_sent(at: MakeBench) -> None:
    bench = at(says("Done."))
    bench.key = None
    bench.respond()
    assert "authorization" not in bench.endpoint.asked[0].headers


def test_what_was_said_and_answered_goes_back(at: MakeBench) -> None:
    bench = at(says("Done."))
    made = (ToolCall("a", "ls", {"path": "/u"}), ToolCall("b", "fly", "no object"))  # type: ignore[arg-type]
    bench.respond(
        Message("assistant", "", tool_calls=made),
        Message("tool", "(empty)", call_id="a"),
        Message("tool", "There is no such tool.", call_id="b", failed=True),
    )
    asked, first, second = bench.bodies[0]["messages"][2:]
    assert asked["content"] is None
    assert [call["id"] for call in asked["tool_calls"]] == ["a", "b"]
    sent = [json.loads(call["function"]["arguments"]) for call in asked["tool_calls"]]
    assert sent == [{"path": "/u"}, {}]
    assert first == {"role": "tool", "tool_call_id": "a", "content": "(empty)"}
    assert second["content"] == "Error: There is no such tool."


@pytest.mark.parametrize("streams", [True, False])
@pytest.mark.parametrize("wrong", ["{", "", "[1]", "null", '"x"', "[" * 20_000, "9" * 5000])
def test_arguments_that_are_no_object_are_left_to_the_tools(
    at: MakeBench, streams: bool, wrong: str
) -> None:
    call = at(calls(("ls", wrong)), streams=streams).respond().tool_calls[0]
    assert call.name == "ls"
    assert not isinstance(call.arguments, dict) or call.arguments == {}


@pytest.mark.parametrize("streams", [True, False])
def test_calls_without_ids_and_with_used_ones_get_their_own(at: MakeBench, streams: bool) -> None:
    made = (Called("ls", {}, call_id=None), Called("ls", {}, call_id=None))
    bench = at(Says(calls=made), streams=streams)
    first = bench.respond().tool_calls
    assert len({call.call_id for call in first}) == 2
    later = bench.respond(Message("assistant", "", tool_calls=first)).tool_calls
    assert len({call.call_id for call in (*first, *later)}) == 4
    bench.endpoint.then(calls(("ls", {})))
    same = bench.respond(Message("assistant", "", tool_calls=(ToolCall("call_a0", "ls", {}),)))
    assert same.tool_calls[0].call_id != "call_a0"


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"\xff",
        b"[]",
        b"null",
        b"{}",
        b'{"choices": []}',
        b'{"choices": [{"message": "x"}]}',
        b"[" * 100_000,
        b"<html>Welcome to the router</html>",
        b"data: {broken\n\n",
        b"data: [1]\n\n",
        b"data: [DONE]\n\n",
        b"",
    ],
)
@pytest.mark.parametrize("kind", ["application/json", "text/event-stream", "text/html"])
def test_what_is_no_completion_fails_the_run(at: MakeBench, body: bytes, kind: str) -> None:
    bench = at(answers(body, kind))
    assert "no chat completion" in bench.failure()
    assert len(bench.endpoint.asked) == 1


@pytest.mark.parametrize(
    "body",
    [
        {"choices": [{"message": {"content": [{"type": "text", "text": "Do"}, {"text": "ne."}]}}]},
        {"choices": [{"message": {"content": "Done.", "tool_calls": None}}], "usage": None},
        {"choices": [{"message": {"content": "Done."}}], "usage": {"prompt_tokens": "many"}},
        {"choices": [{"message": {"content": "Done.", "tool_calls": []}}], "error": None},
    ],
)
def test_answers_that_differ_in_what_does_not_matter(at: MakeBench, body: object) -> None:
    bench = at(answers(json.dumps(body).encode()))
    run = bench.run()
    assert bench.respond(run=run).text == "Done."
    assert run.usage.input_tokens > 50  # an estimate


def test_odd_calls_are_calls_that_the_tools_refuse(at: MakeBench) -> None:
    odd = [None, {"function": None}, {"id": 3, "function": {"name": 4, "arguments": {"path": 1}}}]
    message = {"choices": [{"message": {"content": None, "tool_calls": odd}}]}
    made = at(answers(json.dumps(message).encode())).respond().tool_calls
    assert [call.name for call in made] == ["", "", ""]
    assert made[2].arguments == {"path": 1}


def test_a_server_that_ends_its_lines_and_stream_in_its_own_way(at: MakeBench) -> None:
    body = (
        b": ping\r\nevent: x\r\n"
        b'data:{"choices":[{"delta":{"content":"Do"}}]}\r\n\r\n'
        b'data: {"choices":[{"delta":{"content":"ne."},"finish_reason":"stop"}]}'
    )
    assert at(answers(body, "text/event-stream; charset=utf-8")).respond().text == "Done."


def test_calls_in_a_stream_that_numbers_none_of_them(at: MakeBench) -> None:
    deltas = [
        {"id": "a", "function": {"name": "ls", "arguments": '{"path"'}},
        {"function": {"arguments": ': "/u"}'}},
        {"id": "b", "function": {"name": "ls", "arguments": {"path": "/p"}}},
    ]
    events = [{"choices": [{"delta": {"tool_calls": [delta]}}]} for delta in deltas]
    body = b"".join(b"data: " + json.dumps(event).encode() + b"\n\n" for event in events)
    made = at(answers(body + b"data: [DONE]\n\n", "text/event-stream")).respond().tool_calls
    assert [(call.call_id, call.arguments) for call in made] == [
        ("a", {"path": "/u"}),
        ("b", {"path": "/p"}),
    ]


def test_an_endpoint_that_does_not_count_is_estimated(at: MakeBench) -> None:
    bench = at(says("word " * 40), counts=False)
    run = bench.run()
    bench.respond(run=run)
    assert run.usage.input_tokens == -(-len(bench.endpoint.asked[0].raw) // 4)
    assert run.usage.output_tokens == 50
