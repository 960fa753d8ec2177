from __future__ import annotations

from contextlib import ExitStack

from hypothesis import given, settings
from hypothesis import strategies as st

from qmemd.events import Event, envelope
from qmemd.http.sse import HEARTBEAT, OPENING, EventStream, frame
from tests.http.sse import frames


class ScriptedReader:
    """Gives what was scripted: an event, or None for a time without one."""

    def __init__(self, *script: Event | None) -> None:
        self.stream_id, self.epoch = "s", "e"
        self.script = list(script)
        self.timeouts: list[float | None] = []
        self.closed = 0

    @property
    def ended(self) -> bool:
        return not self.script

    def take(self, timeout: float | None = None) -> Event | None:
        self.timeouts.append(timeout)
        return self.script.pop(0) if self.script else None

    def close(self) -> None:
        self.closed += 1
        self.script.clear()


def event(number: int | None) -> Event:
    body = b'{"v":1,"type":"memory_changed","data":{}}'
    return Event("memory_changed", body, number)


def test_a_frame_names_its_id_and_type_and_is_one_line_of_data() -> None:
    assert frame(event(7)) == (
        b'id: 7\nevent: memory_changed\ndata: {"v":1,"type":"memory_changed","data":{}}\n\n'
    )
    assert frame(event(None)).startswith(b"event: memory_changed\ndata: ")


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.dictionaries(st.text(), st.text()), st.text(), st.none() | st.integers(1, 2**53))
def test_no_text_ends_a_line_of_its_frame(
    data: dict[str, str], originator: str, number: int | None
) -> None:
    told = envelope("memory_changed", data, timestamp=1, event_id=number, originator=originator)
    rendered = frame(told)
    assert rendered.isascii()
    assert rendered.endswith(b"\n\n")
    assert len(rendered.splitlines()) == (3 if number is None else 4)
    [read] = frames(rendered)
    assert (read["data"], read["originatorClientId"], read.get("id")) == (data, originator, number)


def test_the_first_bytes_come_before_any_event() -> None:
    reader = ScriptedReader(event(1))
    body = iter(EventStream(reader, held=ExitStack()))
    assert next(body) == OPENING == b"retry: 3000\n\n"
    assert reader.timeouts == []
    assert frames(next(body)) == [{"v": 1, "type": "memory_changed", "data": {}}]
    assert list(body) == []


def test_silence_is_filled_with_comments() -> None:
    reader = ScriptedReader(None, event(1), None, None, event(2))
    body = b"".join(EventStream(reader, held=ExitStack()))
    parts = [OPENING, HEARTBEAT, frame(event(1)), HEARTBEAT, HEARTBEAT, frame(event(2))]
    assert body == b"".join(parts)
    assert set(reader.timeouts) == {15.0}


def test_where_the_server_cannot_tell_the_client_is_looked_after_every_second() -> None:
    there = iter([False] * 20 + [True])
    reader = ScriptedReader(*[None] * 40)
    body = list(EventStream(reader, held=ExitStack(), has_left=lambda: next(there)))
    assert body == [OPENING, HEARTBEAT]
    assert len(reader.timeouts) == 21
    assert set(reader.timeouts) == {1.0}


def test_closing_gives_everything_back_once_taken_or_not() -> None:
    given_back: list[int] = []
    held = ExitStack()
    held.callback(given_back.append, 1)
    reader = ScriptedReader(event(1))
    stream = EventStream(reader, held=held)
    stream.close()
    stream.close()
    assert given_back == [1]
    assert reader.closed == 2
    assert list(stream) == [OPENING]
