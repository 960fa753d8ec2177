"""Context files against a real daemon."""

from __future__ import annotations

from contextlib import ExitStack

from tests.contract.conftest import MakeApi
from tests.contract.test_events import listen, open_session


def test_a_written_file_is_told_to_sessions_and_can_be_read_back(make_api: MakeApi) -> None:
    api = make_api()
    assert api.get("/workspace/memory").body["initialized"] is False
    session = open_session(api)
    with ExitStack() as stack:
        stream = listen(stack, api, f"/session/{session['sessionId']}/events")
        mine = {"X_Qwen_Client_Id": session["clientId"]}
        body = {"scope": "global", "mode": "replace", "content": "# Mine \u2028\n"}
        written = api.post("/workspace/memory", body, **mine).body
        assert api.post("/workspace/memory", body, **mine).body["changed"] is False
        added = api.post("/workspace/memory", {"scope": "workspace", "content": "- a rule"}).body
        first, second = stream.event(), stream.event()
    assert written["filePath"].endswith("/home/.qwen/QWEN.md")
    assert first["data"] == {
        "scope": "global",
        "filePath": written["filePath"],
        "mode": "replace",
        "bytesWritten": written["bytesWritten"],
    }
    assert first["originatorClientId"] == session["clientId"]
    assert (second["data"]["filePath"], second["id"]) == (added["filePath"], 2)
    listed = api.get("/workspace/memory").body
    assert [file["scope"] for file in listed["files"]] == ["workspace", "global"]
    texts = [api.get(f"/file?path={file['path']}").body["content"] for file in listed["files"]]
    assert "- a rule\n" in texts[0]
    assert texts[1] == "# Mine \u2028\n"
