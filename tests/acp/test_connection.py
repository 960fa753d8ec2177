from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from qmemd.acp.connection import Call, PendingCalls, notification
from qmemd.acp.framing import FrameReader, encode
from qmemd.acp.messages import CallId, Request, Response, RpcError


def test_ids_count_up_from_zero() -> None:
    calls = PendingCalls()
    first, line = calls.start("initialize", {"protocolVersion": 1})
    second, _ = calls.start("m")
    assert (first, second) == (Call(0, "initialize"), Call(1, "m"))
    assert json.loads(line) == {
        "jsonrpc": "2.0",
        "id": 0,
        "method": "initialize",
        "params": {"protocolVersion": 1},
    }


def test_each_call_is_answered_once_and_in_any_order() -> None:
    calls = PendingCalls()
    first, second = calls.start("a")[0], calls.start("b")[0]
    assert calls.resolve(Response(1, error=RpcError(-1, "no"))) == second
    assert calls.resolve(Response(0, "x")) == first
    assert calls.resolve(Response(0, "again")) is None
    assert len(calls) == 0


def test_foreign_ids_answer_nothing() -> None:
    calls = PendingCalls()
    calls.start("a")
    for foreign in (1, "0", None):
        assert calls.resolve(Response(foreign, "x")) is None
    assert len(calls) == 1


def test_the_answer_to_an_abandoned_call_is_dropped() -> None:
    calls = PendingCalls()
    call, _ = calls.start("a")
    assert calls.abandon(call)
    assert not calls.abandon(call)
    assert calls.resolve(Response(0, "late")) is None


def test_a_lost_pipe_ends_all_calls() -> None:
    calls = PendingCalls()
    started = [calls.start(method)[0] for method in "abc"]
    calls.resolve(Response(1))
    assert calls.fail_all() == (started[0], started[2])
    assert calls.fail_all() == ()


def test_a_notification_has_no_id() -> None:
    line = notification("$/cancel_request", {"id": 3, "requestId": 3})
    assert json.loads(line) == {
        "jsonrpc": "2.0",
        "method": "$/cancel_request",
        "params": {"id": 3, "requestId": 3},
    }


IDS = st.integers(-1, 6) | st.sampled_from(["0", "1", "", None, 2**70])
ACTS = st.sampled_from(["start", "start", "answer", "answer", "abandon", "lose"])


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.lists(st.tuples(ACTS, IDS), max_size=40))
def test_each_call_ends_once_whatever_the_other_end_answers(acts: list[tuple[str, CallId]]) -> None:
    calls = PendingCalls()
    open_calls: dict[CallId, Call] = {}
    made: list[Call] = []
    for act, call_id in acts:
        if act == "start":
            call, line = calls.start("m", {"n": len(made)})
            assert FrameReader().feed(line) == [Request(call.id, "m", {"n": len(made)})]
            open_calls[call.id] = call
            made.append(call)
        elif act == "answer":
            [answer] = FrameReader().feed(encode(Response(call_id, "x")))
            assert isinstance(answer, Response)
            assert calls.resolve(answer) == open_calls.pop(call_id, None)
        elif act == "abandon" and made:
            call = made[-1]
            assert calls.abandon(call) == (open_calls.pop(call.id, None) is not None)
        elif act == "lose":
            assert calls.fail_all() == tuple(open_calls.values())
            open_calls.clear()
        assert len(calls) == len(open_calls)
    assert [call.id for call in made] == list(range(len(made)))
