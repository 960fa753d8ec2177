"""The three kinds of task over HTTP: bodies, results, visibility, and every refusal."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.contract.conftest import MEMORY, Api, MakeApi

KINDS = ("remember", "forget", "dream")
VALID: dict[str, Any] = {
    "remember": {"content": "The user prefers tabs"},
    "forget": {"query": "zzz nothing"},
    "dream": {},
}
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"


@pytest.mark.parametrize("kind", KINDS)
def test_the_202_holds_the_queued_task_and_no_result(shared: Api, kind: str) -> None:
    task = shared.start(kind, VALID[kind])
    assert re.fullmatch(f"{kind}-{UUID}", task["taskId"])
    assert task["status"] == "queued"
    assert TIME.fullmatch(task["createdAt"])
    assert TIME.fullmatch(task["updatedAt"])
    expected = {"taskId", "status", "createdAt", "updatedAt"}
    assert set(task) == expected | ({"contextMode"} if kind == "remember" else set())
    shared.wait(kind, task["taskId"])


def test_fields_are_echoed_when_they_were_given(shared: Api) -> None:
    task = shared.start("remember", VALID["remember"] | {"contextMode": "clean", "scope": "user"})
    assert (task["contextMode"], task["scope"]) == ("clean", "user")
    task = shared.start("remember", VALID["remember"] | {"contextMode": None})
    assert task["contextMode"] == "workspace"
    assert "scope" not in task
    assert shared.start("forget", {"query": "zzz", "scope": "project"})["scope"] == "project"


def test_a_remember_writes_a_document_and_a_line_of_the_index(make_api: MakeApi) -> None:
    api = make_api()
    done = api.run("remember", {"content": "  The user prefers dark mode in all editors\n"})
    assert "error" not in done
    result = done["result"]
    assert set(result) == {"summary", "filesTouched", "touchedScopes", "changeSetId"}
    assert result["touchedScopes"] == ["user"]
    (path,) = result["filesTouched"]
    text = api.base.joinpath(path).read_text()
    assert path.startswith(f"{api.base}/memories/")
    assert text.startswith("---\nname: ")
    assert text.endswith("\n---\n\nThe user prefers dark mode in all editors\n")
    index = (api.base / "memories" / "MEMORY.md").read_text()
    assert re.fullmatch(r"- \[.+\]\(.+\.md\) — .+\n", index)


def test_remembering_twice_is_completed_and_keeps_one_document(make_api: MakeApi) -> None:
    api = make_api()
    fact = {"content": "We deploy on Fridays at noon"}
    first = api.run("remember", fact)["result"]
    second = api.run("remember", {"content": "we deploy on  Fridays at noon."})
    assert second["status"] == "completed"
    assert second["result"]["filesTouched"] == []
    assert second["result"]["touchedScopes"] == []
    assert second["result"]["changeSetId"] is None
    assert list(api.documents()) == [
        str(p)[len(str(api.base)) + 1 :] for p in first["filesTouched"]
    ]


@pytest.mark.parametrize("scope", ["user", "project"])
def test_a_scope_in_the_request_wins(make_api: MakeApi, scope: str) -> None:
    api = make_api()
    for content in ("The user prefers dark mode", "The release of version 2 is on 3 May"):
        done = api.run("remember", {"content": content, "scope": scope})
        assert done["result"]["touchedScopes"] == [scope]
    root = "memories" if scope == "user" else "projects"
    assert all(path.startswith(root) for path in api.documents())


def test_forget_removes_what_the_query_names_and_says_so(make_api: MakeApi) -> None:
    api = make_api()
    api.run("remember", {"content": "The user prefers dark mode in all editors"})
    api.run("remember", {"content": "The user drinks tea in the morning"})
    result = api.run("forget", {"query": "dark mode"})["result"]
    assert set(result) == {
        *("summary", "removedEntries", "touchedTopics", "touchedScopes", "changeSetId")
    }
    (entry,) = result["removedEntries"]
    assert set(entry) == {"topic", "summary", "filePath"}
    assert entry["topic"] == "user"
    assert (result["touchedTopics"], result["touchedScopes"]) == (["user"], ["user"])
    assert len(api.documents()) == 1
    assert "dark" not in (api.base / "memories" / "MEMORY.md").read_text()


@pytest.mark.parametrize("query", ["*", "e", "123", "the", "xylophone lessons", "user", ".*"])
def test_a_query_about_nothing_removes_nothing(shared: Api, query: str) -> None:
    shared.run("remember", {"content": "The user prefers dark mode in all editors"})
    before = shared.documents()
    done = shared.run("forget", {"query": query})
    assert done["status"] == "completed"
    assert done["result"]["removedEntries"] == []
    assert done["result"]["touchedScopes"] == []
    assert shared.documents() == before


def test_several_equal_hits_of_a_phrase_all_go(make_api: MakeApi) -> None:
    api = make_api()
    for scope in ("user", "project"):
        api.run("remember", {"content": "The staging cluster is called blue whale", "scope": scope})
    result = api.run("forget", {"query": "blue whale"})["result"]
    assert len(result["removedEntries"]) == 2
    assert result["touchedScopes"] == ["project", "user"]
    assert api.documents() == {}


def test_forget_with_a_scope_leaves_the_other_alone(make_api: MakeApi) -> None:
    api = make_api()
    for scope in ("user", "project"):
        api.run("remember", {"content": "The staging cluster is called blue whale", "scope": scope})
    result = api.run("forget", {"query": "blue whale", "scope": "project"})["result"]
    assert result["touchedScopes"] == ["project"]
    assert all(path.startswith("memories/") for path in api.documents())


def test_dream_merges_equal_entries_and_only_those(make_api: MakeApi) -> None:
    api = make_api()
    for content in ("The API listens on port 8080", "The API listens on port 8081"):
        for _ in range(2):
            api.run("remember", {"content": content, "contextMode": "clean", "scope": "project"})
    assert len(api.documents()) == 4
    result = api.run("dream", {})["result"]
    assert set(result) == {
        *("summary", "touchedTopics", "dedupedEntries", "touchedScopes", "changedFiles"),
        *("removedFiles", "changeSetId"),
    }
    assert result["dedupedEntries"] == 2
    assert len(result["removedFiles"]) == 2
    assert sorted("8081" in text for text in api.documents().values()) == [False, True]
    again = api.run("dream")["result"]
    assert again["dedupedEntries"] == 0
    assert again["touchedTopics"] == []
    assert again["changeSetId"] is None


def test_dream_repairs_an_index_without_calling_that_a_change(make_api: MakeApi) -> None:
    api = make_api()
    api.run("remember", {"content": "The user prefers dark mode in all editors"})
    index = api.base / "memories" / "MEMORY.md"
    good = index.read_text()
    index.write_text("- [Gone](gone.md) — nothing is there\n")
    result = api.run("dream")["result"]
    assert result["touchedScopes"] == []
    assert index.read_text() == good


@pytest.mark.parametrize("kind", KINDS)
def test_a_task_is_seen_by_its_client_only_and_all_else_is_the_same_404(
    shared: Api, kind: str
) -> None:
    mine, other = shared.client_id(), shared.client_id()
    owned = shared.start(kind, VALID[kind], X_Qwen_Client_Id=mine)["taskId"]
    anonymous = shared.start(kind, VALID[kind])["taskId"]
    shared.wait(kind, owned, X_Qwen_Client_Id=mine)
    shared.wait(kind, anonymous)
    unknown = shared.get(f"{MEMORY}/{kind}/{kind}-{'0' * 36}")
    assert (unknown.status, unknown.code) == (404, f"{kind}_task_not_found")
    foreign_kind = next(k for k in KINDS if k != kind)
    for answer in (
        shared.get(f"{MEMORY}/{kind}/{owned}", X_Qwen_Client_Id=other),
        shared.get(f"{MEMORY}/{kind}/{owned}"),
        shared.get(f"{MEMORY}/{kind}/{anonymous}", X_Qwen_Client_Id=mine),
        shared.get(f"{MEMORY}/{kind}/{anonymous.upper()}"),
        shared.get(f"{MEMORY}/{kind}/%00"),
    ):
        assert (answer.status, answer.raw) == (404, unknown.raw)
    assert shared.get(f"{MEMORY}/{foreign_kind}/{anonymous}").code == (
        f"{foreign_kind}_task_not_found"
    )


@pytest.mark.parametrize(
    ("kind", "body", "code"),
    [
        *(
            (kind, {field: value}, f"invalid_{field}")
            for kind, field in (("remember", "content"), ("forget", "query"))
            for value in ("", "  ", "\ufeff\u2003", 123, None, ["x"], {}, True, "\ud800 x")
        ),
        ("remember", {}, "invalid_content"),
        ("forget", {}, "invalid_query"),
        ("remember", {"content": "a" * 65_537}, "invalid_content"),
        ("forget", {"query": "😀" * 30_000}, "invalid_query"),
        *(
            ("remember", {"content": "x", "contextMode": value}, "invalid_context_mode")
            for value in ("", "Workspace", 1, [])
        ),
        *(
            (kind, {field: "x", "scope": value}, "invalid_scope")
            for kind, field in (("remember", "content"), ("forget", "query"))
            for value in (None, "", "USER", "USER ", "all", 1)
        ),
        # the first mistake in the order of the fields is the one that is named
        ("remember", {"content": 1, "contextMode": 1, "scope": 1}, "invalid_content"),
        ("remember", {"content": "x", "contextMode": 1, "scope": 1}, "invalid_context_mode"),
    ],
)
def test_each_mistake_in_a_body_has_its_code(shared: Api, kind: str, body: Any, code: str) -> None:
    answer = shared.post(f"{MEMORY}/{kind}", body, X_Qwen_Client_Id="client_unknown")
    assert (answer.status, answer.code) == (400, code)


@pytest.mark.slow
def test_the_limit_counts_bytes_after_trimming(make_api: MakeApi) -> None:
    api = make_api()
    done = api.run("remember", {"content": " " + "x" * 65_536 + " "})
    assert done["status"] == "completed"
    assert "x" * 65_536 in next(iter(api.documents().values()))


@pytest.mark.parametrize("client_id", ["a" * 129, "a b", "a/b", "ü".encode().decode("latin-1")])
def test_a_malformed_client_id_is_refused(shared: Api, client_id: str) -> None:
    answer = shared.post(f"{MEMORY}/dream", {}, X_Qwen_Client_Id=client_id)
    assert (answer.status, answer.code) == (400, "invalid_client_id")
    assert "clientId" not in answer.body


def test_an_unknown_client_id_is_named_and_an_empty_one_is_none(shared: Api) -> None:
    for answer in (
        shared.post(f"{MEMORY}/dream", {}, X_Qwen_Client_Id="client_unknown"),
        shared.get(f"{MEMORY}/dream/dream-x", X_Qwen_Client_Id="client_unknown"),
    ):
        assert (answer.status, answer.code) == (400, "invalid_client_id")
        assert answer.body["clientId"] == "client_unknown"
    task = shared.start("dream", {}, X_Qwen_Client_Id="")
    assert shared.wait("dream", task["taskId"])["status"] == "completed"


def test_a_secret_is_accepted_fails_at_once_and_is_stored_nowhere(make_api: MakeApi) -> None:
    api = make_api()
    secret = "ghp_" + "a1B2" * 9
    done = api.run("remember", {"content": f"The deploy token is {secret}"})
    assert done["status"] == "failed"
    assert done["error"]["code"] == "secret_detected"
    assert "result" not in done
    for path in api.base.rglob("*"):
        assert path.is_dir() or secret not in path.read_text()


def test_client_ids_end_with_their_session(shared: Api) -> None:
    opened = shared.post("/session", {"sessionScope": "thread"}).body
    client = opened["clientId"]
    assert shared.post(f"{MEMORY}/dream", {}, X_Qwen_Client_Id=client).status == 202
    closed = shared.call("DELETE", f"/session/{opened['sessionId']}", X_Qwen_Client_Id=client)
    assert (closed.status, closed.raw) == (204, b"")
    assert shared.post(f"{MEMORY}/dream", {}, X_Qwen_Client_Id=client).status == 400
    gone = shared.call("DELETE", f"/session/{opened['sessionId']}")
    assert (gone.status, gone.code) == (404, "session_not_found")
    assert gone.body["sessionId"] == opened["sessionId"]
