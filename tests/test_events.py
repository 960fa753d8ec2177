from __future__ import annotations

import json

from qmemd.events import FileChanged, MemoryChanged, SessionClosed, TaskUpdated, envelope
from qmemd.kinds import Scope, TaskKind, TaskStatus


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


def test_the_keys_come_in_one_order_whatever_is_absent() -> None:
    whole = envelope("x", {"b": 1, "a": 2}, timestamp=5, event_id=1, originator="c", last=True)
    assert whole.body == (
        b'{"id":1,"v":1,"type":"x","data":{"b":1,"a":2},"originatorClientId":"c",'
        b'"_meta":{"serverTimestamp":5}}'
    )
    assert (whole.type, whole.event_id, whole.last) == ("x", 1, True)
    bare = envelope("x", {}, timestamp=5)
    assert bare.body == b'{"v":1,"type":"x","data":{},"_meta":{"serverTimestamp":5}}'
    assert (bare.event_id, bare.last) == (None, False)


def test_half_a_character_breaks_no_line() -> None:
    event = envelope("x", {"filePath": "\ud83d"}, timestamp=5, originator="c\u2029")
    assert event.body.isascii()
    assert json.loads(event.body)["data"] == {"filePath": "\ud83d"}


def test_what_changes_of_memory_and_of_files_say() -> None:
    scopes = (Scope.PROJECT, Scope.USER)
    change = MemoryChanged("workspace_memory_remember", "remember-1", scopes, "client_1")
    assert change.to_wire() == {
        "scope": "managed",
        "source": "workspace_memory_remember",
        "taskId": "remember-1",
        "touchedScopes": ["project", "user"],
    }
    file = FileChanged("workspace", "/w/QWEN.md", "replace", 3, None)
    assert file.to_wire() == {
        "scope": "workspace",
        "filePath": "/w/QWEN.md",
        "mode": "replace",
        "bytesWritten": 3,
    }
    assert change.type == file.type == "memory_changed"


def test_a_closing_names_who_closed() -> None:
    assert SessionClosed("s", "client_close", "client_1").to_wire() == {
        "sessionId": "s",
        "reason": "client_close",
        "closedBy": "client_1",
    }
