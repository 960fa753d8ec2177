from __future__ import annotations

import socket
import threading
import time

import pytest

from qmemd.client.errors import RequestRefusedError, StreamFailedError, UnexpectedAnswerError
from qmemd.client.stream import EventStream
from qmemd.client.transport import Transport
from tests.client.scripted import Act, ScriptedServer, answer, drip, event, stream


def listening(server: ScriptedServer, silence: float = 10, **more: object) -> EventStream:
    transport = Transport(server.url, "t", None, 10)
    return EventStream(
        transport,
        "/events",
        silence=silence,
        first_pause=0.001,
        **more,  # type: ignore[arg-type]
    )


def test_it_comes_back_with_its_last_id_and_epoch() -> None:
    acts = (
        stream("retry: 0", event(1), event(2), epoch="e1"),
        stream(event(None, "replay_complete"), event(3), epoch="e2"),
        stream(event(4, "session_closed"), epoch="e2"),
    )
    with ScriptedServer(*acts) as server, listening(server) as events:
        seen = list(events)
    assert [e.event_id or e.type for e in seen] == [1, 2, "replay_complete", 3, 4]
    assert [server.header(n, "Last-Event-ID") for n in range(3)] == [None, "2", "3"]
    assert [server.header(n, "X-Qwen-Event-Epoch") for n in range(3)] == [None, "e1", "e2"]
    assert (events.last_event_id, events.epoch) == (4, "e2")


def test_who_comes_back_without_an_id_is_told_that_something_may_be_missing() -> None:
    acts = (stream("retry: 0"), stream(event(1, "session_closed")))
    with ScriptedServer(*acts) as server, listening(server) as events:
        missed, closed = list(events)
    assert (missed.type, missed.data["reason"]) == ("state_resync_required", "no_cursor")
    assert closed.event_id == 1


def test_it_begins_where_one_says() -> None:
    with ScriptedServer(stream(event(8, "session_closed"))) as server:
        assert len(list(listening(server, last_event_id=7))) == 1
        assert server.header(0, "Last-Event-ID") == "7"
        assert server.header(0, "Accept") == "text/event-stream"


def test_half_an_event_at_the_end_is_not_an_event() -> None:
    acts = (stream(event(1)) + b'data: {"v":1', stream(event(2, "session_closed")))
    with ScriptedServer(*acts) as server, listening(server) as events:
        assert [e.event_id for e in events] == [1, 2]


def test_what_is_no_envelope_is_passed_over() -> None:
    blocks = (
        ": heartbeat",
        "data: {",
        "data: []",
        *(f'data: {{"v":{v},"type":"x"}}' for v in (2, "true")),
        event(1),
    )
    acts = (stream(*blocks, event(2, "session_closed")),)
    with ScriptedServer(*acts) as server, listening(server) as events:
        assert [e.event_id for e in events] == [1, 2]


def test_a_stream_that_is_too_long_silent_is_given_up() -> None:
    quiet = threading.Event()

    def silent(connection: socket.socket) -> None:
        connection.sendall(stream("retry: 0", event(1)))
        quiet.wait(10)

    # Those who gave up waiting behind the silent one are answered too.
    acts = [silent, *[stream(event(2, "session_closed"))] * 100]
    with ScriptedServer(*acts) as server:
        events = listening(server, silence=0.05)
        assert next(events).event_id == 1
        threading.Timer(0.2, quiet.set).start()
        assert next(events).event_id == 2
        events.close()


@pytest.mark.parametrize("status", [429, 503])
def test_a_daemon_that_is_busy_is_asked_again(status: int) -> None:
    busy = answer(status, {"error": "Busy.", "code": "daemon_busy"})
    with ScriptedServer(busy, stream(event(1, "session_closed"))) as server:
        assert len(list(listening(server))) == 1


@pytest.mark.parametrize("status", [400, 401, 404])
def test_a_refusal_ends_it(status: int) -> None:
    act = answer(status, {"error": "No.", "code": "session_not_found"})
    with ScriptedServer(act) as server, pytest.raises(RequestRefusedError) as refused:
        next(listening(server))
    assert (refused.value.status, refused.value.code) == (status, "session_not_found")


def test_what_is_no_stream() -> None:
    with ScriptedServer(answer(200, {})) as server, pytest.raises(UnexpectedAnswerError):
        next(listening(server))


def test_closing_wakes_a_thread_that_reads() -> None:
    reading, end = threading.Event(), threading.Event()

    def silent(connection: socket.socket) -> None:
        connection.sendall(stream(event(1)))
        reading.set()
        end.wait(10)

    with ScriptedServer(silent) as server, listening(server) as events:
        seen: list[int | None] = []
        reader = threading.Thread(target=lambda: seen.extend(e.event_id for e in events))
        reader.start()
        assert reading.wait(10)
        while not seen:
            threading.Event().wait(0.001)
        events.close()
        events.close()
        reader.join(5)
        assert not reader.is_alive()
        end.set()
    assert seen == [1]


def test_closing_lets_go_of_the_connection() -> None:
    left = threading.Event()

    def act(connection: socket.socket) -> None:
        connection.sendall(stream(event(1)))
        if connection.recv(1) == b"":
            left.set()

    with ScriptedServer(act) as server:
        events = listening(server)
        assert next(events).event_id == 1
        opened = events._socket
        events.close()
        assert left.wait(10)
    assert opened is not None
    assert opened.fileno() == -1


def test_closing_before_the_first_event_and_while_it_rests() -> None:
    with ScriptedServer() as server:
        events = listening(server)
        events.close()
        assert list(events) == []
    nobody = EventStream(Transport(server.url, None, None, 10), "/x", first_pause=30)
    reader = threading.Thread(target=lambda: list(nobody))
    reader.start()
    nobody.close()
    reader.join(5)
    assert not reader.is_alive()


def test_closing_wakes_a_thread_that_shakes_hands() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(10)
        url = f"https://127.0.0.1:{listener.getsockname()[1]}"
        events = EventStream(Transport(url, None, None, 30), "/x", first_pause=0.001)
        reader = threading.Thread(target=lambda: list(events))
        reader.start()
        connected, _ = listener.accept()
        with connected:
            assert connected.recv(1) != b""  # the handshake has begun, and is not answered
            events.close()
            reader.join(5)
            assert not reader.is_alive()


def test_what_had_come_before_it_was_closed_is_not_given_any_more() -> None:
    with ScriptedServer(stream(*[event(number) for number in range(1, 6)])) as server:
        with listening(server) as events:
            seen = []
            for each in events:
                seen.append(each.event_id)
                events.close()
        assert (seen, events.last_event_id) == ([1], 1)


def test_who_was_evicted_comes_back_for_the_rest() -> None:
    evicted = event(None, "client_evicted", {"reason": "queue_overflow"})
    acts = (stream("retry: 0", event(3), evicted), stream(event(4), event(5, "session_closed")))
    with ScriptedServer(*acts) as server, listening(server) as events:
        assert [e.event_id or e.type for e in events] == [3, "client_evicted", 4, 5]
    assert server.header(1, "Last-Event-ID") == "3"


def test_a_head_that_comes_byte_by_byte_is_given_up() -> None:
    acts: list[bytes | Act] = [drip(stream(event(1))), *[stream(event(2, "session_closed"))] * 100]
    with ScriptedServer(*acts) as server, listening(server, silence=0.1) as events:
        assert [e.event_id for e in events] == [2]


def test_an_id_of_another_epoch_is_not_taken_for_one_of_this() -> None:
    acts = (
        stream("retry: 0", event(4), epoch="e1"),
        stream("retry: 0", event(None, "state_resync_required"), epoch="e2"),
        stream(event(1), event(2, "session_closed"), epoch="e2"),
    )
    with ScriptedServer(*acts) as server, listening(server) as events:
        assert [e.event_id for e in events] == [4, None, 1, 2]
    assert (server.header(2, "Last-Event-ID"), server.header(2, "X-Qwen-Event-Epoch")) == (
        "0",
        "e2",
    )


def test_the_daemon_may_say_so_where_no_epoch_comes_through() -> None:
    reset = event(None, "state_resync_required", {"reason": "epoch_reset"})
    acts = (stream("retry: 0", reset), stream(event(1, "session_closed")))
    with ScriptedServer(*acts) as server, listening(server, last_event_id=900) as events:
        assert len(list(events)) == 2
    assert [server.header(n, "Last-Event-ID") for n in range(2)] == ["900", "0"]


def rest(*acts: bytes) -> float:
    """Seconds that a stream took for these."""
    with ScriptedServer(*acts) as server, listening(server) as events:
        begun = time.monotonic()
        list(events)
        return time.monotonic() - begun


def test_it_does_not_come_back_before_the_stream_wants_it_to() -> None:
    assert rest(stream("retry: 250", event(1)), stream(event(2, "session_closed"))) >= 0.25
    # What the first said still holds after a second that said nothing.
    silent = stream(event(2))
    assert rest(stream("retry: 120"), silent, stream(event(3, "session_closed"))) >= 0.24


def test_it_does_not_come_back_before_a_refusal_wants_it_to() -> None:
    busy = answer(429, {"error": "Full.", "code": "subscriber_limit_exceeded"}, Retry_After="0.25")
    assert rest(busy, stream(event(1, "session_closed"))) >= 0.25


def test_a_proxy_without_its_daemon_is_asked_again() -> None:
    page = b"HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/html\r\nContent-Length: 3\r\n\r\n<p>"
    with ScriptedServer(page, stream(event(1, "session_closed"))) as server:
        assert len(list(listening(server))) == 1


def test_entering_its_block_connects() -> None:
    accepted = threading.Event()

    def act(connection: socket.socket) -> None:
        accepted.set()
        connection.sendall(stream(event(1, "session_closed")))

    with ScriptedServer(act) as server, listening(server) as events:
        assert accepted.wait(10)
        assert len(list(events)) == 1
        assert len(server.requests) == 1


def test_a_refusal_is_told_on_entering() -> None:
    act = answer(404, {"error": "No.", "code": "session_not_found"})
    with (
        ScriptedServer(act) as server,
        pytest.raises(RequestRefusedError, match="No"),
        listening(server),
    ):
        pass


def test_a_redirect_is_not_followed() -> None:
    act = answer(307, None, Location="http://127.0.0.1:1/")
    with ScriptedServer(act) as server, pytest.raises(UnexpectedAnswerError) as unexpected:
        next(listening(server))
    assert unexpected.value.status == 307


def test_an_event_that_never_ends_fails_the_stream() -> None:
    def endless(connection: socket.socket) -> None:
        connection.sendall(stream(event(1)) + b"data: ")
        for _ in range(17):
            connection.sendall(b"x" * 2**20)

    with ScriptedServer(endless) as server:
        events = listening(server)
        assert next(events).event_id == 1
        with pytest.raises(StreamFailedError):
            next(events)
