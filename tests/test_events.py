from __future__ import annotations

import json

from qmemd.events import SessionClosed, TaskUpdated, envelope
from qmemd.kinds import TaskKind, TaskStatus


def test_an_envelope_is_one_line_of_ascii_whatever_the_text_holds() -> None:
    text = "a\u2028b\r\nc\x85 \U0001f600 \x00"
    event = envelope("memory_changed", {"filePath": text}, timestamp=5, event_id=3)
    assert event.body.isascii()
    assert not set(b"\r\n") & set(event.body)
    assert json.loads(event.body) == {
        "id": 3,
        "v": 1,
        "type": "memory_changed",
        "data": {"filePath": text},
        "_meta": {"serverTimestamp": 5},
    }


def test_what_is_not_there_is_left_out() -> None:
    told = json.loads(envelope("replay_complete", {}, timestamp=5).body)
    assert set(told) == {"v", "type", "data", "_meta"}
    told = json.loads(envelope("x", {}, timestamp=5, event_id=1, originator="client_1").body)
    assert told["originatorClientId"] == "client_1"


def test_what_an_update_and_a_closing_say() -> None:
    update = TaskUpdated("dream-1", TaskKind.DREAM, TaskStatus.RUNNING, "client_1")
    assert update.to_wire() == {"taskId": "dream-1", "kind": "dream", "status": "running"}
    assert SessionClosed("s", "idle_timeout", None).to_wire() == {
        "sessionId": "s",
        "reason": "idle_timeout",
    }
