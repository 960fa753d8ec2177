"""Context files against a real daemon."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

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


def test_requests_at_once_lose_nothing_and_each_is_told(make_api: MakeApi) -> None:
    api = make_api()
    session = open_session(api)
    names = [f"fact {number}" for number in range(40)]
    with ExitStack() as stack:
        stream = listen(stack, api, f"/session/{session['sessionId']}/events")
        pool = stack.enter_context(ThreadPoolExecutor(8))
        bodies = [{"scope": "global", "content": name} for name in names]
        written = [
            answer.body for answer in pool.map(lambda b: api.post("/workspace/memory", b), bodies)
        ]
        told = [stream.event()["data"]["bytesWritten"] for _ in names]
    assert sorted(told) == sorted(body["bytesWritten"] for body in written)
    path = Path(written[0]["filePath"])
    assert sorted(path.read_text().splitlines()[2:]) == sorted(names)
    assert path.stat().st_size == max(told)
    assert path.stat().st_mode & 0o777 == 0o600


def test_what_changes_nothing_is_not_told(make_api: MakeApi) -> None:
    api = make_api()
    session = open_session(api)
    with ExitStack() as stack:
        stream = listen(stack, api, f"/session/{session['sessionId']}/events")
        blank = api.post("/workspace/memory", {"scope": "workspace", "content": " \n"}).body
        refused = api.post("/workspace/memory", {"scope": "user", "content": "x"})
        api.post("/workspace/memory", {"scope": "workspace", "mode": "replace", "content": "x"})
        first = stream.event()
    assert (blank["changed"], blank["bytesWritten"], blank["mode"]) == (False, 0, "append")
    assert (refused.status, refused.code) == (400, "invalid_scope")
    assert (first["id"], first["data"]["mode"]) == (1, "replace")
    assert "originatorClientId" not in first


def test_only_listed_files_can_be_read(make_api: MakeApi) -> None:
    api = make_api()
    written = api.post("/workspace/memory", {"scope": "global", "content": "x"}).body
    settings = Path(written["filePath"]).with_name("settings.json")
    settings.write_text("{}")
    assert api.get(f"/file?path={written['filePath']}").status == 200
    for path, status, code in (
        (str(settings), 404, "path_not_found"),
        ("/etc/passwd", 400, "path_outside_workspace"),
        ("AGENTS.md", 404, "path_not_found"),
    ):
        answer = api.get(f"/file?path={path}")
        assert (answer.status, answer.code, answer.body["errorKind"]) == (status, code, code)
