"""A real daemon and its real child, with a language model that is scripted over HTTP."""

from __future__ import annotations

import json
import logging
import os
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from qmemd.kinds import Topic
from qmemd.memory.documents import render
from tests.contract.conftest import Api, MakeApi
from tests.fakes.endpoint import Endpoint, Step, Wire, answers, calls, fails, hangs, says

KEY = "the-key-of-the-contract-0123456789"
FACT = "The user is afraid of geese"

Open = Callable[..., tuple[Api, Endpoint]]


@pytest.fixture
def start(make_api: MakeApi, tmp_path: Path) -> Iterator[Open]:
    """A daemon whose model is this endpoint: ``start(*steps, **settings)``."""
    with ExitStack() as stack:

        def make(*steps: Step, **given: Any) -> tuple[Api, Endpoint]:
            endpoint = stack.enter_context(Endpoint(*steps))
            environ = {
                "PATH": os.environ["PATH"],
                "HOME": str(tmp_path),
                "LANG": "C.UTF-8",
                "OPENAI_BASE_URL": endpoint.url,
                "OPENAI_API_KEY": KEY,
            } | given.pop("environ", {})
            return make_api(**{"environ": environ, "model": "openai:scripted"} | given), endpoint

        yield make


def writes(base: Path, text: str = FACT) -> Step:
    path = base.resolve() / "memories" / "geese.md"
    content = render("Geese", "What the user fears", Topic.USER, text).decode()
    return calls(("write_file", {"file_path": str(path), "content": content}))


def picks(word: str) -> Step:
    """Selects what holds the word, among the lines of JSON that are offered."""

    def step(wire: Wire) -> None:
        lines = wire.asked.text.split("\n")
        offered = [json.loads(line) for line in lines if line.startswith('{"id"')]
        ids = [each["id"] for each in offered if word in each["text"]]
        says(json.dumps({"selectedCandidateIds": [*ids, "user:never.md"]}))(wire)

    return step


def test_a_fact_is_remembered_and_forgotten(
    start: Open, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    base = tmp_path / "base"
    api, endpoint = start(writes(base), says("Saved."))
    saved = api.run("remember", {"content": FACT})
    assert saved["status"] == "completed", saved
    assert saved["result"]["touchedScopes"] == ["user"]
    assert saved["result"]["usage"] == {"modelCalls": 2, "inputTokens": 200, "outputTokens": 40}
    assert FACT in api.documents()["memories/geese.md"]
    assert FACT in endpoint.asked[0].text
    assert {asked.headers["authorization"] for asked in endpoint.asked} == {f"Bearer {KEY}"}

    endpoint.then(picks("geese"))
    gone = api.run("forget", {"query": "what I said about birds"})
    assert gone["status"] == "completed", gone
    assert [entry["topic"] for entry in gone["result"]["removedEntries"]] == ["user"]
    assert gone["result"]["usage"]["modelCalls"] == 1
    assert api.documents() == {}

    noted = json.loads((base / "qmemd" / "usage.json").read_text())
    assert (noted["inputTokens"], noted["outputTokens"]) == (300, 60)
    child = api.daemon._workspace._child
    assert child
    command_line = Path(f"/proc/{child[0]}/cmdline")
    if command_line.exists():
        assert b"openai:scripted" in command_line.read_bytes()
        assert KEY.encode() not in command_line.read_bytes()
    assert KEY not in caplog.text
    assert FACT not in caplog.text


def test_what_a_model_gets_wrong_is_told_to_it_and_the_run_goes_on(
    start: Open, tmp_path: Path
) -> None:
    wrong = calls(
        ("fly", {}),
        ("write_file", "{not json"),
        ("write_file", "[1, 2]"),
        ("write_file", {"file_path": 3, "content": None}),
        ("read_file", {"file_path": "/etc/passwd"}),
        ("", {}),
    )
    api, endpoint = start(wrong, writes(tmp_path / "base"), says("Saved."))
    assert api.run("remember", {"content": FACT})["status"] == "completed"
    told = [each for each in endpoint.asked[1].body["messages"] if each["role"] == "tool"]
    assert len(told) == 6
    assert all(each["content"].startswith("Error: ") for each in told)


def test_a_model_that_never_answers_is_given_up_on_and_the_next_task_runs(
    start: Open, tmp_path: Path
) -> None:
    api, endpoint = start(says("Nothing."), hangs(), task_timeout=2.0)
    api.run("remember", {"content": "the first task loads the model"})
    started = time.monotonic()
    late = api.run("remember", {"content": FACT})
    assert late["error"]["code"] == "remember_timeout"
    assert time.monotonic() - started < 5.0
    child = api.daemon._workspace._child
    endpoint.then(writes(tmp_path / "base"), says("Saved."))
    assert api.run("remember", {"content": FACT})["status"] == "completed"
    # It ended the run by itself, in time, and was not killed for it.
    assert api.daemon._workspace._child == child


@pytest.mark.parametrize(
    ("step", "kind", "said"),
    [
        (fails(401, f"Incorrect API key: {KEY}"), "remember", "refused the key"),
        (fails(404, {"code": "model_not_found"}), "remember", "the model 'scripted'"),
        (fails(429, Retry_After="9999"), "dream", "rate limit"),
        (answers(b'{"choices": 3}'), "remember", "no chat completion"),
    ],
)
def test_why_a_task_failed(start: Open, tmp_path: Path, step: Step, kind: str, said: str) -> None:
    memories = tmp_path / "base" / "memories"
    memories.mkdir(parents=True)
    for name in ("a.md", "b.md"):
        (memories / name).write_bytes(render("Geese", "Fear", Topic.USER, FACT))
    api, endpoint = start(step)
    body = {"remember": {"content": "A fact"}, "forget": {"query": "geese"}}.get(kind)
    ended = api.run(kind, body)
    assert ended["error"]["code"] == f"{kind}_failed", ended
    assert said in ended["error"]["details"]
    assert KEY not in json.dumps(ended)
    assert len(endpoint.asked) == 1


def test_the_limits_are_kept_before_the_model_is_asked(start: Open, tmp_path: Path) -> None:
    api, endpoint = start(
        writes(tmp_path / "base"), says("Saved."), max_model_calls=1, max_tokens_per_day=240
    )
    few = api.run("remember", {"content": FACT})
    assert few["error"]["code"] == "remember_failed"
    assert "--max-model-calls" in few["error"]["details"]
    assert "result" not in few
    api.run("remember", {"content": FACT})
    spent = api.run("remember", {"content": FACT})
    assert "--max-tokens-per-day" in spent["error"]["details"]
    assert len(endpoint.asked) == 2
    assert api.documents() == {}


def test_auto_takes_what_the_environment_names(start: Open) -> None:
    api, endpoint = start(
        says("There is nothing to remember."), model="auto", environ={"OPENAI_MODEL": "by-variable"}
    )
    assert api.run("remember", {"content": FACT})["error"]["code"] == "remember_no_update"
    assert endpoint.asked[0].body["model"] == "by-variable"
