"""What an endpoint refuses: told in clear words, or asked for in a plainer way."""

from __future__ import annotations

from typing import Any

import pytest

from tests.agent.models.openai.conftest import SECRET_FACT, MakeBench
from tests.fakes.endpoint import Wire, answers, fails, says

TOO_LONG = [
    {"code": "context_length_exceeded", "message": "This model's maximum context length is 4096"},
    {"code": 400, "message": "the request exceeds the available context size", "type": "x"},
    {"message": "Range of input length should be [1, 30720]"},
    {"message": "prompt is too long: 210000 tokens > 200000 maximum"},
]
NO_MODEL: list[Any] = [
    {"code": "model_not_found", "message": "The model `x` does not exist"},
    'model "scripted" not found, try pulling it first',
    {"message": "Unknown model: scripted"},
]


@pytest.mark.parametrize(
    ("status", "reason", "said"),
    [
        (401, "Incorrect API key provided: key-of-the-test-0123456789", "refused the key"),
        (403, "no", "refused the key"),
        *((404, reason, "does not know the model 'scripted'") for reason in NO_MODEL),
        (400, NO_MODEL[0], "does not know the model 'scripted'"),
        (404, "page not found", "usually ends in /v1"),
        (405, "no", "usually ends in /v1"),
        *((400, reason, "longer than the model's context") for reason in TOO_LONG),
        (413, "no", "longer than the model's context"),
        (400, {"message": "x does not support tools"}, "takes no tools"),
        (402, {"message": "Insufficient Balance"}, "quota"),
        (301, "no", "redirects (HTTP 301)"),
        (307, "no", "redirects (HTTP 307)"),
        (418, SECRET_FACT, "refused the request (HTTP 418)"),
        (204, "no", "refused the request (HTTP 204)"),
    ],
)
def test_what_somebody_has_to_put_right(at: MakeBench, status: int, reason: Any, said: str) -> None:
    bench = at(fails(status, reason, Location="http://127.0.0.1:1/"))
    assert said in bench.failure()
    assert len(bench.endpoint.asked) == 1
    assert bench.pauses == []


def test_an_error_with_status_200(at: MakeBench) -> None:
    bench = at(answers(b'{"error": {"code": 401, "message": "no"}}'))
    assert "refused the key" in bench.failure()
    body = b'data: {"error": {"code": 404, "message": "Unknown model: x"}}\n\n'
    bench.endpoint.then(answers(body, "text/event-stream"))
    assert "does not know the model" in bench.failure()


def test_an_error_in_the_middle_of_a_stream_may_pass(at: MakeBench) -> None:
    def breaks(wire: Wire) -> None:
        wire.open_stream()
        wire.delta(content="Do")
        wire.event(error={"message": "overloaded"})

    bench = at(breaks, says("Done."))
    assert bench.respond().text == "Done."


@pytest.mark.parametrize(
    ("refused", "kept"),
    [
        (("stream_options",), {"stream", "temperature"}),
        (("temperature",), {"stream", "stream_options"}),
        (("stream",), {"temperature"}),
        (("stream_options", "temperature"), {"stream"}),
        (("stream", "temperature"), set()),
    ],
)
def test_what_the_endpoint_does_not_take_is_left_out_from_then_on(
    at: MakeBench, refused: tuple[str, ...], kept: set[str]
) -> None:
    bench = at(says("Done."), refuses=refused)
    run = bench.run()
    assert bench.respond(run=run).text == "Done."
    assert bench.pauses == []
    assert run.usage.model_calls == 1
    asked = len(bench.bodies)
    assert bench.respond().text == "Done."
    assert len(bench.bodies) == asked + 1
    optional = {"stream", "stream_options", "temperature"}
    assert optional.intersection(bench.bodies[-1]) == kept


def test_an_endpoint_that_says_nothing_gets_one_plain_request(at: MakeBench) -> None:
    bench = at(fails(400, "Bad request"), says("Done."))
    assert bench.respond().text == "Done."
    assert set(bench.bodies[-1]) == {"model", "messages", "tools"}
    assert bench.respond().text == "Done."
    assert len(bench.bodies) == 3


def test_what_was_refused_for_another_reason_is_sent_again_later(at: MakeBench) -> None:
    bench = at(fails(422, "I do not like this"))
    assert "refused the request (HTTP 422)" in bench.failure()
    assert len(bench.bodies) == 2
    bench.endpoint.then(says("Done."))
    bench.respond()
    assert bench.bodies[-1]["stream"] is True


def test_a_whole_answer_where_a_stream_was_asked_for(at: MakeBench) -> None:
    bench = at(says("Done."), streams=False)
    assert bench.respond().text == "Done."
    assert len(bench.bodies) == 1
