from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from qmemd.agent.models.openai.stream import StreamReader, lines

BODY = (
    b': hi\r\n\r\ndata: {"choices":[{"delta":{"content":"Gr\xc3\xbc\xc3\x9fe \\n"}}]}\n\n'
    b'data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":'
    b'{"name":"ls","arguments":"{\\"path\\": \\"/u\\"}"}}]}}]}\r\n\r\n'
    b'data: {"choices":[{"delta":{},"finish_reason":"tool_calls"}]}\n\n'
    b'data: {"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":3}}\n\ndata: [DONE]\n\n'
)


def pieces(body: bytes, cuts: list[int]) -> list[bytes]:
    places = [0, *sorted(cuts), len(body)]
    return [body[start:end] for start, end in pairwise(places)]


@given(st.lists(st.integers(0, len(BODY)), max_size=30))
def test_it_does_not_matter_how_the_network_cuts_a_stream(cuts: list[int]) -> None:
    assert StreamReader("m").read(pieces(BODY, cuts)) == StreamReader("m").read([BODY])
    whole = StreamReader("m").read([BODY])
    assert whole.text == "Grüße \n"
    assert whole.calls[0].arguments == {"path": "/u"}
    assert whole.tokens == (7, 3)


@given(st.binary(max_size=200), st.lists(st.integers(0, 200), max_size=10))
def test_lines(data: bytes, cuts: list[int]) -> None:
    found = list(lines(pieces(data, [min(cut, len(data)) for cut in cuts])))
    assert found == list(lines([data]))
    expected = [line.rstrip(b"\r") for line in data.split(b"\n")]
    assert found == (expected if not data.endswith(b"\n") and data else expected[:-1])
